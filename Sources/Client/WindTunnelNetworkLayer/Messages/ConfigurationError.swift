/// The error of configuration layers that are not valid together, with one sentence per problem.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problems, one sentence each.
  public let problems: [String]

  /// Creates an error with its sentences.
  public init(problems: [String]) { self.problems = problems }

  /// The problems in one text.
  public var description: String { problems.joined(separator: " ") }

  /// Returns a sentence for each value that is out of its bounds.
  static func problems(
    of bounds: [(name: String, value: Int?, range: ClosedRange<Int>)],
    in place: String = ""
  ) -> [String] {
    bounds.compactMap { name, value, range in
      guard let value, !range.contains(value) else { return nil }
      let words = "\(range.lowerBound) to \(range.upperBound)"
      return "\"\(name)\"\(place) is \(value); it must be \(words)."
    }
  }
}
