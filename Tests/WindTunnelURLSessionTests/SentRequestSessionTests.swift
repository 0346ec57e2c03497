import TestSupport
import WindTunnel
import WindTunnelURLSession

/// The requests of sessions, as their deck keeps them.
@Suite(.timeLimit(.minutes(5))) struct SentRequestSessionTests {
  @Test func `a session's fields and content are kept, also of a stream`() async throws {
    let deck = Deck([.post("https://api.example.test/b") { _ in Response(status: 204) }])
    let session = deck.session()
    let url = try #require(URL(string: "https://api.example.test/b"))
    for isStreamed in [false, true] {
      var request = URLRequest(url: url)
      request.httpMethod = "POST"
      request.setValue("one", forHTTPHeaderField: "Idempotency-Key")
      if isStreamed {
        request.httpBodyStream = InputStream(data: Data("sent".utf8))
      } else {
        request.httpBody = Data("sent".utf8)
      }
      await expectEqual(session.seen(request).status, 204)
    }
    session.invalidateAndCancel()
    let sent = deck.requests("POST /b")
    expectEqual(sent.map(\.text), ["sent", "sent"])
    expectEqual(sent.map { $0.headers["Idempotency-Key"] }, ["one", "one"])
    expectEqual(sent.map(\.response), [.stub, .stub])
    #expect(sent.map(\.status) == [204, 204] && sent.map(\.connection) == [nil, nil])
    #expect(sent[0].time == .zero && sent[1].time ?? .zero >= .zero)
  }
}
