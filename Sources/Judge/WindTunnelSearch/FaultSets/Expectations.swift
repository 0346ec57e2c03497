/// The expectations within a flow, from a testing library. A failed expectation is a find of the
/// fault set, and does not fail the test that runs the search.
public struct Expectations: Sendable {
  /// A function that runs a flow, which does not throw. It returns the failures of the flow's
  /// expectations, each as a sentence.
  public typealias Catch =
    @Sendable (_ flow: @escaping @Sendable () async -> Void) async -> [String]

  let catching: Catch

  /// Creates expectations from a library's function that catches failures.
  public init(_ catching: @escaping Catch) { self.catching = catching }
}
