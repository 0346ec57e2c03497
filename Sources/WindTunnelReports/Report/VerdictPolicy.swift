/// The bar that a report's verdict is given by.
public struct VerdictPolicy: Sendable, Hashable {
  /// Tells whether a gate passes of which the drill cannot tell.
  public var allowsInconclusive = false
  /// The weight from which on a finding fails a drill; `nil`: none does.
  public var failingFindings: Finding.Severity? = .error

  /// Makes the bar that holds where nothing else is said.
  public init() {}
}
