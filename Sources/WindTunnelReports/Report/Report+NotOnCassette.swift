// Calls that asked for what is not on the cassette: the cassette lacks it, or the way to it was lost. They
// say nothing about the client, so they are in no rate, and a drill that has one is inconclusive.

extension Report {
  /// The number of such calls that the judged subject made.
  var judgedNotOnCassette: Int {
    scenarios.reduce(0) { $0 + ($1.subjects.first?.metrics.notOnCassette ?? 0) }
  }

  /// A sentence for each scenario in which the judged subject made such calls.
  package var notOnCassette: [String] {
    scenarios.compactMap { flown in
      flown.subjects.first?.notOnCassette.map { "\(flown.name): \($0)" }
    }
  }

  /// The same for every subject, named where there are others.
  var notOnCassetteOfAll: [(place: String, words: String)] {
    scenarios.flatMap { flown in
      flown.subjects.compactMap { row in
        row.notOnCassette.map { words in
          (flown.subjects.count > 1 ? "\(flown.name), \(row.name)" : flown.name, words)
        }
      }
    }
  }
}

extension Report.Row {
  /// The number of its calls that asked for what is not on the cassette, and what the first asked
  /// for; `nil` where none did.
  var notOnCassette: String? { Self.notOnCassette(observations) }

  /// The same of an endpoint's calls.
  func notOnCassette(of endpoint: String) -> String? {
    Self.notOnCassette(observations.filter { $0.endpoint == endpoint })
  }

  private static func notOnCassette(_ calls: [Observation]) -> String? {
    let strange = calls.filter { $0.notOnCassette != nil }
    guard let first = strange.min(by: { $0.call < $1.call })?.notOnCassette else { return nil }
    return "\(notOnCassette(strange.count)), first: \(first)"
  }

  static func notOnCassette(_ count: Int) -> String {
    "\(count) \(count == 1 ? "call" : "calls") asked for what is not on the cassette"
  }
}
