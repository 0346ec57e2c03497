/// The expectations that a flow has within, by a library of tests: what fails of them is a find of
/// the fault set, and no failure of the test that searches.
public struct Expectations: Sendable {
  /// A function that runs a flow, which does not throw, and returns the failures of its
  /// expectations, each in a sentence.
  public typealias Catch =
    @Sendable (_ flow: @escaping @Sendable () async -> Void) async -> [String]

  let catching: Catch

  /// Makes them of a library's way to catch failures.
  public init(_ catching: @escaping Catch) { self.catching = catching }
}
