import Foundation
import Testing

@testable import WindTunnel
@testable import WindTunnelServer

@Suite(.timeLimit(.minutes(10))) struct RelayTests {
  /// A port that relays to another.
  func relay(
    to origin: SocketAddress,
    on loop: EventLoop,
    ended: Events<SocketError?> = Events()
  ) async throws -> SocketAddress {
    try await loop.run { reactor in
      try Listener(on: reactor) { socket in
        let waiting = Script()
        // A client that has gone already gets nothing, and its test sees that.
        guard let client = try? Channel(socket, on: reactor, delegate: waiting) else { return }
        client.pauseReading()
        waiting.connected = { upstream in
          _ = Relay(client, upstream) { ended($0) }
          client.resumeReading()
        }
        // A refused origin would show as a test that gets nothing.
        _ = try? Channel(connectingTo: origin, on: reactor, delegate: waiting)
      }.address
    }
  }

  @Test func `a relay carries both ways, however much, and passes the ends on`() async throws {
    let loop = try EventLoop()
    let ended = Events<SocketError?>()
    let origin = try await loop.serve { script in
      script.received = { channel, bytes in channel.write(bytes) }
      script.ended = { $0.close() }
    }
    let address = try await relay(to: origin, on: loop, ended: ended)
    let client = try RawClient(address)
    let sent = pattern(5_000_000)
    async let received = client.receiveAll()
    #expect(await client.send(sent))
    client.socket.finishWriting()
    let (bytes, end) = await received
    #expect(bytes == sent && end == .finished)
    #expect(try await ended.next() == nil)
    client.close()
    await loop.stop()
  }

  @Test func `a relay passes a reset on as a reset, after the bytes before it`() async throws {
    let loop = try EventLoop()
    let origin = try await loop.serve { script in
      script.received = { channel, _ in
        channel.write(pattern(200))
        channel.reset()
      }
    }
    let address = try await relay(to: origin, on: loop)
    for _ in 0..<20 {
      let client = try RawClient(address)
      await client.send("go")
      #expect(await client.receiveAll() == (pattern(200), .reset))
      client.close()
    }
    await loop.stop()
  }
}
