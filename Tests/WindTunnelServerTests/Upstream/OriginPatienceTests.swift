import Origins
import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelServer
@testable import WindTunnelWire

/// Origins that do not answer, and clients that do not wait for them.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct OriginPatienceTests {
  private static func limits(_ set: (inout Limits) -> Void) -> Limits {
    var limits = Limits.patient
    set(&limits)
    return limits
  }

  #if os(Linux)
    @Test(arguments: [false, true])
    func `an origin that takes no connection is a 502, and timed out on the tape`(isTunnel: Bool)
      async throws
    {
      let hole = try Socket.listening(at: .loopback(), backlog: 0)
      let address = try #require(hole.localAddress)
      // One waits there for ever; the system drops what the next one says.
      let first = try RawClient(address)
      defer {
        first.close()
        hole.close()
      }
      let limits = Self.limits { $0.connectSeconds = 0.3 }
      try await ReplayServer.proxying(mode: .newEpisodes, limits: limits) { server, deck, seen in
        let url = "http://\(address)/a"
        let asked =
          isTunnel ? "CONNECT \(address) HTTP/1.1\r\nHost: x\r\n\r\n" : closing("GET \(url)")
        let answer = try await server.answer(to: asked)
        expectEqual(answer.statusLine, "HTTP/1.1 502 Bad Gateway")
        #expect(answer.content.contains("\(address) did not respond in time"))
        let failure = Failure(.timedOut, text: "\(address) did not respond in time")
        let request =
          isTunnel ? Request("CONNECT", .init("https://\(address)")) : Request("GET", .init(url))
        expectEqual(deck.recordedWithoutTimes, [Interaction(request, .failure(failure))])
        await expectEqual(seen.first(1).count, 1)
      }
    }
  #endif

  @Test func `a silent origin causes a 502, is recorded as timed out, and is disconnected`()
    async throws
  {
    let origin = try await Origin { $0.contains("\r\n\r\n") ? ([], .stays) : nil }
    let limits = Self.limits { $0.responseSeconds = 0.3 }
    try await ReplayServer.proxying(mode: .newEpisodes, limits: limits) { server, deck, _ in
      let answer = try await server.answer(to: closing("GET \(origin.url)"))
      expectEqual(answer.statusLine, "HTTP/1.1 502 Bad Gateway")
      #expect(answer.content.contains(" failed: the server sent nothing for 0.3 s.\n"), "\(answer)")
      #expect(try await origin.left.next())
      expectEqual(
        deck.recordedWithoutTimes.map(\.result),
        [.failure(Failure(.timedOut, text: "the server sent nothing for 0.3 s"))]
      )
    }
  }

  @Test func `an origin is given up after that time and not after twice as long`() async throws {
    let address = try await EventLoop.serve { script in
      script.received = { channel, _ in
        channel.reactor.schedule(after: 1_900_000_000) { [weak channel] _ in
          channel?.write(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
        }
      }
    }
    let limits = Self.limits { $0.responseSeconds = 1 }
    try await ReplayServer.proxying(mode: .newEpisodes, limits: limits) { server, deck, _ in
      let answer = try await server.answer(to: closing("GET http://\(address)/"))
      expectEqual(answer.statusLine, "HTTP/1.1 502 Bad Gateway")
      expectEqual(
        deck.recordedWithoutTimes.map(\.result),
        [.failure(Failure(.timedOut, text: "the server sent nothing for 1 s"))]
      )
    }
  }

  @Test func `a stalled response is recorded as cut, as the client received it`()
    async throws
  {
    let origin = try await Origin { _ in
      (["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"], .stays)
    }
    let limits = Self.limits { $0.responseSeconds = 0.3 }
    try await ReplayServer.proxying(mode: .newEpisodes, limits: limits) { server, deck, _ in
      let answer = try await server.answer(to: closing("GET \(origin.url)"))
      expectEqual(answer.content, "hello")
      #expect(try await origin.left.next())
      guard case .cut(let response, let failure) = deck.recordedWithoutTimes.first?.result else {
        Issue.record("\(deck.recordedWithoutTimes)")
        return
      }
      #expect(response.body == Body("hello") && failure.symptom == .timedOut)
    }
  }

  @Test func `an answer that drips for longer than that is whole`() async throws {
    let address = try await EventLoop.serve { script in
      script.received = { channel, _ in
        channel.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n".utf8))
        var left = 15
        func drip(_ reactor: Reactor) {
          channel.write(Array("x".utf8))
          left -= 1
          if left > 0 { reactor.schedule(after: 100_000_000) { drip($0) } }
        }
        drip(channel.reactor)
      }
    }
    let limits = Self.limits { $0.responseSeconds = 1 }
    try await ReplayServer.proxying(limits: limits) { server, _, _ async throws in
      let answer = try await server.answer(to: closing("GET http://\(address)/"))
      expectEqual(answer.content, String(repeating: "x", count: 15))
    }
  }

  @Test(arguments: [false, true])
  func `a client that leaves while its origin is asked takes the connection with it`(
    isReset: Bool
  ) async throws {
    let origin = try await Origin { $0.contains("\r\n\r\n") ? ([], .stays) : nil }
    let limits = Self.limits { $0.halfClosedSeconds = 0.2 }
    try await ReplayServer.proxying(mode: .newEpisodes, limits: limits) { server, deck, seen in
      let client = try server.client()
      await client.send(closing("GET \(origin.url)"))
      _ = try await origin.asked.next()
      if isReset { client.socket.resetOnClose() }
      client.close()
      #expect(try await origin.left.next())
      guard case .request(let request) = try await seen.next() else { return }
      #expect(request.end.ending == .clientLeft && request.end.status == nil)
      let left = Failure(.cancelled, text: "the client left")
      expectEqual(deck.recorded().cassette.interactions.map(\.result), [.failure(left)])
    }
  }

  @Test func `a client that only says that it sends no more gets its answer`() async throws {
    let origin = try await Origin(holdingFirstUntilAnotherCame: "HTTP/1.1 204 No Content\r\n\r\n")
    try await ReplayServer.proxying { server, _, _ async throws in
      let client = try server.client()
      let base = origin.url.origin ?? ""
      await client.send(closing("GET \(base)/first"))
      client.socket.finishWriting()
      _ = try await origin.asked.next()
      _ = try await server.answer(to: closing("GET \(base)/second"))
      let (bytes, end) = await client.finish()
      expectEqual(String(decoding: bytes, as: UTF8.self).statusLine, "HTTP/1.1 204 No Content")
      expectEqual(end, .finished)
    }
  }
}
