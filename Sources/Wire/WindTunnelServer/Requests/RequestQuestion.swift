internal import Foundation
internal import WindTunnel

/// A question about the requests of a server: whether one arrived a number of times, or whether
/// several arrived in an order.
///
///     { "request": "GET /users/*", "times": 2, "since": 17 }
///     { "request": "GET /users/*", "atLeast": 1, "atMost": 3 }
///     { "inOrder": ["GET /home", "POST /payments"] }
///
/// Without a number, at least one request is expected. `since` excludes requests up to that number.
struct RequestQuestion: Sendable, Hashable {
  private enum Asked: Sendable, Hashable {
    case count(RequestPattern, ClosedRange<Int>)
    case order([RequestPattern])
  }

  /// The maximum number of seen requests that a response lists.
  private static let toldMax = 100

  private let asked: Asked
  private let since: Int

  /// Parses the query of a question.
  init(data: Data) throws(FormatError) {
    let source = "question"
    var top = try ObjectReader(JSON(parsing: data, source: source), source: source, path: "")
    let request = try top.string("request")
    let order = try top.array("inOrder")
    let times = try top.int("times", in: 0...Int.max)
    let least = try top.int("atLeast", in: 0...Int.max)
    let most = try top.int("atMost", in: 0...Int.max)
    since = try top.int("since", in: 0...Int.max) ?? 0
    try top.refuseUnknownKeys()
    switch (request, order) {
    case (let request?, nil):
      guard times == nil || (least == nil && most == nil) else {
        throw top.error("times", "cannot be combined with \"atLeast\" or \"atMost\"")
      }
      let low = times ?? least ?? (most == nil ? 1 : 0)
      let high = times ?? most ?? Int.max
      guard low <= high else { throw top.error("atMost", "\(high) is less than \"atLeast\"") }
      asked = .count(try top.pattern(request, at: "request"), low...high)
    case (nil, let order?):
      guard times == nil, least == nil, most == nil else {
        throw top.error("inOrder", "cannot have a number; use \"request\" for numbers")
      }
      var patterns: [RequestPattern] = []
      for (index, json) in order.enumerated() {
        guard let text = json.stringValue else {
          throw top.error("inOrder[\(index)]", "\(json) is not a request such as \"GET /home\"")
        }
        patterns.append(try top.pattern(text, at: "inOrder[\(index)]"))
      }
      guard !patterns.isEmpty else { throw top.error("inOrder", "is empty") }
      asked = .order(patterns)
    case (nil, nil), (_?, _?):
      throw top.error(
        ofAll: "either \"request\" or \"inOrder\" is required",
        fix: "For example: { \"request\": \"GET /home\", \"times\": 2 }."
      )
    }
  }

  /// Whether the records can answer the question: no request that it covers has been dropped.
  func isTold(by records: ExchangeRecords) -> Bool { since >= records.droppedThrough }

  /// Returns `{"passed", "asked", "seen"}`. It lists the seen requests by number and line. For an
  /// order, it also has the number of requests that were found and the first missing one.
  func answer(from records: ExchangeRecords) -> JSON {
    let entries = records.entries(after: since)
    switch asked {
    case .count(let pattern, let range):
      let seen = entries.filter { pattern.matches($0.request) }
      return [
        "passed": .bool(range.contains(seen.count)), "asked": .text("\(pattern) \(range.words)"),
        "seen": ["count": .number(seen.count), "requests": Self.told(seen)],
      ]
    case .order(let patterns):
      var found = 0
      for entry in entries where found < patterns.count {
        if patterns[found].matches(entry.request) { found += 1 }
      }
      let seen = entries.filter { entry in patterns.contains { $0.matches(entry.request) } }
      let missing = found < patterns.count ? patterns[found].description : nil
      return [
        "passed": .bool(missing == nil),
        "asked": .text(patterns.map(\.description).joined(separator: ", then ")),
        "seen": [
          "found": .number(found), "missing": missing.map { .text($0) } ?? .null,
          "count": .number(seen.count), "requests": Self.told(seen),
        ],
      ]
    }
  }

  private static func told(_ entries: some Collection<ExchangeRecord>) -> JSON {
    .array(entries.prefix(toldMax).map { ["id": .number($0.id), "request": .text($0.line)] })
  }
}

extension ClosedRange<Int> {
  fileprivate var words: String {
    if lowerBound == upperBound { return "exactly \(Self.times(lowerBound))" }
    if upperBound == .max { return "at least \(Self.times(lowerBound))" }
    if lowerBound == 0 { return "at most \(Self.times(upperBound))" }
    return "\(lowerBound) to \(Self.times(upperBound))"
  }

  private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}
