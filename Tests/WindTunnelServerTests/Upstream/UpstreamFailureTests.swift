import Foundation
import Origins
import TestSupport
import Testing
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelHTTP
@testable import WindTunnelServer

/// An upstream that fails: what the client sees and what the tape says.
@Suite(.timeLimit(.minutes(5))) struct UpstreamFailureTests {
  @Test func `an upstream that refuses is a 502 and a failure on the tape`() async throws {
    let port = try ClosedPort()
    let deck = Deck(Cassette(), mode: .rewrite)
    var options = ReplayServer.Options.patient
    options.upstream = try Upstream(RequestURL("http://127.0.0.1:\(port.port)"))
    try await ReplayServer.serving(deck, options) { server async throws in
      let answer = try await server.answer(to: "GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
      expectEqual(answer.statusLine, "HTTP/1.1 502 Bad Gateway")
    }
    let failures = deck.recordedWithoutTimes.map { interaction -> Symptom? in
      guard case .failure(let failure) = interaction.result else { return nil }
      return failure.symptom
    }
    expectEqual(failures, [.connectionRefused])
    withExtendedLifetime(port) {}
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", Origin.End.close, Symptom.truncated),
    ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", .reset, .connectionLost),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", .close, .truncated),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n", .stays,
      .malformedResponse
    ),
  ])
  func `an answer that breaks off breaks off for the client and on the tape`(
    text: String,
    end: Origin.End,
    symptom: Symptom
  ) async throws {
    let origin = try await Origin { _ in ([text], end) }
    try await origin.recording { server, deck async throws in
      let client = try server.client()
      await client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
      let (bytes, ending) = await client.receiveAll()
      let answer = String(decoding: bytes, as: UTF8.self)
      client.close()
      expectEqual(ending, (symptom == .connectionLost ? .reset : .finished))
      #expect(answer.content.contains("hello") && !answer.hasSuffix("0\r\n\r\n"))
      let recorded = try #require(deck.recorded().cassette.interactions.first)
      guard case .cut(let response, let failure) = recorded.result else {
        Issue.record("\(recorded.result)")
        return
      }
      expectEqual(response.body, Body("hello"))
      expectEqual(failure.symptom, symptom)
    }
  }

  @Test(arguments: [
    ("", Origin.End.close, Symptom.emptyAnswer), ("", .reset, .connectionLost),
    ("HTTP/1.1 200 OK\r\nX-A", .close, .connectionLost),
    ("what?\r\n\r\n", .close, .malformedResponse),
    // Nobody asked for another protocol.
    ("HTTP/1.1 101 Switching Protocols\r\n\r\nhello", .stays, .malformedResponse),
  ])
  func `an upstream without an answer is a 502 and a failure`(
    text: String,
    end: Origin.End,
    symptom: Symptom
  ) async throws {
    let origin = try await Origin { _ in ([text], end) }
    try await origin.recording { server, deck async throws in
      let answer = try await server.answer(to: "GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
      expectEqual(answer.statusLine, "HTTP/1.1 502 Bad Gateway")
      let recorded = try #require(deck.recorded().cassette.interactions.first)
      guard case .failure(let failure) = recorded.result else {
        Issue.record("\(recorded.result)")
        return
      }
      expectEqual(failure.symptom, symptom)
    }
  }
}
