import PlantedSecrets
import TestSupport

@testable import WindTunnel

/// Content that is packed without a content coding.
@Suite struct ClosedBodyTests {
  private static func kept(
    _ body: Data,
    _ type: String = "application/octet-stream"
  ) -> (count: Int, leftOut: [String]) {
    var redaction = Redaction(continuing: [])
    let kept = redaction.redact([
      Interaction(
        Request("GET", "/a", headers: ["Authorization": "Bearer tok-SECRET-123"]),
        Response(headers: ["Content-Type": type], body: Body(body))
      )
    ])
    return (kept.count, redaction.leftOut)
  }

  @Test(arguments: [
    "application/octet-stream", "application/json", "text/csv", "image/png", "video/mp4", "",
  ])
  func `a file in gzip that holds a credential is left out and named`(type: String) {
    for text in ["seen: tok-SECRET-123", #"{"access_token":"other-SECRET-45"}"#] {
      let file = Packed.gzip(text)
      for body in [file, file + Data([0, 0xFF]), file.dropLast(8)] {
        #expect(Self.kept(body, type) == (0, ["GET /a: a body in gzip has a credential"]))
      }
      expectEqual(Self.kept(Packed.deflate("\(text) and a few more words"), type).count, 0)
    }
    #expect(Self.kept(Packed.gzip("nothing to see, however it is labelled"), type) == (1, []))
    #expect(Self.kept(Packed.deflate("nothing to see, however it is labelled"), type) == (1, []))
  }

  @Test func `deflate that is never whole counts towards what is unpacked`() throws {
    let form = try #require(GzipForm([6, 8, 0, 0, 3]))
    let bomb = form.coded(Data(count: 20 << 20)).dropFirst(10).dropLast(48)
    let texts = Array(repeating: "\"\(bomb.base64EncodedString())\"", count: 8)
    let line = "GET /a: a body in deflate has more content than can be searched for credentials"
    for body in [Data(bomb), Data("[\(texts.joined(separator: ","))]".utf8)] {
      let before = Work.done
      #expect(Self.kept(body) == (0, [line]))
      // The limit is 16 MiB, and the classification of a body costs as much once more.
      #expect(Work.done - before < 80 << 20)
    }
  }

  @Test func `a file in zstd is left out and named`() throws {
    let packed = try #require(
      Data(base64Encoded: "KLUv/SA3NQEA8HsidG9rZW4iOi1QQUNLRUQtOTg3NjUiLCJhZ2FpfQIAfD6bVY4=")
    )
    let line = "GET /a: a body in zstd cannot be decompressed to search for credentials"
    for type in ["application/octet-stream", "application/json"] {
      #expect(Self.kept(packed, type) == (0, [line]))
    }
  }
}
