import Foundation
import Testing

@testable import WindTunnel
@testable import WindTunnelCassettes
@testable import WindTunnelComparison
@testable import WindTunnelLink
@testable import WindTunnelRedaction

/// Tapes that were recorded in several goes, or made of several.
@Suite struct OrdinalsTests {
  private static func tape(_ urls: [String], after earlier: [Interaction] = []) -> [Interaction] {
    var redaction = Redaction(continuing: earlier)
    return earlier
      + redaction.redact(
        urls.map { Interaction(Request("GET", RequestURL("https://a.example\($0)")), Response()) }
      )
  }

  private static func places(_ interactions: [Interaction], _ urls: [String]) -> [Int?] {
    let deck = Deck(Cassette(interactions), then: .repeat)
    return urls.map { url in
      let request = Request("GET", RequestURL("https://a.example\(url)"))
      guard case .recording(_, let place) = deck.decide(request).source else { return nil }
      return place
    }
  }

  @Test func `a tape that was added to plays with one token, whatever it was`() {
    let tape = Self.tape(
      ["/b?token=TTTT1", "/c?token=TTTT1"],
      after: Self.tape(["/a?token=TTTT1"])
    )
    #expect(
      tape.map(\.request.url.query) == ["token=REDACTED-token-1"]
        + [String?](repeating: "token=REDACTED-token-2", count: 2)
    )
    #expect(
      Self.places(tape, ["/a?token=X", "/b?token=X", "/c?token=X", "/c?token=Y", "/a?token=Y"]) == [
        0, 1, 2, nil, nil,
      ]
    )
    #expect(Self.places(tape, ["/b?token=X", "/a?token=Y", "/c?token=Y"]) == [1, 0, nil])
  }

  @Test func `a value's own recording goes before one that may be anybody's`() {
    let tape = Self.tape(["/x?token=A1&b=1", "/x?token=B1&b=1", "/y?token=B1"])
    #expect(
      Self.places(tape, ["/x?token=a&b=1", "/x?token=b&b=1", "/x?token=a&b=1", "/y?token=b"])
        == [0, 1, 0, 2]
    )
  }

  @Test func `within one request other ordinals are other values`() {
    let tape = Self.tape(["/x?token=AAAA111&refresh_token=AAAA111"])
    #expect(
      Self.places(tape, ["/x?token=a&refresh_token=b", "/x?token=a&refresh_token=a"]) == [nil, 0]
    )
  }

  private static func merged(_ tapes: [[Interaction]]) throws -> CassetteMerge {
    try CassetteMerge(tapes.enumerated().map { ("\($0).json", Cassette($1)) })
  }

  @Test func `tapes that are merged keep their secrets apart`() throws {
    let merge = try Self.merged([
      Self.tape(["/a?token=A1"]), Self.tape(["/b?token=B1", "/c?token=C1"]),
    ])
    #expect(
      merge.cassette.interactions.map(\.request.url.query)
        == ["token=REDACTED-token-1", "token=REDACTED-token-3", "token=REDACTED-token-2"]
    )
    #expect(
      Self.places(merge.cassette.interactions, ["/a?token=A1", "/b?token=B1", "/c?token=C1"]) == [
        0, 1, 2,
      ]
    )
    #expect(Self.places(merge.cassette.interactions, ["/a?token=A1", "/b?token=A1"]) == [0, 1])
  }

  @Test func `what a tape shares with an earlier one tells which of its pseudonyms are the same`()
    throws
  {
    let first = Self.tape(["/login?token=A1"])
    let merge = try Self.merged([first, Self.tape(["/login?token=B1", "/b?token=B1"]), first])
    #expect(merge.repeatedCount == 2)
    #expect(
      merge.cassette.interactions.map(\.request.url.query)
        == [String?](repeating: "token=REDACTED-token-1", count: 2)
    )
  }

  @Test func `bodies, lengths and base64 follow`() throws {
    func tape(_ path: String) -> [Interaction] {
      let packed = Data(#"{"token":"abc1"}"#.utf8).base64EncodedString()
      let text = "{\"token\":\"abc1\",\"b\":\"\(packed)\"}"
      var redaction = Redaction(continuing: [])
      return redaction.redact([
        Interaction(
          Request("GET", RequestURL(path)),
          Response(headers: ["Content-Length": "\(text.utf8.count)"], body: Body(text))
        )
      ])
    }
    let ten = Self.tape((0..<9).map { "/\($0)?token=T\($0)T" })
    let merge = try Self.merged([ten, tape("/a")])
    let last = try #require(merge.cassette.interactions.last?.response)
    let packed = Data(#"{"token":"REDACTED-token-10"}"#.utf8).base64EncodedString()
    #expect(last.body.text == "{\"token\":\"REDACTED-token-10\",\"b\":\"\(packed)\"}")
    #expect(last.headers["Content-Length"] == "\(last.body.data.count)")
  }
}
