import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelHTTP
@testable import WindTunnelServer

extension String {
  /// The bytes of a text in which scalars stand for stray octets.
  var octets: [UInt8] {
    var bytes = Array(utf8)
    bytes.restoreOctets(from: 0)
    return bytes
  }
}

/// A real server for a recording one to stand in front of: what it answers stands in the test, byte
/// for byte, and what it was asked is told.
struct Origin: Sendable {
  let loop: EventLoop
  let address: SocketAddress
  let asked: Events<String>
  /// A connection of the recording server's is gone.
  let left: Events<Bool>

  /// How an answer ends.
  enum End: Sendable { case close, reset, stays }

  init(_ answer: @escaping @Sendable (String) -> (pieces: [String], end: End)?) async throws {
    let loop = try EventLoop.ofTheTest()
    let asked = Events<String>()
    let left = Events<Bool>()
    (self.loop, self.asked, self.left) = (loop, asked, left)
    address = try await loop.serve { script in
      var text = ""
      script.received = { channel, bytes in
        text += bytes.withUnsafeBufferPointer { String(octets: $0) }
        guard let (pieces, end) = answer(text) else { return }
        asked(text)
        text = ""
        for piece in pieces { channel.write(piece.octets) }
        switch end {
        case .close: channel.close()
        case .reset: channel.reset()
        case .stays: break
        }
      }
      script.ended = { $0.close() }
      script.closed = { _ in left(true) }
    }
  }

  /// An origin that says a text to everybody.
  init(saying text: String) async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
    try await self.init { _ in ([head + text], .stays) }
  }

  /// An origin that answers `/first` only once something else is asked, and both with `answer`.
  init(holdingFirstUntilAnotherCame answer: String) async throws {
    let loop = try EventLoop.ofTheTest()
    let asked = Events<String>()
    (self.loop, self.asked, left) = (loop, asked, Events())
    let shelf = Shelf()
    address = try await loop.serve { script in
      script.received = { channel, bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        asked(text)
        if text.contains(" /first ") {
          shelf.channel = channel
        } else {
          channel.write(Array(answer.utf8))
          shelf.channel?.write(Array(answer.utf8))
        }
      }
      script.ended = { $0.close() }
    }
  }

  /// Touched on the origin's loop only.
  private final class Shelf: @unchecked Sendable { var channel: Channel? }

  var url: RequestURL { RequestURL("http://127.0.0.1:\(address.port)") }

  /// A recording server in front of it.
  func recording<Result>(
    _ deck: Deck = Deck(Cassette(), mode: .rewrite),
    as origin: RequestURL? = nil,
    _ body: (ReplayServer, Deck) async throws -> Result
  ) async throws -> Result {
    var options = ReplayServer.Options.patient
    options.upstream = try Upstream(url)
    options.recordedOrigin = origin
    let result = try await ReplayServer.serving(deck, options) { server in
      try await body(server, deck)
    }
    await loop.stop()
    return result
  }
}
