import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

// Linux routes all of 127/8 to itself, so one machine can be several: 127.0.0.1, at which the proxy
// listens, is the machine, and others are devices.
#if os(Linux)
  /// How a device gives a proxy's code, on the wire.
  @Suite(.timeLimit(.minutes(5))) struct CodeTests {
    private static let tape = Cassette([
      Interaction(
        Request("GET", "http://api.example.test/a"),
        Response(body: Body("a")),
        then: .repeat
      )
    ])
    private static let question =
      "GET http://api.example.test/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"

    private static func serving(
      _ body: (ReplayServer, Events<PeerEvent>) async throws -> Void
    ) async throws {
      var proxy = Proxying()
      proxy.admission = .code("482913")
      let noticed = Events<PeerEvent>()
      proxy.notice = { noticed($0) }
      try await ReplayServer.proxying(tape: tape, as: proxy) { server, _, _ async throws in
        try await body(server, noticed)
      }
    }

    private static func form(_ code: String, _ target: String = "http://wind.tunnel/code") -> String
    {
      "POST \(target) HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        + "Content-Length: \(code.utf8.count + 5)\r\n\r\ncode=\(code)"
    }

    private static func credentials(_ code: String) -> String {
      "Proxy-Authorization: Basic \(Data("phone:\(code)".utf8).base64EncodedString())\r\n"
    }

    @Test func `an unknown device gets 407 for every request, and this machine does not`()
      async throws
    {
      try await Self.serving { server, noticed async throws in
        let questions = [
          Self.question + "\r\n",
          "CONNECT api.example.test:443 HTTP/1.1\r\nHost: x\r\n\r\n",
          "POST http://api.example.test/a HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\ntoo early",
          Self.question + "Proxy-Authorization: Bearer 482913\r\n\r\n",
          Self.question + "Proxy-Authorization: Basic !\r\n\r\n",
        ]
        for question in questions {
          let answer = try await server.answer(to: question, from: "127.0.0.2")
          expectEqual(answer.statusLine, "HTTP/1.1 407 Proxy Authentication Required")
          #expect(answer.contains("\r\nProxy-Authenticate: Basic realm=\""))
          #expect(answer.contains("\r\nConnection: close\r\n"))
          #expect(answer.content.contains("action=\"http://wind.tunnel/code\""))
        }
        try await expectEqual(noticed.next(), .turnedAway("127.0.0.2"))
        try await expectEqual(server.answer(to: Self.question + "\r\n").content, "a")
      }
    }

    @Test func `the page asks for it, and who has typed it in is served by every connection`()
      async throws
    {
      try await Self.serving { server, noticed async throws in
        // It is open from before, and may be another program's.
        let early = try RawClient(.loopback(port: server.port), from: "127.0.0.2")
        for target in ["http://wind.tunnel/", "http://wind.tunnel/ca.pem", "/"] {
          let page = try await server.answer(
            to: "GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n",
            from: "127.0.0.2"
          )
          expectEqual(page.statusLine, "HTTP/1.1 200 OK")
          #expect(page.content.contains("<form method=\"post\" action=\"/code\">"), "\(page)")
        }
        let wrong = try await server.answer(to: Self.form("482914"), from: "127.0.0.2")
        expectEqual(wrong.statusLine, "HTTP/1.1 403 Forbidden")
        #expect(wrong.content.contains("The code is wrong."))
        let right = try await server.answer(to: Self.form("482+913"), from: "127.0.0.2")
        #expect(
          right.statusLine == "HTTP/1.1 303 See Other" && right.contains("\r\nLocation: /\r\n")
        )
        // Whoever only looked was not turned away.
        await expectEqual(noticed.first(2), [.turnedAway("127.0.0.2"), .admitted("127.0.0.2")])
        let page = try await server.answer(
          to: closing("GET http://wind.tunnel/"),
          from: "127.0.0.2"
        )
        #expect(page.content.contains("You are in the wind tunnel"))
        try await expectEqual(
          server.answer(to: Self.question + "\r\n", from: "127.0.0.2").content,
          "a"
        )
        expectEqual(
          String(decoding: await early.all(after: Self.question + "\r\n").0, as: UTF8.self).content,
          "a"
        )
        let again = try await server.answer(
          to: Self.form("1").replacing("Host: x", with: "Host: x\r\nConnection: close"),
          from: "127.0.0.2"
        )
        expectEqual(again.statusLine, "HTTP/1.1 303 See Other")
        let other = try await server.answer(to: Self.question + "\r\n", from: "127.0.0.3")
        expectEqual(other.statusLine, "HTTP/1.1 407 Proxy Authentication Required")
      }
    }

    @Test func `without the proxy it is given at the proxy's own address`() async throws {
      try await Self.serving { server, _ async throws in
        let right = try await server.answer(to: Self.form("482913", "/code"), from: "127.0.0.2")
        expectEqual(right.statusLine, "HTTP/1.1 303 See Other")
        try await expectEqual(
          server.answer(to: Self.question + "\r\n", from: "127.0.0.2").content,
          "a"
        )
      }
    }

    @Test func `an address that was scanned gives it along`() async throws {
      try await Self.serving { server, noticed async throws in
        func open(_ path: String) async throws -> String {
          try await server.answer(to: closing("GET \(path)"), from: "127.0.0.2")
        }
        let form = try await open("/code")
        #expect(form.statusLine == "HTTP/1.1 200 OK" && form.content.contains("<form"))
        let wrong = try await open(Proxying.path(giving: "482914"))
        expectEqual(wrong.statusLine, "HTTP/1.1 403 Forbidden")
        #expect(wrong.content.contains("The code is wrong."))
        let right = try await open(Proxying.path(giving: "482913"))
        // The page that it leads to has the code no longer in its address.
        #expect(
          right.statusLine == "HTTP/1.1 303 See Other" && right.contains("\r\nLocation: /\r\n")
        )
        await expectEqual(noticed.first(2), [.turnedAway("127.0.0.2"), .admitted("127.0.0.2")])
        #expect(try await open("/").content.contains("Set this proxy"))
        expectEqual(Proxying.path(giving: nil), "/")
      }
    }

    @Test func `a program gives it as the proxy's password, to a CONNECT, too`() async throws {
      try await Self.serving { server, _ async throws in
        func ask(_ code: String, from host: String) async throws -> String {
          try await server.answer(to: Self.question + Self.credentials(code) + "\r\n", from: host)
        }
        try await expectEqual(
          ask("482914", from: "127.0.0.2").statusLine,
          "HTTP/1.1 407 Proxy Authentication Required"
        )
        try await expectEqual(ask("482913", from: "127.0.0.2").content, "a")
        let tunnel = try await server.answer(
          to: "CONNECT api.example.test:443 HTTP/1.1\r\nHost: x\r\n" + Self.credentials("482913")
            + "\r\n",
          from: "127.0.0.3"
        )
        // The tape has the host, and a closed tunnel cannot be answered from it.
        expectEqual(tunnel.statusLine, "HTTP/1.1 501 Not Implemented")
      }
    }

    @Test func `after so many wrong ones an address waits, and no other does`() async throws {
      try await Self.serving { server, noticed async throws in
        _ = try await server.answer(to: Self.form("482913"), from: "127.0.0.2")
        for code in 0..<PeerAuthorizer.wrongCodesMax {
          _ = try await server.answer(to: Self.form("\(code)"), from: "127.0.0.3")
        }
        let form = try await server.answer(to: Self.form("482913"), from: "127.0.0.3")
        expectEqual(form.statusLine, "HTTP/1.1 403 Forbidden")
        #expect(form.content.contains("Codes are not accepted now"))
        let password = try await server.answer(
          to: Self.question + Self.credentials("482913") + "\r\n",
          from: "127.0.0.4"
        )
        expectEqual(password.content, "a")
        let served = try await server.answer(to: Self.question + "\r\n", from: "127.0.0.2")
        expectEqual(served.content, "a")
        let events = await noticed.first(PeerAuthorizer.wrongCodesMax + 3)
        expectEqual(events.first, .admitted("127.0.0.2"))
        expectEqual(events.last, .admitted("127.0.0.4"))
      }
    }

    @Test func `a device without the code has few places and little time`() async throws {
      for seconds in [3600, 0.02] {
        var options = ReplayServer.Options.patient
        (options.loops, options.limits.unpairedSeconds) = (1, seconds)
        options.proxy = Proxying()
        options.proxy?.admission = .code("482913")
        let deck = Deck(Self.tape, options: PlaybackOptions(isProxied: true))
        try await ReplayServer.serving(deck, options) { server in
          let own = try server.client()
          let silent = try (0...PeerQuota.unpairedOfAddressMax).map { _ in
            try RawClient(.loopback(port: server.port), from: "127.0.0.2")
          }
          // One too many is closed at once; after a while all are.
          for client in seconds < 1 ? silent : [silent[PeerQuota.unpairedOfAddressMax]] {
            #expect(await client.receiveAll() == ([], .finished))
          }
          if seconds > 1 {
            let other = try await server.answer(to: Self.question + "\r\n", from: "127.0.0.3")
            expectEqual(other.statusLine, "HTTP/1.1 407 Proxy Authentication Required")
          }
          await own.send(Self.question + "\r\n")
          expectEqual(String(decoding: await own.receiveAll().0, as: UTF8.self).content, "a")
          for client in silent + [own] { client.close() }
        }
      }
    }

    @Test(arguments: [
      "Content-Length: 257\r\n\r\ncode=482913&" + String(repeating: "x", count: 245),
      "Transfer-Encoding: chunked\r\n\r\nb\r\ncode=482913\r\n0\r\n\r\n",
      "Content-Length: 100000000\r\nExpect: 100-continue\r\n\r\n",
      "\r\n",
    ])
    func `a form with more in it than a code is not read`(rest: String) async throws {
      try await Self.serving { server, _ async throws in
        let answer = try await server.answer(
          to: "POST http://wind.tunnel/code HTTP/1.1\r\nHost: x\r\n" + rest,
          from: "127.0.0.2"
        )
        // The page, and not where the code leads; nobody is asked to go on.
        expectEqual(answer.statusLine, "HTTP/1.1 200 OK")
        let next = try await server.answer(to: Self.question + "\r\n", from: "127.0.0.2")
        expectEqual(next.statusLine, "HTTP/1.1 407 Proxy Authentication Required")
      }
    }
  }
#endif
