/// The policy by which a report's verdict is reached.
public struct VerdictPolicy: Sendable, Hashable {
  /// Tells whether an inconclusive gate passes.
  public var allowsInconclusive = false
  /// The severity from which on a finding fails a drill; `nil`: none does.
  public var failingFindings: Finding.Severity? = .error

  /// Makes the default policy.
  public init() {}
}
