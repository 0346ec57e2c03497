import TestSupport

@testable import WindTunnelNetworkLayer

/// The meaning of patterns, and their cost.
@Suite struct LinkPatternTests {
  @Test(arguments: try TestData.rows("link-patterns.json", count: 68) as [(String, String, Bool)])
  func `a pattern is like a text or not`(pattern: String, text: String, matches: Bool) throws {
    try expectEqual(LinkPattern(pattern).matches(text), matches)
  }

  @Test(
    arguments: try TestData.rows("refused-link-patterns.json", count: 22)
      as [(String, Int, String)]
  )
  func `what is not known is refused with its place and a fix`(
    pattern: String,
    place: Int,
    flaw: String
  ) {
    let error = #expect(throws: LinkPatternError.self) { try LinkPattern(pattern) }
    let words = "The pattern \"\(pattern)\" is invalid at byte \(place): \(flaw)"
    expectEqual(error?.description, words)
  }

  @Test func `a pattern has a length and a depth`() throws {
    _ = try LinkPattern(String(repeating: "a", count: LinkPattern.bytesMax))
    let long = String(repeating: "a", count: LinkPattern.bytesMax + 1)
    #expect(throws: LinkPatternError(long, at: 0, "it has 513 bytes; the maximum is 512.")) {
      try LinkPattern(long)
    }
    func nested(_ depth: Int) -> String {
      String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
    }
    #expect(try LinkPattern(nested(LinkPattern.depthMax)).matches("a"))
    let deep = nested(LinkPattern.depthMax + 1)
    #expect(
      throws: LinkPatternError(
        deep,
        at: LinkPattern.depthMax + 1,
        "groups are nested more than 32 deep; use fewer."
      )
    ) { try LinkPattern(deep) }
  }

  @Test(arguments: ["(a*)*b", "(a|a)*b", "(a+)+b", "(a?)*b", "((a|.)*a*)*b"])
  func `no pattern takes more than its states for each byte`(text: String) throws {
    let pattern = try LinkPattern(text)
    func steps(_ count: Int) -> Int {
      var steps = 0
      let matches = pattern.matches(
        Array(repeating: UInt8(ascii: "a"), count: count),
        counting: &steps
      )
      #expect(!matches)
      return steps
    }
    let (half, whole) = (steps(50_000), steps(100_000))
    // Each letter is at most two steps.
    #expect(whole <= 2 * text.utf8.count * 100_001)
    #expect(abs(whole - 2 * half) <= 100)
  }

  // MARK: - Beside an oracle

  indirect enum Node {
    case letter(Character)
    case any
    case set(String, isInverted: Bool)
    case start
    case end
    case row([Node])
    case either(Node, Node)
    case many(Node)
    case some(Node)
    case maybe(Node)

    var text: String {
      switch self {
      case .letter(let letter): String(letter)
      case .any: "."
      case .set(let letters, let isInverted): "[\(isInverted ? "^" : "")\(letters)]"
      case .start: "^"
      case .end: "$"
      case .row(let parts): parts.map(\.text).joined()
      case .either(let one, let other): "(\(one.text)|\(other.text))"
      case .many(let part): "(\(part.text))*"
      case .some(let part): "(\(part.text))+"
      case .maybe(let part): "(\(part.text))?"
      }
    }

    /// Tries one way after the other, and goes back where one leads nowhere.
    func matches(_ text: [Character], _ place: Int, _ rest: (Int) -> Bool) -> Bool {
      func one(_ isGood: (Character) -> Bool) -> Bool {
        place < text.count && isGood(text[place]) && rest(place + 1)
      }
      switch self {
      case .letter(let letter): return one { $0 == letter }
      case .any: return one { _ in true }
      case .set(let letters, let isInverted): return one { letters.contains($0) != isInverted }
      case .start: return place == 0 && rest(place)
      case .end: return place == text.count && rest(place)
      case .row(let parts):
        guard let first = parts.first else { return rest(place) }
        return first.matches(text, place) {
          Node.row(Array(parts.dropFirst())).matches(text, $0, rest)
        }
      case .either(let one, let other):
        return one.matches(text, place, rest) || other.matches(text, place, rest)
      case .many(let part):
        return rest(place)
          || part.matches(text, place) { $0 > place && matches(text, $0, rest) }
      case .some(let part):
        return part.matches(text, place) { Node.many(part).matches(text, $0, rest) }
      case .maybe(let part): return rest(place) || part.matches(text, place, rest)
      }
    }

    static func drawn(_ draw: inout UInt64, _ depth: Int) -> Node {
      func next(_ count: UInt64) -> UInt64 {
        draw = draw &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (draw >> 33) % count
      }
      if depth == 0 {
        switch next(8) {
        case 0, 1: return .letter("a")
        case 2, 3: return .letter("b")
        case 4: return .any
        case 5: return .set(next(2) == 0 ? "a" : "ab", isInverted: next(2) == 0)
        case 6: return .start
        default: return .end
        }
      }
      switch next(7) {
      case 0, 1: return .row((0..<(1 + next(3))).map { _ in drawn(&draw, depth - 1) })
      case 2: return .either(drawn(&draw, depth - 1), drawn(&draw, depth - 1))
      case 3: return .many(drawn(&draw, depth - 1))
      case 4: return .some(drawn(&draw, depth - 1))
      case 5: return .maybe(drawn(&draw, depth - 1))
      default: return drawn(&draw, 0)
      }
    }
  }

  static let texts: [String] = (0...4).flatMap { count in
    (0..<(1 << count)).map { bits in
      String((0..<count).map { bits >> $0 & 1 == 0 ? "a" as Character : "b" })
    }
  }

  @Test(arguments: 0..<8)
  func `drawn patterns mean what one who tries all ways finds`(seed: Int) throws {
    var draw = UInt64(seed) &* 7_919 &+ 1
    var matched = 0
    for _ in 0..<60 {
      let node = Node.drawn(&draw, 4)
      // A class of none of the letters has no spelling of its own.
      guard node.text.utf8.count <= LinkPattern.bytesMax, !node.text.isEmpty else { continue }
      let pattern = try LinkPattern(node.text)
      for text in Self.texts {
        let expected = node.matches(Array(text), 0) { $0 == text.count }
        matched += expected ? 1 : 0
        expectEqual(pattern.matches(text), expected, "\(node.text) on \(text)")
      }
    }
    #expect(matched > 60)
  }
}

