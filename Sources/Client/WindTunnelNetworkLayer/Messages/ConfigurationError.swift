/// The error of configuration layers that are not valid together, with one sentence per problem.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problems, one sentence each.
  public let faults: [String]

  /// Creates an error with its sentences.
  public init(faults: [String]) { self.faults = faults }

  /// The problems in one text.
  public var description: String { faults.joined(separator: " ") }

  /// Returns a sentence for each value that is out of its bounds.
  static func faults(
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
