import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

extension ReplayServer {
  /// Starts a server for the length of a test.
  static func serving<Result>(
    _ deck: Deck,
    _ options: Options = .patient,
    _ body: (ReplayServer) async throws -> Result
  ) async throws -> Result {
    var options = options
    // Whatever the machine is: what holds of one must hold of several.
    options.loops = options.loops ?? 2
    let server = try await ReplayServer(deck, options)
    do {
      let result = try await body(server)
      await server.stop(grace: .zero)
      return result
    } catch {
      await server.stop(grace: .zero)
      throw error
    }
  }

  func client() throws -> RawClient { try RawClient(.loopback(port: port)) }

  /// Sends a text and answers everything that comes until the server ends the connection.
  func answer(to text: String, from host: String? = nil) async throws -> String {
    let (bytes, end) = try await RawClient(.loopback(port: port), from: host).all(
      after: text.octets
    )
    expectEqual(end, .finished)
    return bytes.withUnsafeBufferPointer { String(octets: $0) }
  }
}

extension ReplayServer.Options {
  /// The options of a server in front of an origin.
  static func before(_ origin: RequestURL) throws -> Self {
    var options = patient
    options.upstream = try Upstream(origin)
    return options
  }
}

/// A request without content, whose response ends its connection.
func closing(_ line: String, host: String = "x") -> String {
  "\(line) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
}

extension Deck {
  /// Answers each path with what was asked, as often as it is.
  static func echo(_ paths: String...) -> Deck {
    Deck(
      paths.flatMap { path in
        [
          Stub.get(RequestURL(path)) { .text(Body("\($0.method) \($0.url.target)")) },
          .post(RequestURL(path)) { .text(Body("\($0.body.data.count) \($0.body.text ?? "-")")) },
        ]
      },
      matcher: .pathAndQuery
    )
  }

  /// What was recorded, without what differs from run to run.
  var recordedWithoutTimes: [Interaction] {
    recorded().cassette.interactions.map { interaction in
      var interaction = interaction
      interaction.timing = nil
      return interaction
    }
  }
}

extension String {
  /// What follows the first empty line.
  var content: String { range(of: "\r\n\r\n").map { String(self[$0.upperBound...]) } ?? "" }

  var statusLine: String { prefix { $0 != "\r\n" }.description }

  func count(of text: String) -> Int { components(separatedBy: text).count - 1 }
}
