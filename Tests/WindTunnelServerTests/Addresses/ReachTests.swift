import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelRedaction
@testable import WindTunnelServer
@testable import WindTunnelWire

// Linux routes all of 127/8 to itself, so one machine can be several: 127.0.0.1, at which the proxy
// listens, is the machine, and 127.0.0.2 another.
#if os(Linux)
  /// Where a proxy connects another machine to, on the wire.
  @Suite(.timeLimit(.minutes(5)), .stopsLoops) struct ReachTests {
    private static let device = "127.0.0.2"
    private static let forbidden = "HTTP/1.1 403 Forbidden"
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func get(_ authority: String, _ more: String = "Connection: close\r\n") -> String
    {
      "GET http://\(authority)/a HTTP/1.1\r\nHost: x\r\n\(more)\r\n"
    }

    private static func connect(_ authority: String) -> String {
      "CONNECT \(authority) HTTP/1.1\r\nHost: x\r\n\r\n"
    }

    /// Two servers of this machine that answer everybody.
    private static func withOrigins(
      _ body: (_ origin: Origin, _ other: Origin) async throws -> Void
    ) async throws {
      let origin = try await Origin { _ in ([ok], .stays) }
      let other = try await Origin { _ in ([ok], .stays) }
      try await body(origin, other)
    }

    @Test(arguments: [
      "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "017700000001",
      "0177.0.0.1", "127.9.9.9", "localhost", "0", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "169.254.169.254", "[fe80::1]",
      "224.0.0.1", "10.99.0.1", "100.64.0.1", "[fd00:99::1]",
    ])
    func `another machine does not get to this one, by URL and by CONNECT`(host: String)
      async throws
    {
      try await Self.withOrigins { origin, _ async throws in
        try await ReplayServer.proxying(mode: .newEpisodes) { server, deck, seen async throws in
          let place = "\(host):\(origin.address.port)"
          for question in [Self.get(place), Self.connect(place)] {
            let answer = try await server.answer(to: question, from: Self.device)
            expectEqual(answer.statusLine, Self.forbidden, "\(question)")
            #expect(answer.content.contains(" the proxy does not connect other machines to it."))
          }
          // It is the proxy's doing and no host's.
          expectEqual(deck.recordedWithoutTimes, [])
          let ended = await seen.first(2)
          guard case .request(let request) = ended[0],
            case .tunnel(let tunnel) = ended[1]
          else {
            Issue.record("\(ended)")
            return
          }
          #expect(request.end.status == 403 && request.end.ending == .whole)
          expectEqual(tunnel.reason, .refused(403))
        }
      }
    }

    @Test func `this machine itself gets everywhere, as before`() async throws {
      try await Self.withOrigins { origin, _ async throws in
        try await ReplayServer.proxying { server, _, _ async throws in
          let answer = try await server.answer(to: Self.get("\(origin.address)"))
          expectEqual(answer.content, "ok")
          try await server.tunnel(to: origin.address).close()
        }
      }
    }

    @Test func `what is let in by name is, and a redirect from there leads no further`()
      async throws
    {
      try await Self.withOrigins { origin, other async throws in
        let moved =
          "HTTP/1.1 302 Found\r\nLocation: http://\(other.address)/\r\nContent-Length: 0\r\n\r\n"
        let leading = try await Origin { _ in ([moved], .stays) }
        var proxy = Proxying()
        proxy.allowedAddresses = [leading, origin].compactMap { AllowedAddress("\($0.address)") }
        let noticed = Events<PeerEvent>()
        proxy.notice = { noticed($0) }
        try await ReplayServer.proxying(as: proxy) { server, _, _ async throws in
          let first = try await server.answer(to: Self.get("\(leading.address)"), from: Self.device)
          expectEqual(first.statusLine, "HTTP/1.1 302 Found")
          let next = try await server.answer(to: Self.get("\(other.address)"), from: Self.device)
          expectEqual(next.statusLine, Self.forbidden)
          let allowed = try await server.answer(
            to: Self.get("\(origin.address)"),
            from: Self.device
          )
          expectEqual(allowed.content, "ok")
          try await expectEqual(
            noticed.next(),
            .notConnected(Self.device, AddressRefusal(address: other.address, reason: .loopback))
          )
        }
      }
    }

    @Test func `a name is looked up once, and each of its addresses is judged by itself`()
      async throws
    {
      try await Self.withOrigins { origin, other async throws in
        let lookups = Locked<[String]>([])
        let (allowed, refused) = (origin.address, other.address)
        let resolver = Resolver { host, _ in
          let count = lookups.withLock { names in
            names.append(host)
            return names.count { $0 == host }
          }
          switch host {
          case "several.test": return .success([refused, allowed])
          // It leads elsewhere from the second time on.
          case "turning.test": return .success([count == 1 ? allowed : refused])
          default: return .success([refused, .loopback(port: 1)])
          }
        }
        var proxy = Proxying(resolver)
        proxy.allowedAddresses = [try #require(AllowedAddress("\(allowed)"))]
        try await ReplayServer.proxying(as: proxy) { server, _, _ async throws in
          func ask(_ text: String) async throws -> String {
            try await server.answer(to: text, from: Self.device)
          }
          try await expectEqual(ask(Self.get("several.test")).content, "ok")
          try await expectEqual(ask(Self.get("turning.test")).content, "ok")
          try await expectEqual(ask(Self.get("turning.test")).statusLine, Self.forbidden)
          try await expectEqual(ask(Self.connect("turning.test:80")).statusLine, Self.forbidden)
          try await expectEqual(ask(Self.get("none.test")).statusLine, Self.forbidden)
          try await expectEqual(ask(Self.connect("none.test:80")).statusLine, Self.forbidden)
        }
        expectEqual(
          lookups.withLock { $0 },
          ["several.test"] + Array(repeating: "turning.test", count: 3)
            + ["none.test", "none.test"]
        )
        await expectEqual(origin.asked.first(2).count, 2)
      }
    }

    @Test func `a connection that this machine has opened is not another's`() async throws {
      try await Self.withOrigins { origin, _ async throws in
        try await ReplayServer.proxying { server, _, _ async throws in
          let question = Self.get("\(origin.address)", "")
          var clients: [RawClient] = []
          // Connections are dealt to two loops in turn, and each keeps its own to the origin.
          for host in ["127.0.0.1", "127.0.0.1", Self.device, Self.device] {
            let client = try RawClient(.loopback(port: server.port), from: host)
            clients.append(client)
            await client.send(question)
            let answer = String(decoding: await client.receive(atLeast: 40), as: UTF8.self)
            expectEqual(
              answer.statusLine,
              (host == Self.device ? Self.forbidden : "HTTP/1.1 200 OK")
            )
          }
          for client in clients { client.close() }
        }
        let asked = await origin.asked.first(2)
        expectEqual(asked.count, 2)
      }
    }

    @Test(.enabled(if: TLSKit.isThere, TLSKit.isMissing))
    func `a request in an opened tunnel to this machine is refused like the tunnel itself`()
      async throws
    {
      try await Self.withOrigins { origin, _ async throws in
        // Who does not come from 127.0.0.9 is another machine than the proxy's.
        try await OpenTunnelTests.opening(mode: .newEpisodes, at: "127.0.0.9") {
          server,
          deck,
          _ async throws in
          let place = "localhost:\(origin.address.port)"
          let text = closing("GET /a")
          let heard = try await OpenTunnelTests.ask(server, through: place, text).heard
          expectEqual(heard.statusLine, Self.forbidden, "\(heard)")
          expectEqual(deck.recordedWithoutTimes, [])
        }
      }
    }
  }
#endif
