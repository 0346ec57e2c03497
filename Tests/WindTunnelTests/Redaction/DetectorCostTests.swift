import TestSupport

@testable import WindTunnel

/// Bodies that are built to make one detector read the same bytes again and again.
///
/// The tests count the bytes that are read (``Growth``). They measure no time.
@Suite struct DetectorCostTests {
  struct Shape: Sendable, Decodable {
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

    private struct Written: Decodable {
      var piece, before, after, type, hex: String?
      var of, behind: Int?
    }

    /// A piece alone, or an object with what else there is.
    init(from decoder: any Swift.Decoder) throws {
      let container = try decoder.singleValueContainer()
      // An object is no string, and decoded below.
      if let piece = try? container.decode(String.self) {
        self.init(piece)
        return
      }
      let written = try container.decode(Written.self)
      let type = written.type ?? "text/plain"
      if let hex = written.hex {
        let bytes = [UInt8](Data(hex: hex))
        let digits = bytes.prefix(16).map { String($0, radix: 16) }.joined(separator: " ")
        self.init("\(type) \(digits)", bytes: bytes, type: type)
        return
      }
      self.init(
        written.piece ?? "",
        before: written.before ?? "",
        after: written.after ?? "",
        type: type,
        of: written.of ?? Self.bytesMin,
        behind: written.behind ?? 0
      )
    }

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

  private static let json: [Shape] = [
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
    Shape("parts within parts", type: { _ in "multipart/mixed; boundary=0" }, of: 2048) { count in
      (0..<count / 60).map {
        "--\($0)\r\nContent-Type: multipart/mixed; boundary=\($0 + 1)\r\n\r\n"
      }.joined()
    }
  ]

  /// The shapes of one piece, each with the name of its family.
  private static let written = Result {
    try TestData.rows("Redaction/shapes.json", count: 369) as [(String, Shape)]
  }

  private static func shapes(_ family: String) throws -> [Shape] {
    try written.get().filter { $0.0 == family }.map(\.1)
  }

  private static func families() throws -> [Family] {
    let built = [
      "JSON": json, "parts": parts + manyParts, "known keys": knownKeys, "odd keys": oddKeys,
      "values": nameds, "judged values": judged, "columns": columns, "recoded": recoded,
      "echoes": echoes, "walks": walked,
    ]
    let names = try Set(written.get().map(\.0)).union(built.keys)
    return try names.subtracting(["elsewhere", "reviewed"]).sorted()
      .map { Family($0, try shapes($0) + (built[$0] ?? [])) }
  }

  private static func redact(_ interactions: [Interaction]) {
    var rules = RedactionRules.standard
    rules.personalData = true
    var redaction = Redaction(continuing: [], rules: rules)
    _ = redaction.redact(interactions)
  }

  @Test(arguments: try families()) func `redaction of a body is linear`(
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
  ) async throws {
    for shape in try Self.shapes("elsewhere") {
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

  @Test func `a review is linear`() async throws {
    for shape in try Self.shapes("reviewed") + Self.reviewed {
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
    let shape = Self.parts[0]
    let response = Response(
      headers: ["Content-Type": shape.type(0)],
      body: Body(shape.body(60_000))
    )
    var redaction = Redaction(continuing: [])
    expectEqual(redaction.redact([Interaction(Request("GET", "/deep"), response)]), [])
    expectEqual(
      redaction.leftOut,
      [
        "GET /deep: a body has nested parts, too deep to be searched for credentials"
      ]
    )
  }
}