/// Links that a layer allows.
@Suite struct LinkRuleTests {
  private static func configuration(_ links: [String]?) throws -> NetworkConfiguration {
    try NetworkConfiguration(
      builtIn: ConfigurationLayer(baseURL: "https://api.example.test/v1"),
      fetched: ConfigurationLayer(links: links)
    )
  }

  @Test func `a request is for a link that the layer allows, or is not sent`() async throws {
    let configuration = try Self.configuration([
      "https://api\\.example\\.test/v1/users/[0-9]+",
      "https://api\\.example\\.test/v1/search\\?q=.*",
    ])
    let sent = Counter()
    let client = NetworkClient(
      builder: configuration.builder,
      transport: ScriptedEngine { _ throws(TransportError) in
        _ = sent.next()
        return ServerResponse(status: 200)
      }
    )
    _ = try await client.call(Endpoint(.get, "/users/7"))
    _ = try await client.call(Endpoint(.get, "/search", query: ["q": "a b"]))
    let refused = NetworkError.invalidRequest(.link("https://api.example.test/v1/users/x"))
    await #expect(throws: refused) {
      try await client.call(Endpoint(.get, "/users/x", query: ["secret": "1"]))
    }
    expectEqual(
      refused.description,
      "The configuration does not allow the link \"https://api.example.test/v1/users/x\"; "
        + "use another link, or add a pattern to \"links\"."
    )
    await #expect(throws: NetworkError.self) {
      try await client.call(
        Endpoint(
          .get,
          "/search",
          query: ["q": String(repeating: "a", count: LinkRules.linkBytesMax)]
        )
      )
    }
    expectEqual(sent.current, 2)
    expectEqual(
      configuration.publicView["links.2"],
      "https://api\\.example\\.test/v1/search\\?q=.*"
    )
  }

  @Test func `all that is wrong with links is told at once, when the layer is read`() {
    func refuses(_ links: [String], _ faults: String...) {
      #expect(throws: ConfigurationError(problems: faults)) { try Self.configuration(links) }
    }
    refuses(
      ["a{2}", "b", "("],
      "In \"links\": The pattern \"a{2}\" is invalid at byte 2: counts in braces are not supported; "
        + "repeat the part as often as needed, or write \\{ for the character.",
      "In \"links\": The pattern \"(\" is invalid at byte 1: this ( has no ); write \\( for "
        + "the character."
    )
    refuses([], "\"links\" has no pattern and would refuse every link; remove it.")
    let letters = Array(repeating: "a", count: 65)
    refuses(letters, "\"links\" has 65 patterns; the maximum is 64.")
    let long = Array(repeating: String(repeating: "a", count: 500), count: 9)
    refuses(long, "\"links\" has 4500 bytes; the maximum is 4096.")
  }
}
