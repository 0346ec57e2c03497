import Foundation
import TestSupport
import Testing

@testable import WindTunnel
@testable import WindTunnelCassettes

/// What of a cassette is played to requests with conditions and codings, and to HEAD.
@Suite struct ConditionTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var request: Request
    var tape: Cassette
    /// The number, the status, the body and fields; `nil` where nothing answers.
    var expected: [JSON]?
    var testDescription: String

    var played: Interaction? {
      expected?.first?.intValue.map { tape.interactions[$0 - 1] }
    }
  }

  private static let url: RequestURL = "https://a.example/x"

  private static func fields(_ json: JSON) -> HeaderFields {
    HeaderFields(json.pairs.map { HeaderField($0.name.value, $0.value.stringValue ?? "") })
  }

  static func rows() throws -> [Row] {
    let table = try JSON(parsing: DataFiles.text("Matching/conditions.json").utf8, source: "table")
    guard case .array(let recordings)? = table["recordings"], case .array(let rows)? = table["rows"]
    else { return [] }
    try #require(rows.count == 55)
    let named = Dictionary(
      uniqueKeysWithValues: try recordings.map { recording in
        let cells = recording.elements
        let text = try #require(cells[5].stringValue)
        let body = text.hasPrefix("H4sI") ? Data(base64Encoded: text) : Data(text.utf8)
        let response = Response(
          status: try #require(cells[3].intValue),
          headers: fields(cells[4]),
          body: Body(try #require(body))
        )
        let method = try #require(cells[1].stringValue)
        return (
          try #require(cells[0].stringValue),
          Interaction(Request(method, url, headers: fields(cells[2])), response)
        )
      }
    )
    return try rows.map { row in
      let cells = row.elements
      let interactions = try cells[2].elements.map { try #require(named[$0.stringValue ?? ""]) }
      return Row(
        request: Request(try #require(cells[0].stringValue), url, headers: fields(cells[1])),
        tape: Cassette(interactions),
        expected: cells[3] == .null ? nil : cells[3].elements,
        testDescription: "\(row)"
      )
    }
  }

  @Test(arguments: try rows())
  func `a response to a condition or in a coding is played to whom it suits`(row: Row) throws {
    let deck = Deck(row.tape, then: .repeat)
    let outcome = deck.decide(row.request)
    let told = Explanation(row.request, row.tape, matcher: .url)
    guard let expected = row.expected, let recorded = row.played?.response else {
      guard case .unmatched(let mismatch) = outcome.source else {
        Issue.record("\(outcome.source) answers")
        return
      }
      expectEqual(mismatch.candidates.first?.differences.isEmpty, false)
      expectEqual(told.mismatch?.candidates, mismatch.candidates)
      expectNil(mismatch.rule)
      return
    }
    guard case .recording(let interaction, let place) = outcome.source,
      let response = interaction.response
    else {
      Issue.record("\(outcome.source)")
      return
    }
    expectEqual(place + 1, expected[0].intValue)
    expectEqual(response.status, expected[1].intValue)
    expectEqual(response.body, expected[2].stringValue.map { Body($0) } ?? recorded.body)
    for field in expected[3].pairs {
      expectEqual(response.headers[field.name.value], field.value.stringValue, "\(field.name.value)")
    }
    // What is played in another form is named by both.
    expectEqual(told.numbers.first, place + 1)
    let named = told.changes.filter { $0.hasPrefix("#\(place + 1) ") }
    expectEqual(deck.journal.all[0].misfits.count, named.count)
    if response != recorded { #expect(!named.isEmpty) }
    // The whole recording, and nothing of its form, is what the next plain request gets.
    expectEqual(deck.interactions, row.tape.interactions)
  }

  @Test func `recordings on one condition are a sequence of their own`() {
    func recorded(_ tag: String?, _ status: Int, _ own: String) -> Interaction {
      var request = Request("GET", Self.url)
      request.headers["If-None-Match"] = tag
      return Interaction(request, Response(status: status, headers: ["ETag": own]))
    }
    let one = "\"1\""
    let tape = Cassette([
      recorded(nil, 200, one), recorded(one, 304, one), recorded(one, 304, one),
      recorded(one, 200, "\"2\""), recorded("\"2\"", 304, "\"2\""),
    ])
    let deck = Deck(tape)
    let places = [nil, one, one, one, "\"2\"", "\"2\"", nil].map { tag -> Int? in
      var request = Request("GET", Self.url)
      request.headers["If-None-Match"] = tag
      guard case .recording(_, let place) = deck.decide(request).source else { return nil }
      return place
    }
    expectEqual(places, [0, 1, 2, 3, 4, nil, 3])
  }

  @Test func `a HEAD uses up no GET`() {
    let get = Request("GET", Self.url)
    let deck = Deck(Cassette([Interaction(get, .json(1)), Interaction(get, .json(2))]))
    let places = ["HEAD", "GET", "HEAD", "GET", "GET"].map { method -> Int? in
      guard case .recording(_, let place) = deck.decide(Request(method, Self.url)).source else {
        return nil
      }
      return place
    }
    expectEqual(places, [0, 0, 1, 1, nil])
    // Where heads can be recorded they are.
    let recorder = Deck(Cassette([Interaction(get, .json(1))]), mode: .newEpisodes)
    #expect(recorder.decide(Request("HEAD", Self.url)).forwards)
  }

  @Test func `the explanation names the form, and the condition that is missing`() throws {
    let table = try Self.rows()
    func told(_ method: String, _ fields: HeaderFields = [:]) throws -> String {
      let request = Request(method, Self.url, headers: fields)
      let alone = table.filter { $0.tape.interactions.count == 1 }
      let row = try #require(alone.first { $0.request == request })
      return "\(Explanation(request, row.tape, matcher: .url))"
    }
    let start = "is answered by #1.\n#1 is played"
    try expectEqual(
      told("GET", ["Accept-Encoding": "identity"]),
      """
      GET https://a.example/x \(start) decoded: the request does not accept gzip, in which it was recorded.
      """
    )
    try expectEqual(
      told("HEAD"),
      "HEAD https://a.example/x \(start) without its body: it was recorded for GET."
    )
    let missing = try told("GET")
    #expect(
      missing.contains(
        "differs in the condition that its 304 answered, if-none-match: recorded \"\"v1\"\", asked none."
      ),
      "\(missing)"
    )
  }

  @Test func `versions are made of a body in a coding`() throws {
    let row = try #require(
      try Self.rows().first { $0.played?.response?.headers["Content-Encoding"] == "gzip" }
    )
    let fault = Fault.alter(.version(2))
    let deck = Deck(row.tape, scenario: [.on("GET /x", .always, fault)])
    let request = Request("GET", Self.url, headers: ["Accept-Encoding": "gzip"])
    let whole = deck.delivery(of: deck.decide(request), on: .onTheWire).whole
    expectEqual(whole?.head.status, 200)
    expectEqual(whole?.body, ResponseEdit.version(2, of: Data("hello".utf8)))
    expectEqual(whole?.head.headers["ETag"], "\"v2\"")
    expectNil(whole?.head.headers["Content-Encoding"])
    let sentence =
      "The response is played decoded: a version cannot be made of a body in gzip."
    expectEqual(deck.journal.all[0].misfits, [sentence])
  }
}

extension JSON {
  fileprivate var elements: [JSON] { if case .array(let all) = self { all } else { [] } }
  fileprivate var pairs: [JSON.Member] { if case .object(let all) = self { all } else { [] } }
}
