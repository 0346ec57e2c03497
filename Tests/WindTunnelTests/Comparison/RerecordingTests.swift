import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

@Suite struct RerecordingTests {
  /// What an origin that does not change answers on a certain day.
  private func answer(_ request: Request, day: Int) -> Interaction {
    var interaction = Interaction(
      request,
      Response(
        headers: [
          "Date": "day \(day)", "X-Request-Id": "id-\(day)-\(request.url.path)",
          "Set-Cookie": "a=b; Path=/; Expires=day \(day); Max-Age=\(day)",
          "Server-Timing": "db;dur=\(day)", "ETag": "\"1\"",
        ],
        body: Body("{\"path\":\"\(request.url.path)\"}")
      )
    )
    interaction.request.headers["traceparent"] = "00-\(day)"
    interaction.timing = Timing(firstByte: .milliseconds(day), lastByte: .milliseconds(2 * day))
    return interaction
  }

  /// The text of a cassette after a recording of these paths.
  private func record(
    _ paths: [String],
    day: Int,
    over cassette: Cassette = Cassette(),
    answered: (Request, Int) -> Interaction
  ) -> Cassette {
    let deck = Deck(cassette, mode: .rewrite)
    for path in paths {
      let outcome = deck.decide(Request("GET", RequestURL("https://a.test\(path)")))
      deck.keep(answered(outcome.request, day), for: outcome)
    }
    return deck.recorded().cassette
  }

  @Test func `an unchanged origin recorded anew gives the same bytes`() {
    let first = record(["/a", "/b", "/a"], day: 1, answered: answer)
    let second = record(["/a", "/b", "/a"], day: 2, over: first, answered: answer)
    expectEqual(second.data(), first.data())
    // Not because nothing was recorded.
    #expect(record(["/a", "/b", "/a"], day: 2, answered: answer).data() != first.data())
  }

  @Test func `a login whose token has other dates changes no byte, and other claims do`() {
    func recorded(_ claims: String, over cassette: Cassette = Cassette()) -> Cassette {
      let token = [#"{"alg":"HS256"}"#, claims, "a signature of nobody"]
        .map { Data($0.utf8).base64EncodedString().replacing("=", with: "") }.joined(separator: ".")
      return record(["/a", "/b"], day: 1, over: cassette) { request, _ in
        var interaction = Interaction(request, .json(["access_token": .text(token), "n": 1]))
        interaction.request.headers["Authorization"] = "Bearer \(token)"
        return interaction
      }
    }
    let first = recorded(#"{"iat":1700000000,"exp":1700003600}"#)
    let dates = #""iat":1800000000,"exp":1800003600"#
    expectEqual(recorded("{\(dates)}", over: first).data(), first.data())
    #expect(recorded("{\(dates)}").data() != first.data())
    #expect(recorded("{\(dates),\"a\":true}", over: first).data() != first.data())
  }

  @Test func `requests that ran beside each other go back to their places`() {
    let first = record(["/a", "/b", "/c", "/a"], day: 1, answered: answer)
    let second = record(["/c", "/a", "/a", "/b"], day: 2, over: first, answered: answer)
    expectEqual(second.data(), first.data())
  }

  @Test func `what changed is new, and everything beside it stays`() {
    let first = record(["/a", "/b", "/c"], day: 1, answered: answer)
    let second = record(["/a", "/b", "/c"], day: 2, over: first) { request, day in
      var interaction = answer(request, day: day)
      if request.url.path == "/b" { interaction.result = .response(.json([])) }
      return interaction
    }
    expectEqual(second.interactions[0], first.interactions[0])
    expectEqual(second.interactions[1].timing?.firstByte, .milliseconds(2))
    expectEqual(second.interactions[2], first.interactions[2])
  }

  @Test func `a sequence whose answers changed places is not put back in order`() {
    func counting(_ order: [String]) -> (Request, Int) -> Interaction {
      var rest = order[...]
      return { request, _ in Interaction(request, .json(.text(rest.removeFirst()))) }
    }
    let first = record(["/n", "/n", "/x"], day: 1, answered: counting(["1", "2", "x"]))
    let second = record(
      ["/n", "/n", "/x"],
      day: 2,
      over: first,
      answered: counting(["2", "1", "x"])
    )
    expectEqual(second.interactions.map(\.result), [1, 0, 2].map { first.interactions[$0].result })
  }

  @Test func `notes and end policies of an interaction survive a new recording`() {
    var first = record(["/a"], day: 1, answered: answer)
    first.interactions[0].then = .repeat
    first.interactions[0].notes = [JSON.Member("_why", "polled")]
    expectEqual(record(["/a"], day: 2, over: first, answered: answer), first)
  }

  @Test func `an interaction that is no longer asked for is gone`() {
    let first = record(["/a", "/b"], day: 1, answered: answer)
    let second = record(["/b"], day: 2, over: first, answered: answer)
    expectEqual(second.interactions, [first.interactions[1]])
  }

  @Test func `a body compressed in another way is the same body`() throws {
    func recorded(_ base64: String) -> Interaction {
      Interaction(
        Request("GET", "https://a.test/"),
        Response(
          headers: ["Content-Encoding": "gzip", "Content-Length": "\(base64.count)"],
          body: Body(Data(base64Encoded: base64) ?? Data())
        )
      )
    }
    // The same text, once stored and once deflated.
    let stored = recorded("H4sIAAAAAAAEAwEIAPf/eyJpZCI6N31DXwcSCAAAAA==")
    let deflated = recorded("H4sIAAAAAAACA6tWykxRsjKvBQBDXwcSCAAAAA==")
    expectEqual(stored.steady, deflated.steady)
    expectEqual(stored.steady.response, Response(body: Body(#"{"id":7}"#)))
  }

  @Test func `a length is compared where it tells more than the body`() {
    func answered(_ method: String, _ length: Int, _ body: String, isCut: Bool = false)
      -> Interaction
    {
      let response = Response(headers: ["Content-Length": "\(length)"], body: Body(body))
      let answer = isCut ? RecordedResult.cut(response, Failure(.truncated)) : .response(response)
      return Interaction(Request(method, "https://a.test/"), answer)
    }
    #expect(answered("HEAD", 5, "").steady != answered("HEAD", 6, "").steady)
    #expect(
      answered("GET", 5, "a", isCut: true).steady != answered("GET", 6, "a", isCut: true).steady
    )
    expectEqual(answered("GET", 1, "a").steady, answered("GET", 6, "a").steady)
  }
}
