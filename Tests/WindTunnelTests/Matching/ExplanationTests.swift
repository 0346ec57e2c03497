import TestSupport

@testable import WindTunnel

/// What a miss says, word for word.
@Suite struct ExplanationTests {
  private static let tape = Cassette([
    Interaction(
      Request(
        "POST",
        "https://a.example/orders?dry=1",
        headers: ["Content-Type": "application/json", "Accept": "text/html"],
        body: Body(#"{"meta":{"timestamp":1},"items":[{"id":"a1","n":1},{"id":"a2","n":2}]}"#)
      ),
      .json([:])
    ),
    Interaction(Request("GET", "https://a.example/users?page=1"), .json([])),
    Interaction(Request("GET", "https://a.example/users/7"), .json([])),
    Interaction(Request("GET", "https://a.example/users/8"), .json([])),
  ])

  private static let order = Request(
    "POST",
    "https://a.example/orders?dry=1",
    headers: ["Content-Type": "application/json", "Accept": "text/html"],
    body: Body(
      #"{"items":[{"id":"b1","n":1.0},{"id":"b2","n":3}],"meta":{"timestamp":2},"new":"é"}"#
    )
  )

  @Test func `a miss tells the three nearest, each difference and the rule to paste`() {
    let text = Explanation(
      Request("GET", "https://a.example/users?page=2&sort=up"),
      Self.tape,
      matcher: .url
    )
    expectEqual(
      "\(text)",
      """
      GET https://a.example/users?page=2&sort=up is not on the cassette.
      Nearest: #2 GET https://a.example/users?page=1, differs in query "page": recorded "1", asked "2".
      Also in query "sort": recorded none, asked "up".
      The same: method, scheme, host, port, path. Not compared: headers, body.
      To match #2, match by: {"match": 1, "ignoreQuery": ["page", "sort"]}
      Then: #3 GET https://a.example/users/7, differs in path: recorded /users/7, asked /users, and 2 more.
      Then: #4 GET https://a.example/users/8, differs in path: recorded /users/8, asked /users, and 2 more.
      """
    )
  }

  @Test func `a body of JSON is told by paths, and lists by all their places`() {
    let tape = Cassette([Self.tape.interactions[0]])
    let text = Explanation(Self.order, tape, matcher: .body(.json(ignoring: "$.meta.timestamp")))
    expectEqual(
      "\(text)",
      """
      POST https://a.example/orders?dry=1 is not on the cassette.
      Nearest: #1 POST https://a.example/orders?dry=1, differs in body at $.items[0].id: recorded "a1", asked "b1".
      Also in body at $.items[1].id: recorded "a2", asked "b2".
      Also in body at $.items[1].n: recorded 2, asked 3.
      Also in body at $.new: recorded none, asked "é".
      The same: method, scheme, host, port, path, query. Not compared: headers.
      To match #1, match by: {"match": 1, "body": "json", "ignoreBody": ["$.meta.timestamp", "$.items[*].id", "$.items[*].n", "$.new"]}
      """
    )
  }

  /// A miss of a large body among others, and the work of its explanation.
  private static func miss(_ bytes: Int, _ recorded: Range<Int>, of most: Int) -> (Mismatch, Int) {
    func large(_ number: Int, _ bytes: Int) -> Request {
      post(#"{"text":"\#(String(repeating: "x", count: bytes))","z":\#(number)}"#)
    }
    let tape = recorded.map { Interaction(large($0, most), Response()) }
    let (asked, before) = (large(99, bytes), Work.done)
    let mismatch = Mismatch(asked, among: tape, matcher: .body(BodyRule(.json)))
    return (mismatch, Work.done - before)
  }

  @Test func `the bodies of the nearest are read, and no more than a limit of bytes`() {
    // Each pair has 600 kB, and the limit has room for three.
    let few = Self.miss(300_000, 10..<13, of: 300_000)
    let many = Self.miss(300_000, 10..<70, of: 300_000)
    expectEqual(many.0.nearest?.difference, "body at $.z: recorded 10, asked 99")
    #expect(many.0.candidates == few.0.candidates && many.0.rule == few.0.rule)
    #expect(few.1 > 0 && many.1 - few.1 < few.1 / 10, "\(few.1) and \(many.1) steps")
    let large = Self.miss(1_200_000, 11..<12, of: 1_200_000).0
    expectEqual(large.nearest?.difference, "body, of which only the beginning was compared")
    expectNil(large.rule)
  }

  @Test func `what was played is told with each candidate`() {
    let deck = Deck(Self.tape)
    _ = deck.decide(Request("GET", "https://a.example/users/7"))
    _ = deck.decide(Request("GET", "https://a.example/users/8"), lane: Lane("other"))
    _ = deck.decide(Request("GET", "https://a.example/users/9"))
    let mismatch = deck.mismatches[0]
    expectEqual(mismatch.candidates.map(\.number), [3, 4, 2])
    expectEqual(mismatch.candidates.map(\.played), [1, 0, 0])
    #expect("\(mismatch)".contains("\n#3 was already played once.\n"))
    expectEqual(mismatch.rule, ["match": 1, "paths": ["/users/{id}"]])
  }

  @Test func `the same in JSON`() {
    let request = Request("GET", "https://a.example/users?page=2")
    let tape = Cassette([Self.tape.interactions[1]])
    let text = String(
      decoding: Explanation(request, tape, matcher: .url).json.fileBytes(),
      as: UTF8.self
    )
    expectEqual(text, TestData.text("explanation.json"))
  }

  @Test func `an explanation names the matching interactions by number`() {
    let request = Request("GET", "https://a.example/users?page=1")
    let twice = Cassette(Self.tape.interactions + [Self.tape.interactions[1]])
    let once = Explanation(request, Self.tape, matcher: .url)
    expectEqual("\(once)", "GET https://a.example/users?page=1 matches #2.")
    let both = Explanation(request, twice, matcher: .url)
    expectEqual("\(both)", "GET https://a.example/users?page=1 matches #2, #5, in this order.")
    let json: JSON = [
      "matches": true, "asked": .text("\(request.method) \(request.url)"), "answeredBy": [2, 5],
    ]
    expectEqual(both.json, json)
  }

  @Test func `a credential that was asked with is not repeated`() {
    let matcher = Matcher.url.with { $0.headers = ["Authorization"] }
    let recorded = Request("GET", "/x", headers: ["Authorization": "Bearer a"])
    let asked = Request("GET", "/x", headers: ["Authorization": "Bearer s3cret-of-mine"])
    let told = Explanation(asked, Cassette([Interaction(recorded, .json(nil))]), matcher: matcher)
    #expect("\(told)".contains("header authorization: recorded \"Bearer a\", asked \"…\""))
    #expect(!"\(told)\(told.json)".contains("s3cret"))
  }

  @Test(
    arguments: try MatcherMatrixTests.addresses() + MatcherMatrixTests.headers
      + BodyMatrixTests.texts() + BodyMatrixTests.byType
  )
  func `a rule that is offered works when it is pasted`(row: MatcherCase) throws {
    let tape = Cassette([Interaction(row.recorded, Response())])
    guard let rule = Explanation(row.asked, tape, matcher: row.matcher).mismatch?.rule else {
      return
    }
    let base = Matcher(authority: row.matcher.authority)
    let pasted = try Matcher(data: Data(rule.bytes()), source: "rule", over: base)
    expectNil(Explanation(row.asked, tape, matcher: pasted).mismatch, "\(rule)")
  }

  @Test func `a changed matcher needs no new recording`() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.json")
    try Self.tape.write(to: file)
    let before = try Data(contentsOf: file)
    let tape = try Cassette(contentsOf: file)
    let page = Request("GET", "https://a.example/users?page=2")
    expectEqual(Explanation(page, tape, matcher: .url).numbers, [])
    let noPage = Matcher.url.with { $0.ignoredQuery = ["page"] }
    expectEqual(Explanation(page, tape, matcher: noPage).numbers, [2])
    let all = Matcher.url.with { $0.paths = ["/users/{id}"] }
    expectEqual(
      Explanation(Request("GET", "https://a.example/users/9"), tape, matcher: all).numbers,
      [3, 4]
    )
    expectEqual(Explanation(Self.order, tape, matcher: .url).numbers, [1])
    expectEqual(Explanation(Self.order, tape, matcher: .body(.json())).numbers, [])
    try expectEqual(Data(contentsOf: file), before)
  }
}
