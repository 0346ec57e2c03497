import TestSupport

@testable import WindTunnel

/// Versions of a body, and their parts, by RFC 9110 §13.1.5 and §14.
@Suite struct ResponseVersionTests {
  private static let text = #"{"name":"Ada","n":[7,-0.93,1e5],"to":"\u00e9\nb"}"#
  private static let second = #"{"name":"aDA","n":[6,-0.92,0e5],"to":"\u00e9\nB"}"#

  private static func play(
    _ faults: [Fault],
    _ fields: HeaderFields = [:],
    of response: Response = Response(
      headers: [
        "Content-Type": "application/json", "Content-Length": "\(text.utf8.count)",
        "Last-Modified": "Sat, 21 Nov 2026 07:00:00 GMT", "Repr-Digest": "sha-256=:AA==:",
      ],
      body: Body(text)
    ),
    method: String = "GET",
    on stage: Stage = .onTheWire
  ) -> Played {
    let cassette = Cassette([Interaction(Request(method, "/a"), response)])
    return Deck(cassette, scenario: [FaultRule(when: .always, faults)])
      .play(Request(method, "/a", headers: fields), on: stage)
  }

  private static func head(
    _ number: Int,
    _ length: Int,
    status: Int = 200,
    part: String? = nil
  ) -> Delivery.Step {
    var fields: HeaderFields = [
      "Content-Type": "application/json", "Content-Length": "\(length)", "ETag": "\"v\(number)\"",
      "Accept-Ranges": "bytes",
    ]
    if let part { fields.append("Content-Range", part) }
    return .head(ResponseHead(status: status, headers: fields))
  }

  @Test(arguments: Stage.allCases)
  func `a version has a tag of its own and differs in letters and last digits`(stage: Stage) {
    let length = Self.text.utf8.count
    expectEqual(
      Self.play([.alter(.version(1))], on: stage).steps,
      [Self.head(1, length), .bytes(.data(Data(Self.text.utf8))), .finish]
    )
    expectEqual(
      Self.play([.alter(.version(2))], on: stage).steps,
      [Self.head(2, length), .bytes(.data(Data(Self.second.utf8))), .finish]
    )
    // Of several the last counts.
    expectEqual(
      Self.play([.alter(.version(2)), .alter(.version(1))], on: stage),
      Self.play([.alter(.version(1))], on: stage)
    )
  }

  @Test(arguments: Stage.allCases)
  func `the rest of a version comes where the client's tag is its own, or has none`(stage: Stage) {
    let length = Self.text.utf8.count
    let rest = Self.second.utf8.dropFirst(10)
    let part: [Delivery.Step] = [
      Self.head(2, length - 10, status: 206, part: "bytes 10-\(length - 1)/\(length)"),
      .bytes(.data(Data(rest))), .finish,
    ]
    let second: [Fault] = [.alter(.version(2))]
    for fields: HeaderFields in [[:], ["If-Range": "\"v2\""]] {
      let asked = HeaderFields([HeaderField("Range", "bytes=10-")] + fields)
      expectEqual(Self.play(second, asked, on: stage).steps, part)
    }
    let whole = Self.play(second, on: stage)
    // A date says nothing about a version, however it was recorded.
    for condition in ["\"v1\"", "W/\"v2\"", "Sat, 21 Nov 2026 07:00:00 GMT"] {
      expectEqual(
        Self.play(second, ["Range": "bytes=10-", "If-Range": condition], on: stage),
        whole
      )
    }
    let beyond = Self.play(second, ["Range": "bytes=\(length)-"], on: stage)
    #expect(beyond.head?.status == 416 && beyond.steps.count == 2)
    expectEqual(beyond.head?.headers["ETag"], "\"v2\"")
  }

  @Test func `a version may be cut, and a live client is told of as many bytes as ever`() {
    let length = Self.text.utf8.count
    expectEqual(
      Self.play([.alter(.version(1)), .truncate(afterBodyBytes: 9)]).steps,
      [Self.head(1, length), .bytes(.data(Data(Self.text.utf8.prefix(9)))), .close]
    )
  }

  @Test func `no two versions are the same, and each reads as before`() throws {
    let versions = (1...ResponseEdit.versionsMax).map {
      ResponseEdit.version($0, of: Data(Self.text.utf8))
    }
    expectEqual(Set(versions).count, ResponseEdit.versionsMax)
    for version in versions {
      expectEqual(version.count, Self.text.utf8.count)
      let members = try JSON(parsing: version, source: "").members
      expectEqual(members.map(\.name.value), ["name", "n", "to"])
    }
  }

  @Test(arguments: try TestData.rows("versions-of-text.json", count: 13) as [(String, String)])
  func `what is no JSON changes in every letter and digit`(body: String, second: String) {
    expectEqual(ResponseEdit.version(2, of: Data(body.utf8)), Data(second.utf8))
  }

  @Test func `an answer that has no other version is left as it is, and the journal says why`() {
    func misfits(_ response: Response, method: String = "GET", version: Int = 2) -> [String] {
      Self.play([.alter(.version(version))], of: response, method: method).misfits
    }
    let start = #"{"version":2} was not done: "#
    expectEqual(misfits(Response(body: Body("[]"))), [start + "the body has no letters or digits."])
    expectEqual(
      misfits(Response(status: 404, body: Body("a"))),
      [start + "the response is not a 200."]
    )
    expectEqual(
      misfits(Response(headers: ["Content-Encoding": "gzip"], body: Body("a"))),
      [start + "the body is in a coding."]
    )
    expectEqual(misfits(Response(body: Body("[]")), version: 1), [])
    expectEqual(misfits(Response(body: Body("a"))), [])
    expectEqual(misfits(Response(body: Body("a")), method: "HEAD"), [])
  }

  @Test(arguments: [
    ("GET", "bytes=40-", 40), ("GET", "bytes=0-", nil), ("GET", "bytes=1-2", nil),
    ("GET", "bytes=-3", nil), ("GET", nil, nil), ("POST", "bytes=40-", nil),
  ])
  func `a request takes up what broke off by the rest of a range`(
    method: String,
    range: String?,
    first: Int?
  ) {
    var request = Request(method, "/a")
    request.headers["Range"] = range
    expectEqual(request.resumesAt, first)
  }
}
