/// The policy for a report's verdict.
public struct VerdictPolicy: Sendable, Hashable {
  /// Whether inconclusive gates pass.
  public var allowsInconclusive = false
  /// The minimum severity of findings that fail a drill. `nil` means that findings never fail it.
  public var failingFindings: Finding.Severity? = .error

  /// Creates the default policy.
  public init() {}
}
