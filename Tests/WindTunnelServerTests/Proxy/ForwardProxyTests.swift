import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelServer

@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct ForwardProxyTests {
  private static let end = "Connection: close\r\n\r\n"

  private func get(_ url: String, _ more: String = "") -> String {
    let host = RequestURL(url).host ?? ""
    return "GET \(url) HTTP/1.1\r\nHost: \(host)\r\n\(more)\(Self.end)"
  }

  @Test func `a whole URL is asked of its host, without what speaks of the proxy`() async throws {
    let origin = try await Origin { _ in
      (
        [
          "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/next\r\nContent-Length: 2\r\n\r\n",
          "ok",
        ], .stays
      )
    }
    try await ReplayServer.proxying { server, _, seen async throws in
      let url = "http://127.0.0.1:\(origin.address.port)/a?b=c"
      let answer = try await server.answer(
        to: get(
          url,
          "Proxy-Connection: keep-alive\r\nProxy-Authorization: Basic aW52ZW50ZWQ6eA==\r\nX-Q: 1\r\n"
        )
      )
      expectEqual(
        answer,
        "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/next\r\nContent-Length: 2\r\n"
          + "Connection: close\r\n\r\nok"
      )
      try await expectEqual(
        origin.asked.next(),
        "GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:\(origin.address.port)\r\nX-Q: 1\r\n\r\n"
      )
      try await expectEqual(
        seen.next().timeless,
        .request(url, 302, bytes: 2, location: "http://127.0.0.1/next")
      )
    }
  }

  @Test func `several requests on one connection go where each says`() async throws {
    let first = try await Origin(saying: "1")
    let second = try await Origin(saying: "2")
    try await ReplayServer.proxying { server, _, _ async throws in
      let head = "HTTP/1.1\r\nHost: x\r\n"
      let answer = try await server.answer(
        to: "GET \(first.url) \(head)\r\nGET \(second.url) \(head)\(Self.end)"
      )
      expectEqual(answer.count(of: "200 OK"), 2)
      #expect(answer.contains("\r\n\r\n1HTTP/1.1") && answer.hasSuffix("\r\n\r\n2"))
    }
  }

  @Test func `an exchange in flight is reported when the proxy stops`() async throws {
    let origin = try await Origin { _ in
      (["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "ok"], .stays)
    }
    try await ReplayServer.proxying { server, _, seen async throws in
      let client = try server.client()
      await client.send(get("\(origin.url)"))
      _ = await client.receive(atLeast: 59)
      await server.stop(grace: .zero)
      let ended = EndedExchange.request("\(origin.url)", 200, bytes: 2, .stopped)
      try await expectEqual(seen.next().timeless, ended)
      client.close()
    }
  }

  @Test func `the link delays and slows what plain HTTP brings`() async throws {
    let body = String(repeating: "x", count: 20_000)
    let origin = try await Origin { _ in
      (["HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n", body], .stays)
    }
    let link = Link(
      up: .init(delay: .milliseconds(20)),
      down: .init(delay: .milliseconds(30), bitsPerSecond: 1_600_000, queueBytes: 4096)
    )
    try await ReplayServer.proxying(Scenario("slow", link: link)) { server, _, seen async throws in
      let start = ContinuousClock.now
      let answer = try await server.answer(to: get("\(origin.url)"))
      expectEqual(answer.content, body)
      #expect(ContinuousClock.now - start >= .milliseconds(200))
      guard case .request(let request) = try await seen.next() else { return }
      #expect(request.end.latency >= .milliseconds(200) && request.end.ending == .whole)
    }
  }

  @Test func `a host that cannot be reached is a 502 in words, and on the tape what it was`()
    async throws
  {
    let port = try ClosedPort()
    let url = "http://127.0.0.1:\(port.port)/a"
    try await ReplayServer.proxying(mode: .newEpisodes) { server, deck, seen async throws in
      let answer = try await server.answer(to: get(url))
      expectEqual(answer.statusLine, "HTTP/1.1 502 Bad Gateway")
      let words = "127.0.0.1:\(port.port) refused the connection"
      #expect(answer.content.contains(words))
      expectEqual(
        deck.recordedWithoutTimes.map(\.result),
        [.failure(Failure(.connectionRefused, text: words))]
      )
      guard case .request(let request) = try await seen.next() else { return }
      #expect(request.end.ending == .failed(.connectionRefused) && request.end.status == 502)
    }
  }

  @Test func `what passes is recorded under its own name, and played the next time`() async throws {
    let origin = try await Origin(saying: "ok")
    let url = "\(origin.url.origin ?? "")/a"
    let tape = try await ReplayServer.proxying(mode: .newEpisodes) { server, deck, _ async throws in
      try await expectEqual(server.answer(to: get(url)).content, "ok")
      return deck.recorded().cassette
    }
    expectEqual(tape.interactions.map(\.request.url.description), [url])
    await origin.loop.stop()
    try await ReplayServer.proxying(tape: tape) { server, _, _ async throws in
      try await expectEqual(server.answer(to: get(url)).content, "ok")
      let miss = try await server.answer(to: get("\(origin.url)/b"))
      expectEqual(miss.statusLine, "HTTP/1.1 501 Not Implemented")
      let tunnel = "CONNECT \(origin.address) HTTP/1.1\r\nHost: x\r\n\r\n"
      let refusal = try await server.answer(to: tunnel)
      expectEqual(refusal.statusLine, "HTTP/1.1 501 Not Implemented")
      #expect(refusal.contains("is on the cassette"))
    }
  }

  @Test func `a throttled body comes whole through a proxy, and no faster`() async throws {
    let url = "http://api.example.test/a"
    let body = String(repeating: "0123456789", count: 3)
    let response = Response(headers: ["Content-Length": "30"], body: Body(body))
    let tape = Cassette([Interaction(Request("GET", RequestURL(url)), response)])
    let scenario: Scenario = [.on("GET /a", .always, .throttle(bytesPerSecond: 200))]
    try await ReplayServer.proxying(scenario, tape: tape) { server, _, _ async throws in
      let start = ContinuousClock.now
      try await expectEqual(server.answer(to: get(url)).content, body)
      // Three pieces of ten bytes, and a twentieth of a second between two of them.
      #expect(.now - start >= .milliseconds(100))
    }
  }

  @Test func `faults act on plain HTTP, and the connection's are the proxy's`() async throws {
    let scenario: Scenario = [
      .on("GET http://127.0.0.1/a", .first(1), .status(503, retryAfter: .seconds(1))),
      .always(.attempt(2), .connection(.refused)),
    ]
    let origin = try await Origin(saying: "ok")
    try await ReplayServer.proxying(scenario) { server, _, _ async throws in
      let url = "\(origin.url.origin ?? "")/a"
      let answers = [
        try await server.answer(to: get(url)), try await server.answer(to: get(url)),
        try await server.answer(to: get(url)),
      ]
      #expect(answers[0].hasPrefix("HTTP/1.1 503") && answers[0].contains("Retry-After: 1\r\n"))
      #expect(answers[1].hasPrefix("HTTP/1.1 502"))
      expectEqual(answers[2].content, "ok")
    }
  }

  @Test(arguments: try TestData.rows("refused-by-proxy.json", count: 18) as [(String, Int, String)])
  func `what a proxy is not asked for is refused in words`(head: String, status: Int, words: String)
    async throws
  {
    try await ReplayServer.proxying { server, _, _ async throws in
      let answer = try await server.answer(to: head + Self.end)
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
      #expect(answer.content.contains(words), "\(answer)")
    }
  }

  @Test func `a device that does not use the proxy yet is told how, and whether it does`()
    async throws
  {
    try await ReplayServer.proxying { server, _, _ async throws in
      let end = Self.end
      let page = try await server.answer(
        to: "GET / HTTP/1.1\r\nHost: [fd00::5]:8888\r\n\(end)"
      ).content
      #expect(page.contains("Server <strong>fd00::5</strong>, port\n<strong>8888</strong>"))
      #expect(page.contains("src=\"http://wind.tunnel/works.svg\""))
      #expect(page.contains("alt=\"Not yet: this device does not use the proxy.\""))
      #expect(page.contains("Tunnels stay closed") && !page.contains("The proxy works"))
      let odd = try await server.answer(to: "GET / HTTP/1.1\r\nHost: a\"><b>\r\n\(end)")
      #expect(odd.statusLine == "HTTP/1.1 400 Bad Request" && odd.contains("text/plain"))
      let picture = try await server.answer(to: get("http://wind.tunnel/works.svg"))
      #expect(picture.contains("Content-Type: image/svg+xml\r\n"))
      #expect(picture.contains("Cache-Control: no-store\r\n") && picture.contains("It works"))
    }
  }

  @Test func `the page offers the certificate where there is one`() async throws {
    var proxy = Proxying()
    proxy.authority = "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n"
    try await ReplayServer.proxying(as: proxy) { server, _, _ async throws in
      let page = try await server.answer(to: get("http://wind.tunnel/"))
      #expect(page.contains("href=\"/ca.cer\"") && page.contains("Certificate Trust Settings"))
      let der = try await server.answer(to: get("http://wind.tunnel/ca.cer"))
      #expect(der.contains("Content-Type: application/x-x509-ca-cert\r\n"))
      expectEqual(Array(der.content.utf8), [1, 2, 3])
      // By the proxy's own address as well, since it may be installed before the proxy is used.
      let own = "HTTP/1.1\r\nHost: 127.0.0.1:8888\r\n\(Self.end)"
      let instructions = try await server.answer(to: "GET / \(own)")
      #expect(instructions.contains("href=\"/ca.cer\""))
      expectEqual(Array(try await server.answer(to: "GET /ca.cer \(own)").content.utf8), [1, 2, 3])
    }
  }

  @Test func `names are looked up beside the loop, and a slow one holds nobody up`() async throws {
    let echo = try await Echo()
    let gate = DispatchSemaphore(value: 0)
    let port = echo.address.port
    let resolver = Resolver { host, _ in
      if host == "slow.test" { gate.wait() }
      return host == "gone.test"
        ? .failure(SocketError(.resolve, EAI_NONAME))
        : .success([.loopback(port: port)])
    }
    try await ReplayServer.proxying(as: Proxying(resolver)) { server, _, _ async throws in
      let slow = try server.client()
      await slow.send("CONNECT slow.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")
      let gone = try await server.answer(to: get("http://gone.test/"))
      #expect(gone.hasPrefix("HTTP/1.1 502") && gone.contains("no address was found"))
      let quick = try server.client()
      await quick.send("CONNECT quick.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")
      let established = Array("HTTP/1.1 200 Connection Established\r\n\r\n".utf8)
      await expectEqual(quick.receive(exactly: established.count), established)
      gate.signal()
      await expectEqual(slow.receive(exactly: established.count), established)
      quick.close()
      slow.close()
    }
  }

  @Test func `a scenario that is swapped acts on what comes after it`() async throws {
    let echo = try await Echo()
    try await ReplayServer.proxying { server, deck, _ async throws in
      let open = try await server.tunnel(to: echo.address)
      deck.swap([.on("CONNECT *", .always, .status(407))])
      let refused = try await server.answer(
        to: "CONNECT \(echo.address) HTTP/1.1\r\nHost: x\r\n\r\n"
      )
      #expect(refused.hasPrefix("HTTP/1.1 407 "))
      await open.send("still")
      await expectEqual(open.receive(exactly: 5), Array("still".utf8))
      open.close()
    }
  }

  #if os(Linux)
    @Test func `a URLSession behind http_proxy meets the proxy's faults`() async throws {
      let origin = try await Origin(saying: "ok")
      let url = "\(origin.url.origin ?? "")/a"
      try await ReplayServer.proxying([.always(.first(1), .status(418))]) {
        server,
        _,
        seen async throws in
        let port = server.port
        // The variable is read once in a process's life.
        await #expect(processExitsWith: .exitCode(3)) { [port = port as Int, url = url as String] in
          setenv("http_proxy", "http://127.0.0.1:\(port)", 1)
          let address = try #require(URL(string: url))
          var statuses: [Int?] = []
          for _ in 0..<2 {
            statuses.append(
              await withCheckedContinuation { continuation in
                URLSession.shared.dataTask(with: address) { _, response, _ in
                  continuation.resume(returning: (response as? HTTPURLResponse)?.statusCode)
                }.resume()
              }
            )
          }
          exit(statuses == [418, 200] ? 3 : 4)
        }
        await expectEqual(seen.first(2).count, 2)
      }
    }
  #endif
}
