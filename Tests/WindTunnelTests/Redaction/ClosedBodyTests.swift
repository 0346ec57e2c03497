import PlantedSecrets
import TestSupport

@testable import WindTunnel

/// Content that is packed without a content coding.
@Suite struct ClosedBodyTests {
  private static func kept(_ body: Data) -> (count: Int, leftOut: [String]) {
    var redaction = Redaction(continuing: [])
    let kept = redaction.redact([
      Interaction(
        Request("GET", "/a", headers: ["Authorization": "Bearer tok-SECRET-123"]),
        Response(headers: ["Content-Type": "application/octet-stream"], body: Body(body))
      )
    ])
    return (kept.count, redaction.leftOut)
  }

  @Test func `a file in gzip that holds a credential is left out and named`() {
    for text in ["seen: tok-SECRET-123", #"{"access_token":"other-SECRET-45"}"#] {
      let (count, leftOut) = Self.kept(Packed.gzip(text))
      expectEqual(count, 0)
      expectEqual(leftOut, ["GET /a: a body in gzip has a credential"])
    }
    #expect(Self.kept(Packed.gzip("nothing to see")) == (1, []))
  }

  @Test func `a file in zstd is left out and named`() throws {
    let packed = try #require(
      Data(base64Encoded: "KLUv/SA3NQEA8HsidG9rZW4iOi1QQUNLRUQtOTg3NjUiLCJhZ2FpfQIAfD6bVY4=")
    )
    let (count, leftOut) = Self.kept(packed)
    expectEqual(count, 0)
    expectEqual(
      leftOut,
      ["GET /a: a body in zstd cannot be decompressed to search for credentials"]
    )
  }
}
