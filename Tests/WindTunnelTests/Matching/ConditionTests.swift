import TestSupport

@testable import WindTunnel

/// What of a cassette is played to requests with conditions and codings, and to HEAD.
@Suite struct ConditionTests {
  struct Row: Sendable {
    var request: Request
    var tape: Cassette
    /// The number, the status, the body and fields; empty where nothing answers.
    var expected: [JSON]
  }

  private static let url: RequestURL = "https://a.example/x"

  private static func request(_ method: JSON, _ fields: JSON) -> Request {
    Request(method.stringValue ?? "", url, headers: fields.fields)
  }

  private static func recorded(_ cells: [JSON]) -> (String, Interaction) {
    let text = cells[5].stringValue ?? ""
    let data = text.hasPrefix("H4sI") ? Data(base64Encoded: text) : nil
    let status = cells[3].intValue ?? 0
    let body = Body(data ?? Data(text.utf8))
    let response = Response(status: status, headers: cells[4].fields, body: body)
    return (cells[0].stringValue ?? "", Interaction(request(cells[1], cells[2]), response))
  }

  static func rows() throws -> [Row] {
    let table = try JSON(parsing: TestData.text("Matching/conditions.json").utf8, source: "table")
    let recordings = (table["recordings"] ?? .null).elements.map { recorded($0.elements) }
    let named = Dictionary(uniqueKeysWithValues: recordings)
    let rows = try (table["rows"] ?? .null).elements.map { row in
      let cells = row.elements
      return Row(
        request: request(cells[0], cells[1]),
        tape: Cassette(try cells[2].elements.map { try #require(named[$0.stringValue ?? ""]) }),
        expected: cells[3].elements
      )
    }
    try #require(rows.count == 57)
    return rows
  }

  @Test(arguments: try rows())
  func `a response to a condition or in a coding is played to whom it suits`(row: Row) throws {
    let deck = Deck(row.tape, then: .repeat)
    let outcome = deck.decide(row.request)
    let told = Explanation(row.request, row.tape, matcher: .url)
    if row.expected.isEmpty {
      let mismatch = try #require(deck.mismatches.first)
      expectEqual(mismatch.candidates.first?.differences.isEmpty, false)
      expectEqual(told.mismatch?.candidates, mismatch.candidates)
      expectNil(mismatch.rule)
      return
    }
    let (expected, response) = (row.expected, try #require(outcome.recording?.response))
    let number = try #require(expected[0].intValue)
    let recorded = try #require(row.tape.interactions[number - 1].response)
    expectEqual(response.status, expected[1].intValue)
    expectEqual(response.body, expected[2].stringValue.map { Body($0) } ?? recorded.body)
    for field in expected[3].fields {
      expectEqual(response.headers[field.name] ?? "-", field.value, "\(field.name)")
    }
    // What is played in another form is named by both.
    expectEqual(told.numbers.first, number)
    expectEqual(deck.journal.all[0].take, .recording(number - 1))
    let named = told.changes.filter { $0.hasPrefix("#\(number) ") }
    expectEqual(deck.journal.all[0].misfits.count, named.count)
    if response != recorded { #expect(!named.isEmpty) }
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
    for tag in [nil, one, one, one, "\"2\"", "\"2\"", nil] {
      _ = deck.decide(recorded(tag, 0, "").request)
    }
    expectEqual(deck.journal.all.map(\.take.interaction), [1, 2, 3, 4, 5, nil, 4])
  }

  @Test func `a HEAD uses up no GET`() {
    let get = Interaction(Request("GET", Self.url), .json(1))
    let deck = Deck(Cassette([get, get]))
    ["HEAD", "GET", "HEAD", "GET", "GET"].forEach { _ = deck.decide(Request($0, Self.url)) }
    expectEqual(deck.journal.all.map(\.take.interaction), [1, 1, 2, 2, nil])
    // Where heads can be recorded they are.
    let recorder = Deck(Cassette([get]), mode: .newEpisodes)
    #expect(recorder.decide(Request("HEAD", Self.url)).forwards)
  }

  @Test(
    arguments: [
      (["Accept-Encoding": "identity"], "decoded: the request does not accept its coding, gzip"),
      (
        ["If-None-Match": "*"],
        "as 304 Not Modified: its validator meets the request's If-None-Match."
      ),
      (
        [:],
        "differs in the condition of its 304 response, if-none-match: recorded \"\"v1\"\", asked"
      ),
    ] as [(HeaderFields, String)]
  )
  func `the explanation names the form, or the missing condition`(
    fields: HeaderFields,
    words: String
  ) throws {
    let request = Request("GET", Self.url, headers: fields)
    let row = try Self.rows().first { $0.request == request && $0.tape.interactions.count == 1 }
    let told = "\(Explanation(request, try #require(row).tape, matcher: .url))"
    #expect(told.contains(words), "\(told)")
  }

  @Test func `versions are made of a body in a coding`() throws {
    let coded = try Self.rows().first { row in
      row.tape.interactions[0].response?.headers["Content-Encoding"] != nil
    }
    let scenario: Scenario = [.on("GET /x", .always, .alter(.version(2)))]
    let deck = Deck(try #require(coded).tape, scenario: scenario)
    let request = Request("GET", Self.url, headers: ["Accept-Encoding": "gzip"])
    let whole = deck.delivery(of: deck.decide(request), on: .onTheWire).whole
    expectEqual(whole?.head.status, 200)
    expectEqual(whole?.body, ResponseEdit.version(2, of: Data("hello".utf8)))
    expectEqual(whole?.head.headers["ETag"], "\"v2\"")
    expectNil(whole?.head.headers["Content-Encoding"])
    #expect(deck.journal.all[0].misfits[0].contains("cannot be created from a body in gzip."))
  }
}

extension JSON {
  fileprivate var fields: HeaderFields {
    HeaderFields(members.map { HeaderField($0.name.value, $0.value.stringValue ?? "-") })
  }
}
