import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

/// What becomes of an answer, in steps: a mutated one is whole and its length is the body's.
@Suite struct MutationLoweringTests {
  static let request = Request("GET", "/users/7")
  /// The ten digits.
  static let gzip = Data(base64Encoded: "H4sIAAAAAAACAzMwNDI2MTUzt7AEAMbHhKYKAAAA") ?? Data()

  private func play(
    _ faults: [Fault],
    _ stub: Stub,
    method: String = "GET",
    on stage: Stage = .onTheWire
  ) -> Played {
    Deck([stub], scenario: [.on("* /**", .always, faults)])
      .play(Request(method, "/users/7"), on: stage)
  }

  private func recorded(_ headers: HeaderFields, _ body: Body, method: String = "GET") -> Stub {
    .recorded(Interaction(Request(method, "/users/7"), Response(headers: headers, body: body)))
  }

  private func head(_ status: Int, _ length: Int) -> ResponseHead {
    ResponseHead(status: status, headers: ["Content-Length": "\(length)", "ETag": "\"1\""])
  }

  @Test(
    arguments: [
      (Mutation.null(at: "$.name"), 200, #"{"id":7,"name":null}"#),
      (.missing(at: "$.name"), 200, #"{"id":7}"#),
      (.wrongType(at: "$.id"), 200, #"{"id":"7","name":"Ada"}"#),
      (.extra(at: "$"), 200, #"{"id":7,"name":"Ada","unexpectedField":"unexpected"}"#),
      (.truncate(afterBodyBytes: 9), 200, #"{"id":7,""#),
      (.truncate(afterBodyBytes: 0), 200, ""),
      (.status(404), 404, #"{"id":7,"name":"Ada"}"#),
      (.status(nil), 500, #"{"id":7,"name":"Ada"}"#),
    ],
    Stage.allCases
  )
  func `a mutated answer is whole`(row: (Mutation, Int, String), stage: Stage) {
    let headers: HeaderFields = ["Content-Length": "21", "ETag": "\"1\""]
    let stub = recorded(headers, Body(#"{"id":7,"name":"Ada"}"#))
    let sent: [Delivery.Step] = row.2.isEmpty ? [] : [.bytes(.data(Data(row.2.utf8)))]
    let expected = Delivery(
      [.await(.requestEnd), .head(head(row.1, row.2.utf8.count))] + sent + [.finish]
    )
    expectEqual(play([.mutate(row.0)], stub, on: stage), Played(delivery: expected))
  }

  @Test func `an error becomes a success where no status is named`() {
    let stub = Stub.recorded(Interaction(Self.request, Response(status: 404, body: Body("no"))))
    let expected = Delivery.steps(.head(ResponseHead(status: 200)), .bytes("no"), .finish)
    expectEqual(play([.mutate(.status(nil))], stub), Played(delivery: expected))
  }

  @Test func `a compressed body is opened and goes out without its coding`() {
    let stub = recorded(
      ["Content-Encoding": "gzip", "Content-Length": "\(Self.gzip.count)", "ETag": "\"1\""],
      Body(Self.gzip)
    )
    let expected = Delivery.steps(.head(head(200, 5)), .bytes("01234"), .finish)
    expectEqual(
      play([.mutate(.truncate(afterBodyBytes: 5))], stub),
      Played(delivery: expected)
    )
  }

  @Test func `mutations and other faults happen in their order`() {
    let stub = recorded(["Content-Length": "21", "ETag": "\"1\""], Body(#"{"id":7,"name":"Ada"}"#))
    let both = play([.mutate(.null(at: "$.id")), .mutate(.missing(at: "$.name"))], stub)
    expectEqual(
      both,
      Played(delivery: .steps(.head(head(200, 11)), .bytes(#"{"id":null}"#), .finish))
    )
    let cut = play([.reset(afterBodyBytes: 4), .mutate(.null(at: "$.id"))], stub)
    expectEqual(cut.delivery, .steps(.head(head(200, 24)), .bytes(#"{"id"#), .reset, then: .reset))
    let replaced = play([.status(503), .mutate(.truncate(afterBodyBytes: 4))], stub)
    let notice = ResponseHead(
      status: 503,
      headers: ["Content-Type": "text/plain; charset=utf-8", "Content-Length": "4"]
    )
    expectEqual(
      replaced,
      Played(delivery: .steps(.head(notice), .bytes("This"), .finish))
    )
  }

  @Test func `a function's answer is mutated, too, and goes on`() {
    let stub = Stub.get("/users/7") { _ in .text(Body("hello")) }
    let head = ResponseHead(
      headers: ["Content-Type": "text/plain; charset=utf-8", "Content-Length": "2"]
    )
    expectEqual(
      play([.mutate(.truncate(afterBodyBytes: 2))], stub),
      Played(delivery: .steps(.head(head), .bytes("he"), .finish))
    )
  }

  @Test func `a draw means the same place of a body every time`() {
    let scenario: Scenario = [.on("* /**", .always, .mutate(.null()))]
    let text = JSON.object((0..<50).map { JSON.Member(JSON.Text("n\($0)"), .number($0)) })
    let places = (1...20).map { lane -> [Delivery] in
      (0..<2).map { _ in
        let deck = Deck([.get("/users/7", json: text)], scenario: scenario, seed: 5)
        return Delivery(deck.decide(Self.request, lane: Lane("call/\(lane)")), on: .onTheWire)
      }
    }
    #expect(places.allSatisfy { $0[0] == $0[1] })
    #expect(Set(places.map { $0[0] }).count > 10)
  }

  @Test(
    arguments: try TestData.rows("undone-mutations.json", count: 7)
      as [(String, String, String, String)]
  )
  func `an answer without room for a mutation stays as it is, and the journal says why`(
    mutation: String,
    body: String,
    coding: String,
    sentence: String
  ) throws {
    let rule = #"{"windtunnelScenario":1,"name":"s","rules":[{"faults":[\#(mutation)]}]}"#
    let faults = try Scenario(json: rule).rules[0].faults
    let stub = recorded(coding.isEmpty ? [:] : ["Content-Encoding": coding], Body(body))
    let played = play(faults, stub)
    expectEqual(played.delivery, play([], stub).delivery)
    let shown = played.misfits.map { $0.replacing(#/"draw":[0-9.]+/#, with: "\"draw\":DRAW") }
    expectEqual(shown, [sentence])
  }

  @Test func `an answer to HEAD has no body to mutate, and a status to swap`() {
    let stub = recorded(["Content-Length": "5"], Body(), method: "HEAD")
    let whole = Delivery.steps(.head(ResponseHead(headers: ["Content-Length": "5"])), .finish)
    expectEqual(
      play([.mutate(.null(at: "$.a"))], stub, method: "HEAD"),
      Played(
        delivery: whole,
        misfits: [#"{"mutate":"null","at":"$.a"} was not done: the response has no body."#]
      )
    )
    let other = ResponseHead(status: 503, headers: ["Content-Length": "5"])
    expectEqual(
      play([.mutate(.status(503))], stub, method: "HEAD").delivery,
      .steps(.head(other), .finish)
    )
  }

  @Test(arguments: Stage.allCases)
  func `a failure, a miss and a live answer are not mutated`(stage: Stage) {
    let failed = Stub.recorded(Interaction(Self.request, .failure(Failure(.hostNotFound))))
    let failure = play([.mutate(.status(500))], failed, on: stage)
    expectEqual(failure.delivery, play([], failed, on: stage).delivery)
    expectEqual(failure.misfits.map { $0.hasSuffix("the recording is of a failure.") }, [true])
    let missed = Stub.get("/other", json: [:])
    let miss = play([.mutate(.truncate())], missed, on: stage)
    expectEqual(miss.delivery, play([], missed, on: stage).delivery)
    expectEqual(miss.misfits.map { $0.hasSuffix("no recording matches.") }, [true])
    let scenario: Scenario = [.on("* /**", .always, .mutate(.status(500)))]
    let deck = Deck(Cassette(), scenario: scenario, mode: .rewrite)
    let outcome = deck.decide(Self.request)
    #expect(outcome.forwards)
    expectEqual(deck.delivery(of: outcome, on: stage), .steps(.bytes(.live), .finish))
    expectEqual(
      deck.journal.all.map(\.misfits),
      [[#"{"mutate":"status","to":500} was not done: a live response is passed on as it arrives."#]]
    )
  }
}
