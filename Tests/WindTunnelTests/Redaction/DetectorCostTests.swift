import Foundation
import TestSupport
import Testing

@testable import WindTunnel
@testable import WindTunnelLink
@testable import WindTunnelRedaction

/// Bodies that are built to make one detector read the same bytes again and again.
///
/// The tests count the bytes that are read (``Growth``). They measure no time.
@Suite struct DetectorCostTests {
  struct Shape: Sendable, ExpressibleByStringInterpolation {
    let name: String
    /// The length of the shorter body, and of the start that is not part of the growth.
    var (bytes, start): (Int, Int)
    /// The media type of a body of about so many bytes.
    var type: @Sendable (Int) -> String
    /// A body of about so many bytes.
    var body: @Sendable (Int) -> Data

    /// One piece, over and over, between a beginning and an end.
    init(
      _ piece: String,
      before: String = "",
      after: String = "",
      type: String = "text/plain",
      of bytes: Int = bytesMin,
      behind start: Int = 0
    ) {
      let name = "\(before.prefix(60))\(piece.prefix(60))…\(after.prefix(60))".debugDescription
      let bytes = Self.whole(bytes, piece.utf8.count)
      self.init(name, type: { _ in type }, of: bytes, behind: Self.whole(start, piece.utf8.count)) {
        before + DetectorCostTests.some(piece, $0) + after
      }
    }

    init(stringLiteral piece: String) { self.init(piece) }

    /// One piece that is no text.
    init(_ name: String, bytes piece: [UInt8], type: String) {
      (self.name, bytes, start) = (name, Self.whole(Self.bytesMin, piece.count), 0)
      self.type = { _ in type }
      body = { count in
        Data([[UInt8]](repeating: piece, count: count / piece.count).joined())
      }
    }

    init(
      _ name: String,
      type: @escaping @Sendable (Int) -> String = { _ in "text/plain" },
      of bytes: Int = 4 * bytesMin,
      behind start: Int = 0,
      _ body: @escaping @Sendable (Int) -> String
    ) {
      (self.name, self.type, self.bytes, self.start) = (name, type, bytes, start)
      self.body = { Data(body($0).utf8) }
    }

    static let bytesMin = 256

    /// Returns the length of as many whole pieces as have at least so many bytes. Base64 has no length
    /// with a remainder of 1, so the length is a multiple of 4.
    private static func whole(_ count: Int, _ piece: Int) -> Int {
      var unit = piece
      while !unit.isMultiple(of: 4) { unit += piece }
      return (count + unit - 1) / unit * unit
    }

    func interaction(_ count: Int) -> Interaction {
      let headers: HeaderFields = ["Content-Type": type(count)]
      let response = Response(headers: headers, body: Body(body(count)))
      return Interaction(Request("GET", "/"), response)
    }

    /// Records an issue unless four times the bytes take four times the work.
    func expectLinear(_ work: (Int) -> Void) {
      let growth = Growth(of: bytes, behind: start, work)
      if !growth.isLinear { Issue.record("\(name): \(growth)") }
    }
  }

  /// A table of shapes.
  struct Family: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let shapes: [Shape]

