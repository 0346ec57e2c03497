import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer
@testable import WindTunnelWire

/// What RFC 9110 and RFC 9112 say about requests, case by case, as a client on a socket sees it: the
/// answers, and whether the connection serves a next request.
@Suite(.timeLimit(.minutes(5))) struct RequestCasesTests {
  private static let deck: Deck = {
    var stubs: [Stub] = ["/a", "/after", "/smuggled"].flatMap { path in
      [
        Stub.get(RequestURL(path)) { .text(Body("\($0.method) \($0.url.path)")) },
        .post(RequestURL(path)) { .text(Body("\($0.body.data.count) \($0.body.text ?? "-")")) },
      ]
    }
    for (request, response) in [
      (Request("HEAD", "/head"), Response(headers: ["Content-Length": "70"])),
      (Request("GET", "/none"), Response(status: 204)),
      (Request("GET", "/same"), Response(status: 304, headers: ["Content-Length": "70"])),
    ] {
      stubs.append(.recorded(Interaction(request, response, then: .repeat)))
    }
    return Deck(stubs, matcher: .pathAndQuery)
  }()

  /// The answers in a text, in the form of a case.
  private static func answers(_ bytes: [UInt8], to methods: [String]) -> [String] {
    var parser = ResponseParser()
    parser.feed(bytes)
    parser.feedEnd()
    var answers: [String] = []
    for method in methods {
      parser.expectAnswer(to: method)
      var answer = ""
      while let event = parser.next() {
        switch event {
        case .head(let start): answer = start.head.status == 200 ? "200 " : "\(start.head.status)"
        case .content(let data):
          if answer.hasPrefix("200 ") { answer += String(decoding: data, as: UTF8.self) }
        case .trailers: break
        case .failed(let error): answer = "failed: \(error)"
        case .end: break
        }
        if event == .end { break }
        if case .failed = event { break }
      }
      answers.append(answer)
    }
    if parser.bufferedBytes > 0 { answers.append("\(parser.bufferedBytes) bytes more") }
    return answers
  }

  @Test(arguments: try RequestCase.all())
  func `a request gets what the RFC says, and so does what follows it`(example: RequestCase)
    async throws
  {
    var options = ReplayServer.Options.patient
    // By default a port speaks HTTP/2 with a client that begins so.
    if example.bytes.hasPrefix("PRI * HTTP/2.0") { options.httpVersions = .http1 }
    try await ReplayServer.serving(Self.deck, options) { server async throws in
      let (bytes, end) = try await server.client().all(
        after:
          example.bytes + "GET /after HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
      )
      let after = example.isKept ? (["GET"], ["200 GET /after"]) : ([], [])
      expectEqual(Self.answers(bytes, to: example.methods + after.0), example.answers + after.1)
      expectEqual(end, .finished)
    }
  }

  @Test func `a whole URL names the server, whatever Host says`() async throws {
    let moved = Interaction(
      Request("GET", "https://api.example.test/a"),
      Response(status: 302, headers: ["Location": "https://api.example.test/b"])
    )
    try await ReplayServer.serving(Deck(Cassette([moved]))) { server async throws in
      let answer = try await server.answer(to: closing("GET \(server.url)/a", host: "other.test"))
      #expect(answer.hasPrefix("HTTP/1.1 302 Found\r\nLocation: \(server.url)/b\r\n"), "\(answer)")
    }
  }
}
