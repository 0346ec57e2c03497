import Mutations
import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

@Suite struct CassetteDifferenceTests {
  private func get(_ path: String, _ response: Response) -> Interaction {
    Interaction(Request("GET", RequestURL("https://a.test\(path)")), response)
  }

  private func difference(_ old: [Interaction], _ new: [Interaction]) -> CassetteDifference {
    CassetteDifference(from: Cassette(old), to: Cassette(new))
  }

  private static let long = String(repeating: "0123456789", count: 40)
  private static let end = long.suffix(30)

  @Test(arguments: [
    ["\(long)a", "\(long)b", #"…\#(end)a" → …\#(end)b""#],
    ["\(long)a\(long)b", "\(long)a\(long)c", #"…\#(end)b" → …\#(end)c""#],
    [long, "\(long)\(long)", #"…\#(end)" → …\#(end)\#(long.prefix(70))…"#],
    ["a\(long)", "b", #""a\#(long.prefix(98))… → "b""#], ["a", "b", #""a" → "b""#],
  ])
  func `texts are shown around the place where they differ`(row: [String]) {
    let pairs = [
      ("response.json.t", Response.json(["t": .text(row[0])]), Response.json(["t": .text(row[1])])),
      ("response.text, line 2", .text(Body("1\n\(row[0])")), .text(Body("1\n\(row[1])"))),
    ]
    for (place, old, new) in pairs {
      let text = difference([get("/a", old)], [get("/a", new)]).text(title: "a")
      #expect(text.hasSuffix("\n    \(place): \(row[2])\n"), "\(text)")
    }
  }

  @Test func `every kind of change is told in a line`() {
    var old = Cassette([
      get("/same", .json([])),
      get(
        "/user",
        Response(
          headers: ["ETag": "1", "Date": "x"],
          body: Body(#"{"id":7,"tags":["a","b"],"old":null}"#)
        )
      ),
      get("/gone", .text(Body(""))), get("/text", .text(Body("one\ntwo\n"))),
      get("/n", .json(1)), get("/n", .json(2)),
      Interaction(Request("GET", "https://a.test/f"), .failure(Failure(.timedOut))),
    ])
    old.notes = [JSON.Member("_by", "Ada")]
    var new = Cassette([
      get("/same", .json([])),
      get("/user", Response(status: 201, body: Body(#"{"id":8,"tags":["a"],"new":1.0}"#))),
      get("/text", .text(Body("one\n2\n"))), get("/n", .json(2)), get("/n", .json(1)),
      Interaction(
        Request("GET", "https://a.test/f"),
        .failure(Failure(.hostNotFound, text: "who?")),
        then: .repeat
      ),
      get("/new", Response(status: 204)),
    ])
    new.notes = [JSON.Member("_by", ["Ada", "Bob"])]
    let difference = CassetteDifference(from: old, to: new)
    expectEqual(difference.text(title: "users.json"), TestData.text("difference.txt"))
    expectEqual(difference.markdown(title: "users.json"), TestData.text("difference.md"))
  }

  @Test func `volatile parts are no difference`() {
    var old = get("/a", Response(headers: ["Date": "1", "Set-Cookie": "a=b; Expires=1"]))
    old.recordedAt = "2025-11-03T10:00:00Z"
    old.timing = Timing(firstByte: .zero, lastByte: .zero)
    let new = get("/a", Response(headers: ["X-Request-Id": "2", "Set-Cookie": "a=b; Max-Age=2"]))
    let difference = difference([old], [new])
    #expect(difference.isEmpty)
    expectEqual(difference.text(title: "a.json"), "")
    expectEqual(difference.markdown(title: "a.json"), "")
  }

  @Test func `an answer put in front of a sequence changes nothing behind it`() {
    let old = (1...5).map { get("/n", .json(.number($0))) }
    let result = difference(old, [get("/n", .json(0))] + old)
    expectEqual(result.changes, [.added(get("/n", .json(0)).steady, number: 1)])
    expectEqual(result.sameCount, 5)
  }

  @Test func `different addresses may change places`() {
    let (a, b) = (get("/a", .json(1)), get("/b", .json(2)))
    #expect(difference([a, b], [b, a]).isEmpty)
  }

  @Test func `names cannot break out of Markdown`() {
    let odd = get("/a`b``c", .json(1))
    expectEqual(
      difference([], [odd]).markdown(title: "a.json"),
      """
      ### `a.json`: 1 added, 0 the same

      - **added** ```#1 GET https://a.test/a`b``c → 200```

      """
    )
  }

  @Test(arguments: 1...100)
  func `a cassette is equal to itself, and unlike another if it reads so`(seed: UInt64) {
    var generator = Generator(seed: seed)
    let (one, other) = (generator.cassette(), generator.cassette())
    #expect(CassetteDifference(from: one, to: one).isEmpty)
    let there = CassetteDifference(from: one, to: other)
    let back = CassetteDifference(from: other, to: one)
    expectEqual(there.isEmpty, back.isEmpty)
    expectEqual(there.sameCount, back.sameCount)
    expectEqual(there.isEmpty, there.text(title: "").isEmpty)
  }
}
