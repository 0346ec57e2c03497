import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnelWire

@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct ListenerTests {
  /// Whether this machine has an IPv6 loopback; containers often have none.
  static let hasIPv6: Bool = {
    guard let address = SocketAddress("::1", port: 0) else { return false }
    // Refused means absent; the tests that need it are then skipped by name.
    guard let socket = try? Socket.listening(at: address, backlog: 1) else { return false }
    socket.close()
    return true
  }()

  @Test func `a port in use is refused by name`() async throws {
    let loop = try EventLoop.ofTheTest()
    let address = try await loop.serve { _ in }
    await #expect {
      _ = try await loop.serve(at: address) { _ in }
    } throws: { error in
      (error as? SocketError)?.kind == .portInUse
        && "\(error)" == "port \(address.port) is in use; choose another, or 0 for any free port"
    }
  }

  @Test(arguments: ["127.0.0.1", "[::1]"])
  func `a server listens on both loopbacks`(host: String) async throws {
    if host != "127.0.0.1", !Self.hasIPv6 { return }
    let address = try await EventLoop.serve(at: #require(SocketAddress(host, port: 0))) { script in
      script.received = { channel, bytes in
        channel.write(bytes)
        channel.close()
      }
    }
    #expect(address.port != 0 && "\(address)" == "\(host):\(address.port)")
    #expect(try await RawClient(address).all(after: "hi") == (Array("hi".utf8), .finished))
  }

  @Test func `a paused listener takes nobody until it is resumed`() async throws {
    let loop = try EventLoop.ofTheTest()
    let accepted = Events<Bool>()
    let isOpen = Locked(false)
    let address = try await loop.run { reactor in
      let listener = try Listener(on: reactor) { socket in
        accepted(isOpen.withLock { $0 })
        socket.close()
      }
      listener.pause()
      // The listener is the reactor's; a job that comes later opens it.
      reactor.schedule(after: 5_000_000) { _ in
        isOpen.withLock { $0 = true }
        listener.resume()
      }
      return listener.address
    }
    let client = try RawClient(address)
    #expect(try await accepted.next())
    client.close()
  }

  @Test func `a refused connect is told as such`() async throws {
    let loop = try EventLoop.ofTheTest()
    let closed = Events<SocketError?>()
    // A port that was just free: bound, not listening.
    let free = try Socket.listening(at: .loopback(), backlog: 1)
    let address = try #require(free.localAddress)
    free.close()
    try await loop.run { reactor in
      let script = Script()
      script.closed = { closed($0) }
      _ = try Channel(connectingTo: address, on: reactor, delegate: script)
    }
    let error = try #require(try await closed.next())
    expectEqual(error.kind, .refused)
    expectEqual("\(error)", "\(address) refused the connection")
  }

  @Test func `literals are addresses, names are not, and localhost is found`() throws {
    expectEqual(SocketAddress("127.0.0.1", port: 80).map { "\($0)" }, "127.0.0.1:80")
    expectEqual(SocketAddress("::1", port: 8080).map { "\($0)" }, "[::1]:8080")
    expectNil(SocketAddress("localhost", port: 80))
    expectNil(SocketAddress("[127.0.0.1]", port: 80))
    expectNil(SocketAddress("127.0.0.1", port: 65536))
    let found = try SocketAddress.resolve("localhost", port: 7)
    #expect(found.contains { $0.port == 7 && ["127.0.0.1", "::1"].contains($0.host) })
    #expect(throws: SocketError.self) {
      try SocketAddress.resolve(String(repeating: "a.", count: 128) + "test", port: 7)
    }
  }
}
