internal import WindTunnel

extension Deck {
  /// Lists what a test should know of its deck although it does not fail the test.
  ///
  /// - Parameters:
  ///   - expectation: What fails the test, and so is told elsewhere.
  ///   - name: What is played.
  /// - Returns: A sentence for each.
  func oversights(expecting expectation: CassetteExpectation, of name: String) -> [String] {
    guard !journal.isEmpty else {
      return [
        """
        No request came to \(name): have the code under test ask through URLSession.windTunnel, or \
        take the cassette away.
        """
      ]
    }
    return expectation.contains(.everyRule) ? [] : unmetRules.map { "\($0)" }
  }
}
