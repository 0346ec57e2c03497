import TestSupport

@testable import WindTunnel

/// Tapes that were recorded in several goes, or made of several.
@Suite struct OrdinalsTests {
  private static func tape(_ urls: [String], after earlier: [Interaction] = []) -> [Interaction] {
    var redaction = Redaction(continuing: earlier)
    return earlier
      + redaction.redact(
        urls.map { Interaction(Request("GET", RequestURL("https://a.example\($0)")), Response()) }
      )
  }

  /// Expects the place of the recording that each address is played, in their order.
  private static func expect(_ places: KeyValuePairs<String, Int?>, of tape: [Interaction]) {
    let deck = Deck(Cassette(tape), then: .repeat)
    let found = places.map { url, _ -> Int? in
      let request = Request("GET", RequestURL("https://a.example\(url)"))
      guard case .recording(_, let place) = deck.decide(request).source else { return nil }
      return place
    }
    expectEqual(found, places.map(\.value))
  }

  @Test func `a tape that was added to plays with one token, whatever it was`() {
    let tape = Self.tape(
      ["/b?access_token=TTTT1", "/c?access_token=TTTT1"],
      after: Self.tape(["/a?access_token=TTTT1"])
    )
    expectEqual(
      tape.map(\.request.url.query),
      ["access_token=REDACTED-access-token-1"]
        + [String?](repeating: "access_token=REDACTED-access-token-2", count: 2)
    )
    Self.expect(
      [
        "/a?access_token=X": 0, "/b?access_token=X": 1, "/c?access_token=X": 2,
        "/c?access_token=Y": nil, "/a?access_token=Y": nil,
      ],
      of: tape
    )
    Self.expect(
      ["/b?access_token=X": 1, "/a?access_token=Y": 0, "/c?access_token=Y": nil],
      of: tape
    )
  }

  @Test func `a value's own recording goes before one that may be anybody's`() {
    let tape = Self.tape(["/x?access_token=A1&b=1", "/x?access_token=B1&b=1", "/y?access_token=B1"])
    Self.expect(
      [
        "/x?access_token=a&b=1": 0, "/x?access_token=b&b=1": 1, "/x?access_token=a&b=1": 0,
        "/y?access_token=b": 2,
      ],
      of: tape
    )
  }

  @Test func `within one request other ordinals are other values`() {
    let tape = Self.tape(["/x?access_token=AAAA111&refresh_token=AAAA111"])
    Self.expect(
      ["/x?access_token=a&refresh_token=b": nil, "/x?access_token=a&refresh_token=a": 0],
      of: tape
    )
  }

  private static func merged(_ tapes: [[Interaction]]) throws -> CassetteMerge {
    try CassetteMerge(tapes.enumerated().map { ("\($0).json", Cassette($1)) })
  }

  @Test func `tapes that are merged keep their secrets apart`() throws {
    let merge = try Self.merged([
      Self.tape(["/a?access_token=A1"]), Self.tape(["/b?access_token=B1", "/c?access_token=C1"]),
    ])
    expectEqual(
      merge.cassette.interactions.map(\.request.url.query),
      [
        "access_token=REDACTED-access-token-1", "access_token=REDACTED-access-token-3",
        "access_token=REDACTED-access-token-2",
      ]
    )
    let tape = merge.cassette.interactions
    Self.expect(
      ["/a?access_token=A1": 0, "/b?access_token=B1": 1, "/c?access_token=C1": 2],
      of: tape
    )
    Self.expect(["/a?access_token=A1": 0, "/b?access_token=A1": 1], of: tape)
  }

  @Test func `a merge aligns the placeholders of two cassettes by their shared interactions`()
    throws
  {
    let first = Self.tape(["/login?access_token=A1"])
    let merge = try Self.merged([
      first, Self.tape(["/login?access_token=B1", "/b?access_token=B1"]), first,
    ])
    expectEqual(merge.repeatedCount, 2)
    expectEqual(
      merge.cassette.interactions.map(\.request.url.query),
      [String?](repeating: "access_token=REDACTED-access-token-1", count: 2)
    )
  }

  @Test func `bodies, lengths and base64 follow`() throws {
    func tape(_ path: String) -> [Interaction] {
      let packed = Data(#"{"access_token":"abc1"}"#.utf8).base64EncodedString()
      let text = "{\"access_token\":\"abc1\",\"b\":\"\(packed)\"}"
      var redaction = Redaction(continuing: [])
      return redaction.redact([
        Interaction(
          Request("GET", RequestURL(path)),
          Response(headers: ["Content-Length": "\(text.utf8.count)"], body: Body(text))
        )
      ])
    }
    let ten = Self.tape((0..<9).map { "/\($0)?access_token=T\($0)T" })
    let merge = try Self.merged([ten, tape("/a")])
    let last = try #require(merge.cassette.interactions.last?.response)
    let packed = Data(#"{"access_token":"REDACTED-access-token-10"}"#.utf8).base64EncodedString()
    expectEqual(
      last.body.text,
      "{\"access_token\":\"REDACTED-access-token-10\",\"b\":\"\(packed)\"}"
    )
    expectEqual(last.headers["Content-Length"], "\(last.body.data.count)")
  }
}
