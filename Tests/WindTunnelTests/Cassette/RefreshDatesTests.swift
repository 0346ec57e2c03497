import Mutations
import PlantedSecrets
import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

/// Recordings of 2025-11-03 at ten, played a hundred days and a second later.
@Suite struct RefreshDatesTests {
  private static let recorded = 1_762_164_000
  private static let now = Date(timeIntervalSince1970: Double(recorded + 100 * 86_400 + 1) + 0.9)
  private static let date: HeaderFields = ["Date": "Mon, 03 Nov 2025 10:00:00 GMT"]

  private func played(_ headers: HeaderFields, _ body: String) -> Response? {
    let all = HeaderFields(Array(Self.date) + Array(headers))
    let interaction = Interaction(Request("GET", "/"), Response(headers: all, body: Body(body)))
    return interaction.refreshingDates(at: Self.now).response
  }

  @Test func `fields that are dates move together, the others stay`() {
    let headers: HeaderFields = [
      "Expires": "Mon, 03 Nov 2025 11:00:00 GMT", "Last-Modified": "Thu, 29 Feb 2024 23:59:59 GMT",
      "Retry-After": "120", "X-RateLimit-Reset": "1762167600", "X-Until": "2025-11-04T00:00:00Z",
      "Set-Cookie": "a=1; Expires=Tue, 04-Nov-2025 10:00:00 GMT; Path=/",
      "Set-Cookie": "b=; expires=Thu, 01 Jan 1970 00:00:00 GMT", "ETag": "\"1762164000\"",
      "X-Note": "until Mon, 03 Nov 2025 11:00:00 GMT",
    ]
    expectEqual(
      played(headers, "")?.headers,
      [
        "Date": "Wed, 11 Feb 2026 10:00:01 GMT", "Expires": "Wed, 11 Feb 2026 11:00:01 GMT",
        "Last-Modified": "Sun, 09 Jun 2024 00:00:00 GMT", "Retry-After": "120",
        "X-RateLimit-Reset": "1770807601", "X-Until": "2026-02-12T00:00:01Z",
        "Set-Cookie": "a=1; Expires=Thu, 12-Feb-2026 10:00:01 GMT; Path=/",
        "Set-Cookie": "b=; expires=Thu, 01 Jan 1970 00:00:00 GMT", "ETag": "\"1762164000\"",
        "X-Note": "until Mon, 03 Nov 2025 11:00:00 GMT",
      ]
    )
  }

  @Test func `dates in JSON move in their own spelling, and nothing else does`() {
    let body = """
      { "at" : "2025-11-03T10:00:00.123456Z", "list": ["2025-11-03t12:00:00+02:00", "2025-11-03"],
        "born": "1990-05-01", "epoch": "1970-01-01T00:00:00Z", "local": "2025-11-03T10:00:00",
        "expires_at": 1762167600, "createdAt": 1762164000000, "expires_in": 3600, "id": 1762164000,
        "exp": 4102444800, "text": "since 2025-11-03T10:00:00Z", "expires": 1.5e9 }
      """
    let moved = """
      { "at" : "2026-02-11T10:00:01.123456Z", "list": ["2026-02-11t12:00:01+02:00", "2025-11-03"],
        "born": "1990-05-01", "epoch": "1970-01-01T00:00:00Z", "local": "2025-11-03T10:00:00",
        "expires_at": 1770807601, "createdAt": 1770804001000, "expires_in": 3600, "id": 1762164000,
        "exp": 4102444800, "text": "since 2025-11-03T10:00:00Z", "expires": 1.5e9 }
      """
    expectEqual(played([:], body)?.body.text, moved)
  }

  private func token(_ payload: String, _ signature: String) -> String {
    [#"{"alg":"HS256"}"#, payload].map {
      Base64Text.encoded(Bytes($0.utf8), like: "_".utf8)
    }.joined(separator: ".") + "." + signature
  }

