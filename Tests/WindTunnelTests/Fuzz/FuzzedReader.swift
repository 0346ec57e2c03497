import Mutations
import TestSupport

@testable import WindTunnel
@testable import WindTunnelHAR

/// A reader of files from outside, what it reads when all is well, and what must hold of whatever it
/// takes.
enum FuzzedReader: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case cassette, har, scenario, matcher, journal

  var testDescription: String { rawValue }

  /// A good text, for a seed.
  func good(_ generator: inout Generator) throws -> [UInt8] {
    if Int.random(in: 0..<4, using: &generator) == 0,
      let file = Self.shipped[self]?.randomElement(using: &generator)
    {
      return file
    }
    switch self {
    case .cassette: return Array(generator.cassette().data())
    case .har: return Array(HARExport(generator.cassette(), keepingSecrets: true).data)
    case .scenario: return Array(generator.scenario().data())
    case .matcher: return generator.matcher().json(over: .url).bytes()
    case .journal:
      let lines = try generator.cassette().interactions.enumerated().flatMap { order, interaction in
        try JournalFormat.line(interaction, .init(order: order))
      }
      return JournalFormat.header(rewrites: Bool.random(using: &generator)) + lines
    }
  }

  private static let shipped: [FuzzedReader: [[UInt8]]] = {
    func texts(_ folder: String, _ beginning: String) -> [[UInt8]] {
      // What is not there is missed by the tests of what is shipped.
      let files = (try? WindTunnelTests.shipped(folder)) ?? []
      return files.filter { $0.lastPathComponent.hasPrefix(beginning) }
        .compactMap { try? Data(contentsOf: $0) }.map(Array.init)
    }
    return [
      .cassette: texts("format", "cassette") + texts("hostile", "") + texts("examples", "shop"),
      .scenario: texts("format", "scenario") + texts("scenarios", ""),
      .matcher: texts("format", "match"), .har: Self.exporters,
    ]
  }()

  /// A HAR as other tools write it.
  private static let exporters: [[UInt8]] = [Array(WindTunnelTests.har(oddEntry))]

  /// Reads a text and tries what is read; whether it was taken.
  ///
  /// - Throws: What the reader throws, which must be a `FormatError`.
  func read(_ bytes: [UInt8], _ name: Comment) throws -> Bool {
    let data = Data(bytes)
    switch self {
    case .cassette: check(try Cassette(data: data, source: rawValue), name)
    case .har:
      let read = try HARImport(data, source: rawValue, keepingSecrets: true).cassette
      check(read, name)
      _ = try HARImport(data, source: rawValue)
    case .scenario:
      let read = try Scenario(data: data, source: rawValue)
      expectEqual(attempt { try Scenario(data: read.data(), source: "again") }, read, name)
      play(Deck([.get("/users/7", json: [1])], scenario: read), Request("GET", "/users/7"))
    case .matcher:
      let read = try Matcher(data: data, source: rawValue, over: .pathAndQuery)
      let text = Data(read.json(over: .pathAndQuery).bytes())
      expectEqual(
        attempt { try Matcher(data: text, source: "again", over: .pathAndQuery) },
        read,
        name
      )
      let request = Request("POST", "/a/b?c=d", headers: ["A": "b"], body: Body(#"{"a":[1]}"#))
      play(Deck(Cassette([Interaction(request, .json([1]))]), matcher: read), request)
    case .journal:
      for session in try JournalFormat.decode(data, source: rawValue) {
        check(Cassette(session.lines.map(\.interaction)), name)
      }
    }
    return true
  }

  private func check(_ cassette: Cassette, _ name: Comment) {
    let text = cassette.data()
    let again = attempt { try Cassette(data: text, source: "again") }
    expectEqual(again, cassette, name)
    expectEqual(again?.data(), text, name)
    let har = HARExport(cassette, keepingSecrets: true).data
    expectEqual(
      attempt { try HARImport(har, source: "again", keepingSecrets: true).cassette },
      cassette,
      name
    )
    let redacted = cassette.redacted().cassette
    expectEqual(redacted.redacted().cassette, redacted, name)
    _ = CassetteLint(cassette)
    guard let first = cassette.interactions.first else { return }
    let deck = Deck(
      cassette,
      options: PlaybackOptions(refreshingDates: { Date(timeIntervalSince1970: 1_900_000_000) })
    )
    play(deck, first.request)
    play(deck, Request("GET", "/nowhere"))
  }

  private func play(_ deck: Deck, _ request: Request) {
    _ = deck.open(lane: .deck, on: .onTheWire)
    let outcome = deck.decide(request)
    for stage in [Stage.inProcess, .onTheWire] { _ = Delivery(outcome, on: stage) }
    deck.finished(outcome)
  }

  /// What cannot be read again is not equal to what was.
  private func attempt<Value>(_ body: () throws -> Value) -> Value? { try? body() }
}

extension Generator {
  fileprivate mutating func matcher() -> Matcher {
    var matcher = Matcher.url
    matcher.comparesMethod = Bool.random(using: &self)
    matcher.authority = pick([.required, .breaksTies])
    matcher.paths = pick([[], ["/users/{id}"]])
    matcher.ignoredQuery = pick([[], ["page", "utm_*"]])
    matcher.headers = pick([[], ["Accept"]])
    matcher.body = pick([
      BodyRule(.ignored), BodyRule(.bytes), BodyRule(.form), .json(ignoring: "$.items[*].id"),
      BodyRule(.byType, ignoring: ["$..a['b c'][0]"]),
    ])
    return matcher
  }
}