    init(_ name: String, _ shapes: [Shape]) { (testDescription, self.shapes) = (name, shapes) }
  }

  static let key = "-----BEGIN PRIVATE KEY-----"

  private static let keys: [Shape] = [
    Shape(key), "\(key)\n", "\(key) a ", "\(key)_", Shape(key, after: "-----END"), "-----BEGIN ",
    "-----", "-----END",
  ]

  private static let named: [Shape] = [
    Shape("token=", after: "("), Shape("token=", after: ":::("), "token=#{", "token=${", "token=$(",
    "token=:", "token:", "pin=pin:", "token=\"\\", "token='token=\"", "token=\\\"token='",
    "'token=\"", "authorization: a ",
    Shape("authorization:a", of: 512), "a=b&", "a=", "<password>", "<password a",
    "<password><![CDATA[]]>", "<input name=\"token\" value=", "<key>token</key>",
    "<key>token</key>   ", "<name>pin</name><value>", "password '", "a://b\nsid=1\n",
  ]

  private static let shapes: [Shape] = [
    "curl ", "curl -u ", "curl -u a:b ", Shape(" -u ", before: "curl "), "sk-",
    Shape("SG.", behind: 384), "basic ", "bearer a-", "a@", "@", "+1", "+1 2", "eyJ.", "eyJ-",
    "eyJhIjox.eyJ-.", "123456:AA", "xoxb-",
  ]

  private static let sentences: [Shape] = [
    "password is ", "pin was set to ", Shape("is ", before: "password "),
    Shape("for ", before: "password "), "a token ", "token 9f8e7d6c5b4a39281706 ",
    Shape("\"", before: "token "), "password is <b>",
  ]

  private static let addresses: [Shape] = [
    "://a:", "https://a@", Shape("a://b?u=", of: 512), Shape("?a=", before: "https://a"),
    Shape("/token", before: "https://a"), Shape("&code=a", before: "https://a?state=1"), "%25",
    "%3D%25", Shape("https%3A%2F%2Fa%3Fb%3D", of: 1024),
    Shape("a=b&", type: "application/x-www-form-urlencoded"),
    Shape("token=%41&", type: "application/x-www-form-urlencoded"),
    Shape("code=a&state=1&", type: "application/x-www-form-urlencoded"),
  ]

  private static let packed: [Shape] = [
    "aGVsbG8gd29ybGQh/", "aGVsbG8gd29ybGQh ", "68656c6c6f20776f726c6421", "REDACTED-",
    "REDACTED-a-1", "REDACTED-a-", "UkVEQUNURUQt", "data:[\n", "data:{}\n", "{\n", "{\"a\":[\n",
    "[[[\n",
  ]

  private static let json: [Shape] = [
    Shape("{\"a\":\"b\"},", before: "[", after: "0]"),
    Shape("[\"password\",\"hunter2\"],", before: "[", after: "[\"a\",\"b\"]]"),
    Shape(", a, a", before: "{\"set-cookie\":\"", after: "\"}"),
    Shape(" ", before: "{\"set-cookie\":\"a=b,", after: "\"}"),
    Shape("a=b;", before: "{\"cookie\":\"", after: "\"}"),
    Shape("\\\"token\\\":\\\"", before: "{\"a\":\"", after: "\"}"),
    Shape("a=b\\n", before: "{\"token=a1b2c3d4&\":\"", after: "token=a1b2c3d4\"}"),
    Shape("REDACTED-a-1 \\u0041 ", before: "{\"a\":\"", after: "token=a1b2c3d4\"}"),
    Shape("secrets of one beginning") { count in
      let tokens = (0..<count / 40).map { "{\"token\":\"aaaa\(100_000_000 + $0)\"}" }
      let text = String(repeating: "aaaa1 ", count: count / 12)
      return "{\"all\":[\(tokens.joined(separator: ","))],\"text\":\"\(text)\"}"
    },
    Shape("a secret that repeats itself") { count in
      let quarter = String(repeating: "a", count: count / 4)
      return "{\"token\":\"\(quarter)b\",\"text\":\"\(quarter)\(quarter)\(quarter)\"}"
    },
    Shape("secrets that are each the beginning of the next") { count in
      var (tokens, bytes, length) = ([String](), 0, 8)
      while bytes < count / 2 {
        tokens.append("{\"token\":\"\(String(repeating: "a", count: length))\"}")
        (bytes, length) = (bytes + length + 12, length + 1)
      }
      let text = String(repeating: "a", count: 7) + "b"
      let echoes = String(repeating: text, count: count / 16)
      return "{\"all\":[\(tokens.joined(separator: ","))],\"text\":\"\(echoes)\"}"
    },
  ]

  private static let parts: [Shape] = [
    Shape("--b\r\n\r\n", type: "multipart/form-data; boundary=b"),
    Shape(
      "--b\r\nContent-Disposition: form-data; name=token\r\n\r\na1b2c3\r\n",
      type: "multipart/x; boundary=b"
    ),
    Shape("-", type: "multipart/form-data; boundary=\"\""),
    Shape("parts within parts", type: { _ in "multipart/mixed; boundary=0" }, of: 2048) { count in
      (0..<count / 60).map {
        "--\($0)\r\nContent-Type: multipart/mixed; boundary=\($0 + 1)\r\n\r\n"
      }.joined()
    },
  ]

  private static let marks: [Shape] = [
    "eyJhIjox.", "eyJhIjox.eyJ.", "token=\"", "token='\"x", "<token>", "<token><![CDATA[",
    "<input ",
    "<input a='", "token={", "password \"", ">", "-----BEGIN PRIVATE KEY-----(", "Bearer ",
    "data:{\"a\":\n", "token=$", "<name>pin</name>", "&amp;token=(", "{\"a\":[", "a1 token ",
    "token '",
    "token=//", "token:a.",
  ]

  private static let families = [
    Family("marks", marks), Family("keys", keys), Family("names", named), Family("looks", shapes),
    Family("sentences", sentences), Family("addresses", addresses), Family("codings", packed),
    Family("JSON", json), Family("parts", parts + manyParts), Family("commands", commands),
    Family("known keys", knownKeys), Family("odd keys", oddKeys), Family("values", nameds),
    Family("told values", told), Family("judged values", judged), Family("runs", runs),
    Family("spellings", spelled), Family("columns", columns), Family("recoded", recoded),
    Family("binary", binary), Family("echoes", echoes), Family("walks", walked),
  ]

  private static func redact(_ interactions: [Interaction]) {
    var rules = RedactionRules.standard
    rules.personalData = true
    var redaction = Redaction(continuing: [], rules: rules)
    _ = redaction.redact(interactions)
  }

  @Test(arguments: families) func `redaction of a body is linear`(
    family: Family
  ) async {
    for shape in family.shapes {
      shape.expectLinear { Self.redact([shape.interaction($0)]) }
      // A thread of the pool is not kept from the other tests.
      await Task.yield()
    }
  }

  /// The place of a hostile text.
  enum Place: CaseIterable {
    case field, secretField, cookie, setCookie, credentials, location, query, path, string
  }

  private static func interaction(_ shape: Shape, _ count: Int, in place: Place) -> Interaction {
    let text = String(decoding: shape.body(count), as: UTF8.self)
    let url = "https://api.example.test/a"
    func answer(_ name: String) -> Interaction {
      Interaction(Request("GET", "/"), Response(headers: HeaderFields([HeaderField(name, text)])))
    }
    switch place {
    case .field: return answer("X-Note")
    case .secretField: return answer("X-Api-Key")
    case .cookie: return answer("Cookie")
    case .setCookie: return answer("Set-Cookie")
    case .credentials: return answer("Authorization")
    case .location: return answer("Location")
    case .query: return Interaction(Request("GET", RequestURL("\(url)?c=\(text)")), Response())
    case .path: return Interaction(Request("GET", RequestURL("\(url)/\(text)")), Response())
    case .string:
      let inner = "{\"a\":\"\(JSON.escaped(text))\"}"
      return Interaction(Request("GET", "/"), .text(Body("{\"b\":\"\(JSON.escaped(inner))\"}")))
    }
  }

  @Test(arguments: Place.allCases) func `redaction of other places is linear`(
    place: Place
  ) async {
    for shape in Self.elsewhere {
      await Task.yield()
      shape.expectLinear { Self.redact([Self.interaction(shape, $0, in: place)]) }
    }
  }

  @Test func `a lint is linear`() async {
    for shape in Self.linted {
      await Task.yield()
      shape.expectLinear { count in
        let cassette = Cassette([shape.interaction(count)])
        _ = CassetteLint(cassette, since: cassette)
      }
    }
  }

  @Test func `a review is linear`() async {
    for shape in Self.reviewed {
      await Task.yield()
      shape.expectLinear { _ = CassetteReview(Cassette([shape.interaction($0)])) }
    }
  }

  /// Recordings that little tells apart, and that cannot be opened.
  private static func alike(_ count: Int, _ stand: (Int) -> String) -> Cassette {
    let filling = String(repeating: "x", count: 100)
    return Cassette(
      (0..<count / 256).map { index in
        let body = Body("{\"a\":\"\(filling)\",\"token\":\"\(stand(index))\"}")
        let answer = Response(headers: ["Content-Encoding": "br"], body: body)
        return Interaction(Request("POST", "/REDACTED-id-1", body: body), answer)
      }
    )
  }

  @Test func `a review and a lint of many recordings are linear`() {
    for isOne in [true, false] {
      let growth = Growth(of: 2048) { count in
        let cassette = Self.alike(count) { isOne ? "REDACTED-a-1" : "REDACTED-a-\(10_000 + $0)" }
        _ = CassetteReview(cassette)
        _ = CassetteLint(cassette)
      }
      #expect(growth.isLinear, "\(growth)")
    }
  }

  @Test func `a comparison of recordings with themselves is linear`() {
    let growth = Growth(of: 2048) { count in
      let cassette = Self.alike(count) { "REDACTED-a-\(10_000 + $0)" }
      _ = cassette.added(since: cassette)
    }
    #expect(growth.isLinear, "\(growth)")
  }

  @Test func `the fitting of a stream's pieces is linear`() {
    let growth = Growth(of: 512) { count in
      let lines = count / 16
      let old = Data(String(repeating: "token a\n", count: lines).utf8)
      let new = Data(String(repeating: "token REDACTED\n", count: lines).utf8)
      var timing = Timing(firstByte: .zero, lastByte: .zero)
      timing.chunks = (0..<lines).map { _ in Timing.Chunk(bytes: 8, offset: .zero) }
      timing.refit(from: old, to: new)
    }
    #expect(growth.isLinear, "\(growth)")
  }

  @Test func `parts within parts are not followed for ever`() {
    let shape = Self.parts[3]
    let response = Response(
      headers: ["Content-Type": shape.type(0)],
      body: Body(shape.body(60_000))
    )
    var redaction = Redaction(continuing: [])
    expectEqual(redaction.redact([Interaction(Request("GET", "/deep"), response)]), [])
    expectEqual(
      redaction.leftOut,
      [
        "GET /deep: a body has parts within parts, too deep to be looked through for credentials"
      ]
    )
  }
}