  @Test func `a web token lives on where nobody's signature is in it`() {
    let (old, new) = (
      #"{"sub":"REDACTED-sub","iat":1762164000,"exp":1762167600}"#,
      #"{"sub":"REDACTED-sub","iat":1770804001,"exp":1770807601}"#
    )
    for signature in ["REDACTED-token-1", ""] {
      let body = #"{"token":"\#(token(old, signature))"}"#
      let cookie = "sid=\(token(old, signature)); Path=/"
      let response = played(["Set-Cookie": cookie], body)
      expectEqual(response?.body.text, #"{"token":"\#(token(new, signature))"}"#)
      expectEqual(response?.headers["Set-Cookie"], "sid=\(token(new, signature)); Path=/")
    }
    let signed = #"{"token":"\#(token(old, "c2lnbmF0dXJl"))"}"#
    expectEqual(played([:], signed)?.body.text, signed)
    let plain = "It is \(token(old, "REDACTED-token-1"))."
    expectEqual(played([:], plain)?.body.text, "It is \(token(new, "REDACTED-token-1")).")
  }

  @Test func `a packed body is opened where a date is in it, and its pieces fit again`() {
    let (old, new) = (#"{"at":"2025-11-03T10:00:00Z"}"#, #"{"at":"2026-02-11T10:00:01Z"}"#)
    let packed = Packed.gzip(old)
    let headers: HeaderFields = [
      "Date": "Mon, 03 Nov 2025 10:00:00 GMT", "Content-Encoding": "gzip",
      "Content-Length": "\(packed.count)", "Digest": "of the bytes",
    ]
    var interaction = Interaction(
      Request("GET", "/"),
      Response(headers: headers, body: Body(packed))
    )
    interaction.timing = Timing(
      firstByte: .zero,
      lastByte: .zero,
      chunks: [.init(bytes: packed.count, offset: .zero)]
    )
    let played = interaction.refreshingDates(at: Self.now)
    expectEqual(
      played.response,
      Response(
        headers: ["Date": "Wed, 11 Feb 2026 10:00:01 GMT", "Content-Length": "\(new.utf8.count)"],
        body: Body(new)
      )
    )
    expectEqual(played.timing?.chunks.map(\.bytes), [new.utf8.count])
    // Without a date nothing is opened.
    let other = Packed.gzip("{}")
    interaction.result = .response(
      Response(headers: ["Content-Encoding": "gzip"], body: Body(other))
    )
    interaction.recordedAt = "2025-11-03T10:00:00Z"
    expectEqual(interaction.refreshingDates(at: Self.now), interaction)
  }

  @Test func `how old a recording is tells Date with Age, else recordedAt, else nobody`() {
    func body(_ headers: HeaderFields, recordedAt: String?) -> String? {
      var interaction = Interaction(
        Request("GET", "/"),
        Response(headers: headers, body: Body(#"["2025-11-03T10:00:00Z"]"#))
      )
      interaction.recordedAt = recordedAt
      return interaction.refreshingDates(at: Self.now).response?.body.text
    }
    let aged: HeaderFields = ["Date": "Mon, 03 Nov 2025 09:00:00 GMT", "Age": "3600"]
    expectEqual(body(aged, recordedAt: "2020-01-01T00:00:00Z"), #"["2026-02-11T10:00:01Z"]"#)
    expectEqual(body([:], recordedAt: "2025-11-03T11:00:00+01:00"), #"["2026-02-11T10:00:01Z"]"#)
    expectEqual(body(["Date": "today"], recordedAt: nil), #"["2025-11-03T10:00:00Z"]"#)
  }

  @Test func `a cut answer keeps its body and a failure is itself`() {
    let failure = Failure(.connectionLost)
    let cut = Interaction(
      Request("GET", "/"),
      .cut(Response(headers: Self.date, body: Body(#"["2025-11-03T10:00:00Z","#)), failure)
    )
    let played = Response(
      headers: ["Date": "Wed, 11 Feb 2026 10:00:01 GMT"],
      body: Body(#"["2025-11-03T10:00:00Z","#)
    )
    expectEqual(cut.refreshingDates(at: Self.now).result, .cut(played, failure))
    var failed = Interaction(Request("GET", "/"), .failure(failure))
    failed.recordedAt = "2025-11-03T10:00:00Z"
    expectEqual(failed.refreshingDates(at: Self.now), failed)
  }

  @Test(arguments: [
    "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "2025-13-03T10:00:00Z", "2025-11-03T10:00:00+2",
  ])
  func `what is no date that can be moved stays`(text: String) {
    expectEqual(played([:], "[\"\(text)\"]")?.body.text, "[\"\(text)\"]")
  }

  @Test(arguments: 1...200)
  func `moved there and back again any cassette is as it was`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    var interaction = Interaction(
      Request("GET", "/"),
      Response(headers: Self.date, body: Body("[]"))
    )
    let then = Int.random(in: 1_000_000_000...2_000_000_000, using: &generator)
    let date = Date(timeIntervalSince1970: Double(then))
    interaction.result = .response(
      Response(headers: Self.date, body: Body("[\"\(DateText.text(.seconds(then)))\"]"))
    )
    let there = interaction.refreshingDates(at: date)
    expectEqual(there.response?.headers["Date"], DateText.http(.seconds(then)))
    let start = Date(timeIntervalSince1970: Double(Self.recorded))
    expectEqual(there.refreshingDates(at: start), interaction)
  }
}
