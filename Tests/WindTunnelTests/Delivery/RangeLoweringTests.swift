import TestSupport

@testable import WindTunnel

/// Parts of what was recorded whole, by RFC 9110 §14.
@Suite struct RangeLoweringTests {
  private static let tag = "\"v1\""
  private static let modified = "Sat, 21 Nov 2026 07:00:00 GMT"

  private static func whole(_ more: HeaderFields = ["Accept-Ranges": "bytes"]) -> Response {
    Response(
      headers: HeaderFields(
        [HeaderField("Content-Length", "10"), HeaderField("ETag", tag)]
          + [HeaderField("Last-Modified", modified)] + more
      ),
      body: Body("0123456789")
    )
  }

  private static func delivery(
    _ fields: HeaderFields,
    method: String = "GET",
    of response: Response = whole(),
    on stage: Stage = .onTheWire
  ) -> Delivery {
    let deck = Deck(Cassette([Interaction(Request(method, "/a"), response)]))
    return Delivery(deck.decide(Request(method, "/a", headers: fields)), on: stage)
  }

  private static func played(_ head: ResponseHead, _ body: String) -> Delivery {
    let bytes: [Delivery.Step] = body.isEmpty ? [] : [.bytes(.data(Data(body.utf8)))]
    return Delivery([.await(.requestEnd), .head(head)] + bytes + [.finish])
  }

  private static func part(_ body: String, _ range: String) -> Delivery {
    var head = whole().head
    head.status = 206
    head.headers["Content-Length"] = String(body.utf8.count)
    head.headers["Content-Range"] = "bytes \(range)/10"
    return played(head, body)
  }

  @Test(
    arguments: [
      ("bytes=0-0", "0", "0-0"), ("bytes=2-4", "234", "2-4"), ("bytes=7-", "789", "7-9"),
      ("bytes=-3", "789", "7-9"), ("bytes=-99", "0123456789", "0-9"),
      ("bytes=8-99999999999999999999", "89", "8-9"), ("BYTES= 9-9 ", "9", "9-9"),
    ],
    Stage.allCases
  )
  func `a range gets its part`(example: (String, String, String), stage: Stage) {
    let expected = Self.part(example.1, example.2)
    expectEqual(Self.delivery(["Range": example.0], on: stage), expected)
  }

  @Test(arguments: ["bytes=10-", "bytes=10-12", "bytes=99999999999999999999-", "bytes=-0"])
  func `a range beyond the end is 416 and says how long the whole is`(range: String) {
    let head = ResponseHead(
      status: 416,
      headers: [
        "ETag": Self.tag, "Last-Modified": Self.modified, "Accept-Ranges": "bytes",
        "Content-Range": "bytes */10", "Content-Length": "0",
      ]
    )
    expectEqual(Self.delivery(["Range": range]), Self.played(head, ""))
  }

  @Test(arguments: [
    "bytes=0-1,3-4", "bytes=4-2", "bytes=a-b", "bytes=-", "bytes=", "bytes", "bytes=+1-2",
    "bytes=1--2", "lines=0-1", "bytes=0x1-2", "",
  ])
  func `what is no single range gets the whole`(range: String) {
    let whole = Self.played(Self.whole().head, "0123456789")
    expectEqual(Self.delivery(["Range": range]), whole)
  }

  @Test func `nothing else than a GET of what takes ranges is cut`() {
    let fields: HeaderFields = ["Range": "bytes=0-1"]
    for other: HeaderFields in [[:], ["Accept-Ranges": "none"]] {
      let response = Self.whole(other)
      expectEqual(Self.delivery(fields, of: response), Self.played(response.head, "0123456789"))
    }
    let posted = Self.delivery(fields, method: "POST")
    expectEqual(posted, Self.played(Self.whole().head, "0123456789"))
    expectEqual(Self.delivery(fields, method: "HEAD"), Self.played(Self.whole().head, ""))
    var missing = Self.whole()
    missing.head.status = 404
    expectEqual(Self.delivery(fields, of: missing), Self.played(missing.head, "0123456789"))
    let twice = HeaderFields([HeaderField("Range", "bytes=0-1"), HeaderField("Range", "bytes=2-3")])
    expectEqual(Self.delivery(twice), Self.played(Self.whole().head, "0123456789"))
  }

  @Test(arguments: [
    (tag, true), (modified, true), ("\"v2\"", false), ("W/\"v1\"", false),
    ("Sat, 21 Nov 2026 07:00:01 GMT", false), ("", false),
  ])
  func `If-Range gives the part of what was recorded and else the whole`(
    condition: String,
    holds: Bool
  ) {
    let fields: HeaderFields = ["Range": "bytes=2-4", "If-Range": condition]
    let whole = Self.played(Self.whole().head, "0123456789")
    expectEqual(Self.delivery(fields), (holds ? Self.part("234", "2-4") : whole))
  }

  @Test func `a weak tag, and a change in the second of the answer, do not hold`() {
    var weak = Self.whole()
    weak.head.headers["ETag"] = "W/\"v1\""
    let byTag = Self.delivery(["Range": "bytes=2-4", "If-Range": "W/\"v1\""], of: weak)
    expectEqual(byTag, Self.played(weak.head, "0123456789"))
    var fresh = Self.whole()
    fresh.head.headers["Date"] = Self.modified
    let byDate = Self.delivery(["Range": "bytes=2-4", "If-Range": Self.modified], of: fresh)
    expectEqual(byDate, Self.played(fresh.head, "0123456789"))
  }

  @Test func `a stream's part has a length`() {
    let stream = Response(
      headers: ["Transfer-Encoding": "chunked", "Accept-Ranges": "bytes"],
      body: Body("0123456789")
    )
    let head = ResponseHead(
      status: 206,
      headers: ["Accept-Ranges": "bytes", "Content-Length": "2", "Content-Range": "bytes 0-1/10"]
    )
    let delivery = Self.delivery(["Range": "bytes=0-1"], of: stream)
    expectEqual(delivery, Self.played(head, "01"))
  }

  @Test func `a recorded part answers its own range and no other`() throws {
    let range = Request("GET", "/a", headers: ["Range": "bytes=2-4"])
    let part = Response(status: 206, headers: ["Content-Range": "bytes 2-4/10"], body: Body("two"))
    let both = Deck(
      Cassette([Interaction(Request("GET", "/a"), Self.whole()), Interaction(range, part)]),
      then: .repeat
    )
    func asked(_ range: String?, _ deck: Deck) -> Delivery {
      Delivery(
        deck.decide(Request("GET", "/a", headers: range.map { ["Range": $0] } ?? [:])),
        on: .onTheWire
      )
    }
    for _ in 0..<2 {
      expectEqual(asked("bytes=2-4", both), Self.played(part.head, "two"))
      expectEqual(asked(nil, both), Self.played(Self.whole().head, "0123456789"))
      expectEqual(asked("bytes=0-1", both), Self.part("01", "0-1"))
    }
    let alone = Deck(Cassette([Interaction(range, part)]), then: .repeat)
    expectEqual(asked("bytes=2-4", alone), Self.played(part.head, "two"))
    for (other, words) in [(nil, "none"), ("bytes=0-1", "\"bytes=0-1\"")] {
      let before = alone.mismatches.count
      _ = asked(other, alone)
      let mismatch = try #require(alone.mismatches.dropFirst(before).last)
      let difference = "header range: recorded \"bytes=2-4\", asked \(words)"
      expectEqual(mismatch.nearest?.difference, difference)
      expectNil(mismatch.rule)
    }
  }
}
