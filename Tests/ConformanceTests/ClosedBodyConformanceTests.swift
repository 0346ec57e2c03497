import Origins
import TestSupport
import WindTunnel

/// Bodies in codings that only the platform of a client opens, by either recorder.
@Suite(.timeLimit(.minutes(5))) struct ClosedBodyConformanceTests {
  // {"token":"tok-PACKED-98765","again":"tok-PACKED-98765"}
  private static let packed = [
    "br": "GzYA+MXUI/LjFn9rHprMfBlswIF7WIg73g6oQAYsetgiuXyrzw6HmwoITfk=",
    "zstd": "KLUv/SA3NQEA8HsidG9rZW4iOi1QQUNLRUQtOTg3NjUiLCJhZ2FpfQIAfD6bVY4=",
  ]

  @Test(arguments: [Stage.inProcess, .onTheWire], ["br", "zstd"])
  func `a body is written opened and without its secret, or not at all and named`(
    stage: Stage,
    coding: String
  ) async throws {
    let body = try #require(Self.packed[coding].flatMap { Data(base64Encoded: $0) })
    let head =
      "200 OK\nContent-Type: application/json\nContent-Encoding: \(coding)\nContent-Length: \(body.count)"
    let origin = try ByteOrigin(["/a": answer(head, body)])
    defer { origin.stop() }
    let deck = Deck(Cassette(), mode: .rewrite)
    let seen = try await Recorder.record(deck, from: origin.url, on: stage, ["/a"])
    let (cassette, leftOut) = deck.recorded()
    let written = cassette.data()
    expectNil(written.range(of: body))
    expectNil(written.range(of: Data(body.base64EncodedString().utf8)))
    expectNil(written.range(of: Data("PACKED".utf8)))
    switch stage {
    case .inProcess:
      // The platform opens it for the client, and what is kept is what the client saw.
      #expect(String(decoding: seen[0], as: UTF8.self).contains("tok-PACKED-98765"))
      expectEqual(
        cassette.interactions.map { $0.response?.body.text },
        [#"{"token":"REDACTED-token-1","again":"REDACTED-token-1"}"#]
      )
      expectNil(cassette.interactions[0].response?.headers["Content-Encoding"])
      expectEqual(leftOut, [])
    case .onTheWire:
      expectEqual(seen, [body])
      expectEqual(cassette.interactions, [])
      expectEqual(
        leftOut,
        ["GET \(origin.url)/a: a body in \(coding) cannot be decoded to search for credentials"]
      )
    }
  }
}
