internal import Foundation

/// Where words go: answers to standard output, everything else to standard error.
package enum Terminal {
  /// Prints what was asked for.
  package static func answer(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Prints what nobody asked for.
  package static func complain(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Whether a person looks at standard error, so that a line may be written over.
  package static let showsProgress = isatty(STDERR_FILENO) != 0

  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      // A reader that went away does not want the rest.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
