import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// The codings that an origin is asked for that is recorded.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct AskedCodingsTests {
  static let alamofire = "br;q=1.0, gzip;q=0.9, deflate;q=0.8"

  /// What the origin reads where a client says this.
  private static func asked(
    _ said: String?,
    keeping: Bool = false,
    mode: RecordMode = .rewrite,
    byProxy: Bool = false
  ) async throws -> (lines: [String], recorded: [Interaction]) {
    let origin = try await Origin { text in
      text.contains("\r\n\r\n") ? (["HTTP/1.1 204 No Content\r\n\r\n"], .close) : nil
    }
    let deck = Deck(Cassette(), options: PlaybackOptions(mode: mode, isProxied: byProxy))
    var options = ReplayServer.Options.patient
    if byProxy { options.proxy = Proxying() } else { options.upstream = try Upstream(origin.url) }
    options.keepsEncodings = keeping
    let field = said.map { "Accept-Encoding: \($0)\r\n" } ?? ""
    let target = byProxy ? "\(origin.url.origin ?? "")/a" : "/a"
    try await ReplayServer.serving(deck, options) { server async throws in
      _ = try await server.answer(
        to: "GET \(target) HTTP/1.1\r\nHost: x\r\n\(field)Connection: close\r\n\r\n"
      )
    }
    let text = try await origin.asked.next()
    let lines = text.components(separatedBy: "\r\n").filter { $0.hasPrefix("Accept-Encoding") }
    return (lines, deck.recordedWithoutTimes)
  }

  @Test(
    arguments: [
      (alamofire, ["gzip;q=0.9, deflate;q=0.8"]), ("br", ["identity"]), ("zstd, gzip", ["gzip"]),
      ("gzip", ["gzip"]), (nil, []),
    ] as [(String?, [String])]
  )
  func `a recorded origin is offered only content codings that can be decoded`(
    said: String?,
    asked: [String]
  )
    async throws
  {
    for byProxy in [false, true] {
      let (lines, recorded) = try await Self.asked(said, byProxy: byProxy)
      expectEqual(lines, asked.map { "Accept-Encoding: \($0)" })
      // On the tape is what the client said.
      expectEqual(recorded.map(\.request.headers["Accept-Encoding"]), [said])
    }
  }

  @Test func `who means it gets every coding asked for`() async throws {
    for byProxy in [false, true] {
      let (lines, _) = try await Self.asked(Self.alamofire, keeping: true, byProxy: byProxy)
      expectEqual(lines, ["Accept-Encoding: \(Self.alamofire)"])
    }
  }

  @Test func `what is not recorded is asked as the client does`() async throws {
    let (lines, _) = try await Self.asked(Self.alamofire, mode: .none, byProxy: true)
    expectEqual(lines, ["Accept-Encoding: \(Self.alamofire)"])
  }
}
