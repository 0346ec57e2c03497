#if !canImport(Darwin)
  import Origins
  import TestSupport

  @testable import WindTunnel
  @testable import WindTunnelServer

  /// Attempts to connect that are lost for real: nothing here pretends, the system repeats them and
  /// says how often it did.
  @Suite(.timeLimit(.minutes(5))) struct SYNGateTests {
    private static func deck(_ rules: FaultRule...) -> Deck {
      Deck([.get("/n", json: ["n": 1], then: .repeat)], scenario: Scenario("s", rules: rules))
    }

    /// Asks on a connection of its own, and answers how often the attempt to make it was repeated and
    /// how long it all took.
    private static func repeats(to port: Int) async throws -> (count: Int, time: Duration) {
      let start = ContinuousClock.now
      let client = try RawClient(.loopback(port: port))
      #expect(await client.send(closing("GET /n")))
      let (bytes, end) = await client.receiveAll()
      let count = client.socket.repeatedSegments
      client.close()
      expectEqual(end, .finished)
      expectEqual(String(decoding: bytes, as: UTF8.self).statusLine, "HTTP/1.1 200 OK")
      return (count, .now - start)
    }

    @Test(arguments: 1...ConnectionFault.lostSYNsMax)
    func `a gate that gets its turn in time loses exactly as many attempts as it should`(
      count: Int
    ) async throws {
      while true {
        let loop = try EventLoop()
        let stand = try await loop.run { try GateStand(losing: count, of: 2, on: $0) }
        var counts: [Int] = []
        for ordinal in 1...3 {
          let socket = try Socket.connecting(to: stand.address)
          #expect(await Self.isReady(socket, within: -1))
          expectEqual(socket.pendingError, 0)
          counts.append(socket.repeatedSegments)
          while try await loop.run({ _ in stand.accepted }) < ordinal { await Task.yield() }
          socket.close()
        }
        let longest = try await loop.run { _ in stand.longestPause }
        await loop.stop()
        #expect(counts[0] == 0 && counts[1] >= count && counts[2] == 0, "\(counts)")
        // Repeated after a second, an attempt that comes while a machine is busy is lost, too.
        if longest < 500_000_000 { return expectEqual(counts[1], count, "\(counts)") }
      }
    }

    @Test(arguments: 1...ConnectionFault.lostSYNsMax)
    func `a connection loses as many attempts as it should`(count: Int) async throws {
      let deck = Self.deck(.always(.attempt(2), .connection(.lostSYNs(count))))
      try await ReplayServer.serving(deck) { server async throws in
        try await expectEqual(Self.repeats(to: server.port).count, 0)
        let late = try await Self.repeats(to: server.port)
        // Each attempt is repeated after a second at the earliest.
        #expect(late.count >= count && late.time >= .seconds(count), "\(late)")
        try await expectEqual(Self.repeats(to: server.port).count, 0)
      }
      expectEqual(deck.journal.all.filter { $0.take == .connection }.map(\.decision.ordinal), [2])
    }

    @Test func `each lane loses its own`() async throws {
      let deck = Self.deck(.always(.first(1), .connection(.lostSYNs(1))))
      try await ReplayServer.serving(deck) { server async throws in
        var counts: [Int] = []
        for lane in ["call/1", "call/2"] {
          let port = try await server.openPort(lane: Lane(lane))
          for _ in 1...2 { counts.append(try await Self.repeats(to: port).count) }
        }
        expectEqual(counts.map { $0 > 0 }, [true, false, true, false], "\(counts)")
      }
    }

    @Test func `a connect timeout sends no reply, and does not delay stopping the server`()
      async throws
    {
      let deck = Self.deck(.always(.always, .connection(.connectTimeout)))
      // Another server may get the port of one that has stopped, but not at this address.
      var options = ReplayServer.Options.patient
      options.host = "127.0.0.9"
      let server = try await ReplayServer(deck, options)
      let address = try #require(SocketAddress(options.host, port: server.port))
      let socket = try Socket.connecting(to: address)
      defer { socket.close() }
      // Longer than two repeats take.
      await expectEqual(Self.isReady(socket, within: 2500), false)
      await server.stop(grace: .zero)
      // The next attempt finds nobody there.
      #expect(await Self.isReady(socket, within: 60_000))
      expectEqual(socket.pendingError, ECONNREFUSED)
      #expect(deck.journal.all.isEmpty)
    }

    private static func isReady(_ socket: Socket, within milliseconds: Int32) async -> Bool {
      await blocking {
        var request = pollfd(fd: socket.descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&request, 1, milliseconds) == 1
      }
    }

    @Test func `weather that changes opens the gate`() async throws {
      let deck = Self.deck(.always(.always, .connection(.connectTimeout)))
      try await ReplayServer.serving(deck) { server async throws in
        deck.swap(.calm)
        // However many attempts it took.
        _ = try await Self.repeats(to: server.port)
      }
    }
  }

  /// A gate on a loop, and how long this loop let anybody wait. On its thread only.
  private final class GateStand: @unchecked Sendable {
    let address: SocketAddress
    private let gate: SYNGate
    private(set) var accepted = 0
    private(set) var longestPause: Int64 = 0
    private var lastBeat = Moment.now()

    init(losing count: Int, of ordinal: Int, on reactor: Reactor) throws {
      var accept: () -> Void = {}
      gate = try SYNGate(
        at: .loopback(),
        on: reactor,
        fate: { $0 == ordinal ? .lost(count) : .answered }
      ) { socket in
        socket.close()
        accept()
      }
      address = gate.address
      accept = { [unowned self] in accepted += 1 }
      beat(on: reactor)
    }

    /// As often as a gate looks.
    private func beat(on reactor: Reactor) {
      let now = Moment.now()
      longestPause = max(longestPause, now - lastBeat)
      lastBeat = now
      reactor.schedule(after: 20_000_000) { [weak self] in self?.beat(on: $0) }
    }
  }

  extension Socket {
    /// How many segments were sent again, attempts to connect among them: `tcpi_total_retrans` of
    /// `struct tcp_info`, behind eight bytes and 23 numbers.
    fileprivate var repeatedSegments: Int {
      var info = [UInt32](repeating: 0, count: 64)
      var size = socklen_t(info.count * MemoryLayout<UInt32>.stride)
      guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else {
        return -1
      }
      return Int(info[25])
    }
  }
#endif
