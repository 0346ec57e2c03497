import Foundation
import Origins
import Testing

@testable import WindTunnel
@testable import WindTunnelServer

extension ReplayServer {
  /// Starts a proxy for the length of a test, and hands over what it saw.
  static func proxying<Result>(
    _ scenario: Scenario = .calm,
    tape: Cassette = Cassette(),
    mode: RecordMode = .none,
    as proxy: Proxying = Proxying(),
    limits: Limits = .patient,
    at host: String = "127.0.0.1",
    _ body: (ReplayServer, Deck, Events<Sighting>) async throws -> Result
  ) async throws -> Result {
    let deck = Deck(
      tape,
      scenario: scenario,
      options: PlaybackOptions(then: .repeat, mode: mode, isProxied: true)
    )
    let seen = Events<Sighting>()
    var options = Options()
    var proxy = proxy
    proxy.observe = { seen($0) }
    options.proxy = proxy
    options.host = host
    options.limits = limits
    return try await serving(deck, options) { server in try await body(server, deck, seen) }
  }

  /// A client with a tunnel to an address.
  func tunnel(to address: SocketAddress, early: String = "") async throws -> RawClient {
    let client = try client()
    await client.send("CONNECT \(address) HTTP/1.1\r\nHost: \(address)\r\n\r\n\(early)")
    let established = "HTTP/1.1 200 Connection Established\r\n\r\n"
    let head = await client.receive(exactly: established.utf8.count)
    #expect(String(decoding: head, as: UTF8.self) == established)
    return client
  }
}

extension RawClient {
  /// Receives so many bytes and leaves the rest, fewer only where the connection ends before.
  func receive(exactly count: Int) async -> [UInt8] {
    await blocking {
      var bytes: [UInt8] = []
      while bytes.count < count {
        var buffer = [UInt8](repeating: 0, count: count - bytes.count)
        guard case .bytes(let read) = buffer.withUnsafeMutableBytes({ socket.read(into: $0) })
        else { break }
        bytes += buffer[..<read]
      }
      return bytes
    }
  }
}

extension Sighting {
  /// A sighting without its times.
  var timeless: Sighting {
    switch self {
    case .request(var request):
      request.latency = .zero
      return .request(request)
    case .connection(var connection):
      connection.duration = .zero
      connection.connect = connection.connect.map { _ in .zero }
      return .connection(connection)
    }
  }
}

/// A server that sends everything back, half-closes after its client did, and knows what it got.
struct Echo: Sendable {
  let loop: EventLoop
  let address: SocketAddress

  init() async throws {
    let loop = try EventLoop()
    self.loop = loop
    address = try await loop.serve { script in
      script.received = { channel, bytes in channel.write(bytes) }
      script.ended = { $0.close() }
    }
  }
}
