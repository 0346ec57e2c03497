internal import Foundation
internal import Testing

/// Tests that ask for what only a cassette brings along.
enum Forgotten {
  /// Says that there is no such thing: at the line of the test that runs here, or on standard error
  /// where none of Swift Testing does.
  ///
  /// - Returns: The same words.
  @discardableResult
  static func tell(of noun: String) -> String {
    let words = """
      There is no \(noun) here: mark the test with .cassette("NAME"), and ask in the test's own tasks \
      (not in Task.detached, not in what was made before the test).
      """
    if let test = Test.current {
      Issue.record(Comment(rawValue: words), sourceLocation: test.sourceLocation)
    } else {
      // A note that nobody can read ends no test; `write(_:)` would end the process.
      try? FileHandle.standardError.write(contentsOf: Data("\(words)\n".utf8))
    }
    return words
  }
}
