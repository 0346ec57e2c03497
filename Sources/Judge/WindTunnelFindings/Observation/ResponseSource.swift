/// The source of the response to an attempt.
public enum ResponseSource: Sendable, Hashable {
  /// A deck played the response.
  case played(Journal.Take)
  /// A source reported by a proxy, or by another version of the report.
  indirect case other(String)

  /// Parses the source in a report, such as `recording 3`.
  public init(words: String) {
    let number = words.split(separator: " ").last.flatMap { Int($0) }.map { max(0, $0 &- 1) }
    let takes: [Journal.Take] =
      number.map { [.recording($0), .withheld($0)] }
      ?? [.computed, .forwarded, .unmatched, .connection]
    self = takes.first { $0.words == words }.map { .played($0) } ?? .other(words)
  }

  /// The source as a report states it.
  public var words: String {
    switch self {
    case .played(let take): take.words
    case .other(let words): words
    }
  }

  /// The number of the recording on the cassette, counted from 1, or `nil` if there is none.
  package var number: Int? { if case .played(let take) = self { take.interaction } else { nil } }
}
