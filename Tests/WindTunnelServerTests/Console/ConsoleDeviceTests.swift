import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// One device of the local network at a console's port, over real sockets.
@Suite(.timeLimit(.minutes(5))) struct ConsoleDeviceTests {
  /// An address of this machine beside the loopback ones; `nil` where it has none.
  private static let host: String? = SocketAddress("192.0.2.1", port: 9).flatMap {
    if case .at(let own) = OwnMachine.localEnd(towards: $0), !PrivateAddress.isLoopback(own.host) {
      own.host
    } else {
      nil
    }
  }

  /// The line that sets a cookie, and the field that sends it back.
  private static func cookie(in answer: String) throws -> (line: Substring, field: String) {
    let name = "Set-Cookie: "
    let line = try #require(answer.split(separator: "\r\n").first { $0.hasPrefix(name) })
    return (line, "Cookie: \(line.dropFirst(name.count).prefix { $0 != ";" })\r\n")
  }

  private func ask(_ host: String, _ port: Int, _ path: String, _ fields: String = "") async throws
    -> String
  {
    let client = try RawClient(try #require(SocketAddress(host, port: port)))
    defer { client.close() }
    let named = fields.contains("Host:") ? "" : "Host: \(host):\(port)\r\n"
    await client.send("GET \(path) HTTP/1.1\r\n\(named)Connection: close\r\n\(fields)\r\n")
    return String(decoding: await client.receiveAll().0, as: UTF8.self)
  }

  @Test(.enabled(if: host != nil, "a machine with an address beside the loopback ones"))
  func `a device that is behind the proxy sees the console through it, and as no exchange`()
    async throws
  {
    let host = try #require(Self.host)
    let console = Console(.proxy)
    let deck = Deck(
      Cassette(),
      options: PlaybackOptions(then: .repeat, isProxied: true),
      observe: { console.observe($0) }
    )
    var options = ReplayServer.Options.patient
    var proxy = Proxying()
    proxy.admission = .code("123456")
    (options.proxy, options.host) = (proxy, host)
    var settings = ConsolePort(console)
    settings.lan = (host, "123456")
    settings.scenarios = [.calm, Scenario("rain", rules: [.on("GET *", .always, .status(429))])]
    options.console = settings
    try await ReplayServer.serving(deck, options) { server in
      let url = try #require(server.consoleURL(at: host))
      func ask(_ line: String, _ fields: String = "", _ body: String = "") async throws -> String {
        let client = try RawClient(try #require(SocketAddress(host, port: server.port)))
        defer { client.close() }
        let place = try #require(RequestURL(url).port)
        await client.send(
          "\(line) HTTP/1.1\r\nHost: \(host):\(place)\r\nConnection: close\r\n\(fields)"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return String(decoding: await client.receiveAll().0, as: UTF8.self)
      }
      let guide = try await ask("GET http://wind.tunnel/")
      #expect(guide.contains("<a href=\"\(url)\">The console</a>"))
      #expect(try await ask("GET \(url)").contains(#"<form action="/">"#))
      let paired = try await ask("GET \(url)?code=123456")
      #expect(paired.statusLine.contains(" 303 "))
      let cookie = try Self.cookie(in: paired).field
      let page = try await ask("GET \(url)", cookie)
      #expect(page.statusLine.hasSuffix("200 OK") && page.contains("Content-Security-Policy"))
      let own = "Origin: \(url.dropLast())\r\nContent-Type: application/json\r\n"
      let change = #"{"name":"rain"}"#
      let changed = try await ask("PUT \(url)scenario", cookie + own, change)
      expectEqual(changed.content, #"{"segment":2}"#, "\(changed)")
      let stranger = "Origin: http://\(host)\r\nContent-Type: application/json\r\n"
      let refused = try await ask("PUT \(url)scenario", cookie + stranger, change)
      #expect(refused.statusLine.contains(" 403 "), "a page at another port")
      let client = try RawClient(try #require(SocketAddress(host, port: server.port)))
      await client.send("GET \(url)events HTTP/1.1\r\nHost: \(host)\r\n\(cookie)\r\n")
      #expect(await client.receive(until: "event: segment").contains("event: hello"))
      client.close()
      expectEqual(console.board.counts.kept, 0, "none of it is an exchange")
    }
  }

  @Test(.enabled(if: host != nil, "a machine with an address beside the loopback ones"))
  func `the first device that gives the code is let in, a second and the admin port are not`()
    async throws
  {
    let host = try #require(Self.host)
    var options = ReplayServer.Options.patient
    options.admin = Admin()
    var port = ConsolePort(Console(.proxy))
    port.lan = (host, "123456")
    options.console = port
    try await ReplayServer.serving(Deck(Cassette()), options) { server in
      let port = try #require(server.consoleURL.flatMap { RequestURL($0).port })
      for path in ["/", "/events", "/exchanges", "/?code=654321"] {
        let answer = try await ask(host, port, path)
        #expect(answer.statusLine.contains(" 403 "), "\(path)")
        #expect(answer.content.contains("must enter the code"), "\(answer.content)")
        let isPage = answer.contains("\r\nContent-Type: text/html; charset=utf-8\r\n")
        expectEqual(isPage, (path == "/" || path.hasPrefix("/?")), "a person is shown a field")
        expectEqual(isPage, answer.content.contains(#"<form action="/">"#))
        expectEqual(answer.contains("The code is wrong"), (path == "/?code=654321"))
      }
      let paired = try await ask(host, port, "/?code=123456")
      #expect(paired.statusLine.contains(" 303 ") && paired.contains("\r\nLocation: /\r\n"))
      let (line, cookie) = try Self.cookie(in: paired)
      #expect(line.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
      #expect(try await ask(host, port, "/", cookie).statusLine.hasSuffix("200 OK"))
      let client = try RawClient(try #require(SocketAddress(host, port: port)))
      await client.send("GET /events HTTP/1.1\r\nHost: \(host):\(port)\r\n\(cookie)\r\n")
      #expect(await client.receive(until: "event: segment").contains("event: hello"))
      client.close()
      // The cookie opens no other name, and the code nobody else's door.
      let rebound = try await ask(host, port, "/", "Host: evil.example\r\n\(cookie)")
      #expect(rebound.statusLine.contains(" 403 "))
      for (path, fields) in [("/?code=123456", ""), ("/", "Cookie: windtunnel-console=x\r\n")] {
        let second = try await ask(host, port, path, fields)
        #expect(second.statusLine.contains(" 403 ") && second.content.contains("Another device"))
        #expect(!second.contains("Set-Cookie"))
      }
      #expect(try await ask("127.0.0.1", port, "/").statusLine.hasSuffix("200 OK"))
      let admin = try #require(server.adminURL.flatMap { RequestURL($0).port })
      try await expectEqual(ask(host, admin, "/requests"), "")
    }
  }
}
