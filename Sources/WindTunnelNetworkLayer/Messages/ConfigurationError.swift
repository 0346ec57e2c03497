/// The error of layers that make no valid configuration, one sentence for each problem.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problems, one sentence each.
  public let faults: [String]

  /// Makes an error of its sentences.
  public init(faults: [String]) { self.faults = faults }

  /// The problems in one text.
  public var description: String { faults.joined(separator: " ") }
}
