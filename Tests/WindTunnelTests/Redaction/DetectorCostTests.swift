import Foundation
import TestSupport
import Testing

@testable import WindTunnel
@testable import WindTunnelLink
@testable import WindTunnelRedaction

/// Bodies that are made to have one detector read the same bytes again and again.
///
/// Four times as much may cost four times as much, and with what a loaded machine adds never eight
/// times; the square would be sixteen.
@Suite struct DetectorCostTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// The media type of a body of about so many bytes.
    var type: @Sendable (Int) -> String
    /// A body of about so many bytes.
    var body: @Sendable (Int) -> Data

    /// One piece, over and over, between a beginning and an end.
    init(_ piece: String, before: String = "", after: String = "", type: String = "text/plain") {
      self.init("\(before)\(piece)…\(after)".debugDescription, type: { _ in type }) { count in
        before + DetectorCostTests.some(piece, count) + after
      }
    }

    /// One piece that is no text.
    init(_ name: String, bytes piece: [UInt8], type: String) {
      testDescription = name
      self.type = { _ in type }
      body = { count in
        Data([[UInt8]](repeating: piece, count: count / piece.count).joined())
      }
    }

    init(
      _ name: String,
      type: @escaping @Sendable (Int) -> String = { _ in "text/plain" },
      _ body: @escaping @Sendable (Int) -> String
    ) {
      (testDescription, self.type) = (name, type)
      self.body = { Data(body($0).utf8) }
    }
  }

  /// The place of a hostile text.
  enum Place: CaseIterable {
    case field, secretField, cookie, setCookie, credentials, location, query, path, string
  }

  static let key = "-----BEGIN PRIVATE KEY-----"

  private static let keys = [
    Shape(key), Shape("\(key)\n"), Shape("\(key) a "), Shape("\(key)_"),
    Shape(key, after: "-----END"),
    Shape("-----BEGIN "), Shape("-----"), Shape("-----END"),
  ]

  private static let named = [
    Shape("token=", after: "("), Shape("token=", after: ":::("), Shape("token=#{"),
    Shape("token=${"), Shape("token=$("), Shape("token=:"), Shape("token:"), Shape("pin=pin:"),
    Shape("token=\"\\"), Shape("token='token=\""), Shape("token=\\\"token='"), Shape("'token=\""),
    Shape("authorization: a "), Shape("authorization:a"), Shape("a=b&"), Shape("a="),
    Shape("<password>"), Shape("<password a"), Shape("<password><![CDATA[]]>"),
    Shape("<input name=\"token\" value="), Shape("<key>token</key>"), Shape("<key>token</key>   "),
    Shape("<name>pin</name><value>"), Shape("password '"), Shape("a://b\nsid=1\n"),
  ]

  private static let shapes = [
    Shape("curl "), Shape("curl -u "), Shape("curl -u a:b "), Shape(" -u ", before: "curl "),
    Shape("sk-"), Shape("SG."), Shape("basic "), Shape("bearer a-"), Shape("a@"), Shape("@"),
    Shape("+1"), Shape("+1 2"), Shape("eyJ."), Shape("eyJ-"), Shape("eyJhIjox.eyJ-."),
    Shape("123456:AA"), Shape("xoxb-"),
  ]

  private static let sentences = [
    Shape("password is "), Shape("pin was set to "), Shape("is ", before: "password "),
    Shape("for ", before: "password "), Shape("a token "), Shape("token 9f8e7d6c5b4a39281706 "),
    Shape("\"", before: "token "), Shape("password is <b>"),
  ]

  private static let addresses = [
    Shape("://a:"), Shape("https://a@"), Shape("a://b?u="), Shape("?a=", before: "https://a"),
    Shape("/token", before: "https://a"), Shape("&code=a", before: "https://a?state=1"),
    Shape("%25"), Shape("%3D%25"), Shape("https%3A%2F%2Fa%3Fb%3D"),
    Shape("a=b&", type: "application/x-www-form-urlencoded"),
    Shape("token=%41&", type: "application/x-www-form-urlencoded"),
    Shape("code=a&state=1&", type: "application/x-www-form-urlencoded"),
  ]

  private static let packed = [
    Shape("aGVsbG8gd29ybGQh/"), Shape("aGVsbG8gd29ybGQh "), Shape("68656c6c6f20776f726c6421"),
    Shape("REDACTED-"), Shape("REDACTED-a-1"), Shape("REDACTED-a-"), Shape("UkVEQUNURUQt"),
    Shape("data:[\n"), Shape("data:{}\n"), Shape("{\n"), Shape("{\"a\":[\n"), Shape("[[[\n"),
  ]

  private static let json = [
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

  private static let parts = [
    Shape("--b\r\n\r\n", type: "multipart/form-data; boundary=b"),
    Shape(
      "--b\r\nContent-Disposition: form-data; name=token\r\n\r\na1b2c3\r\n",
      type: "multipart/x; boundary=b"
    ),
    Shape("-", type: "multipart/form-data; boundary=\"\""),
    Shape("parts within parts", type: { _ in "multipart/mixed; boundary=0" }) { count in
      (0..<count / 60).map {
        "--\($0)\r\nContent-Type: multipart/mixed; boundary=\($0 + 1)\r\n\r\n"
      }.joined()
    },
  ]

  private static func cost(of work: () -> Void) -> Double {
    let start = RedactionCostTests.spent()
    work()
    return RedactionCostTests.spent() - start
  }

  /// How many times as much four times as much costs, beginning with what costs enough to be told from
  /// nothing; the least of several attempts, since a machine can only add. What grows with the square
  /// does so at each size, and a machine's caches end at one.
  private static func growth(_ cost: (Int) -> Double) -> Double {
    var count = 2048
    while count < 1 << 20, cost(count) < 0.015 { count *= 2 }
    var least = Double.infinity
    for attempt in 0..<6 where least >= growthMax {
      if attempt == 3 { count *= 4 }
      least = min(least, cost(4 * count) / cost(count))
    }
    return least
  }

  private static let growthMax = 8.0

  private static func redacting(_ interactions: [Interaction]) -> Double {
    cost {
      var rules = RedactionRules.standard
      rules.personalData = true
      var redaction = Redaction(continuing: [], rules: rules)
      _ = redaction.redact(interactions)
    }
  }

  private static func interaction(_ shape: Shape, _ count: Int) -> Interaction {
    let body = Body(shape.body(count))
    let headers: HeaderFields = ["Content-Type": shape.type(count)]
    return Interaction(Request("GET", "/"), Response(headers: headers, body: body))
  }

  private static func interaction(_ shape: Shape, _ count: Int, in place: Place) -> Interaction {
    let text = String(decoding: shape.body(count), as: UTF8.self)
    let url = "https://api.example.test/a"
    func answer(_ name: String) -> Interaction {
      Interaction(
        Request("GET", "/"),
        Response(headers: HeaderFields([HeaderField(name, text)]))
      )
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
      return Interaction(
        Request("GET", "/"),
        .text(Body("{\"b\":\"\(JSON.escaped(inner))\"}"))
      )
    }
  }

  @Test(arguments: [keys, named, shapes, sentences, addresses, packed, json, parts].joined())
  func `four times as much of the worst costs four times as much`(shape: Shape) {
    let growth = Self.growth { Self.redacting([Self.interaction(shape, $0)]) }
    #expect(growth < Self.growthMax)
  }

  @Test(arguments: [commands, knownKeys, oddKeys, nameds, told, judged, runs, spelled].joined())
  func `so it is of what is known by where it stands and by its looks`(shape: Shape) {
    let growth = Self.growth { Self.redacting([Self.interaction(shape, $0)]) }
    #expect(growth < Self.growthMax)
  }

  @Test(arguments: [columns, manyParts, recoded, binary, echoes, walked].joined())
  func `so it is of what is opened and walked through`(shape: Shape) {
    let growth = Self.growth { Self.redacting([Self.interaction(shape, $0)]) }
    #expect(growth < Self.growthMax)
  }

  @Test(arguments: elsewhere, Place.allCases)
  func `so it is in other places than a body`(shape: Shape, place: Place) {
    let growth = Self.growth { Self.redacting([Self.interaction(shape, $0, in: place)]) }
    #expect(growth < Self.growthMax)
  }

  @Test(arguments: linted)
  func `four times as much of the worst is linted at four times the cost`(shape: Shape) {
    let growth = Self.growth { count in
      let cassette = Cassette([Self.interaction(shape, count)])
      return Self.cost { _ = CassetteLint(cassette, since: cassette) }
    }
    #expect(growth < Self.growthMax)
  }

  @Test(arguments: reviewed)
  func `four times as many placeholders are reviewed at four times the cost`(shape: Shape) {
    let growth = Self.growth { count in
      let cassette = Cassette([Self.interaction(shape, count)])
      return Self.cost { _ = CassetteReview(cassette) }
    }
    #expect(growth < Self.growthMax)
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

  @Test(arguments: [true, false])
  func `four times as many recordings are looked through at four times the cost`(isOne: Bool) {
    let growth = Self.growth { count in
      let cassette = Self.alike(count) { isOne ? "REDACTED-a-1" : "REDACTED-a-\(10_000 + $0)" }
      return Self.cost {
        _ = CassetteReview(cassette)
        _ = CassetteLint(cassette)
      }
    }
    #expect(growth < Self.growthMax)
  }

  @Test func `four times as many recordings are compared with themselves at four times the cost`() {
    let growth = Self.growth { count in
      let cassette = Self.alike(count) { "REDACTED-a-\(10_000 + $0)" }
      return Self.cost { _ = cassette.added(since: cassette) }
    }
    #expect(growth < Self.growthMax)
  }

  @Test func `lines of a key are counted on their line, behind a value of several lines`() {
    let text = "s:8:\"password\";s:4:\"a\nb1\";Private-Lines: 1\na1b2c3d4\n"
    var redaction = Redaction(continuing: [])
    expectEqual(redaction.redact([Interaction(Request("GET", "/"), .text(Body(text)))]).count, 1)
  }

  @Test func `four times as many pieces of a stream are fitted at four times the cost`() {
    let growth = Self.growth { count in
      let lines = count / 16
      let old = Data(String(repeating: "token a\n", count: lines).utf8)
      let new = Data(String(repeating: "token REDACTED\n", count: lines).utf8)
      var timing = Timing(firstByte: .zero, lastByte: .zero)
      timing.chunks = (0..<lines).map { _ in Timing.Chunk(bytes: 8, offset: .zero) }
      return Self.cost { timing.refit(from: old, to: new) }
    }
    #expect(growth < Self.growthMax)
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
      redaction.leftOut, [
        "GET /deep: a body has parts within parts, too deep to be looked through for credentials"
      ]
    )
  }
}
