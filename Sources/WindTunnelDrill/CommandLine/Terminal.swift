internal import Foundation

/// Where words go: answers to standard output, everything else to standard error.
package enum Terminal {
  /// Prints what was asked for.
  package static func answer(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Prints what was asked for and comes out of a file that anybody may have written: what would steer
  /// the terminal is shown instead.
  package static func answerVisibly(_ text: String) { answer(visible(text)) }

  /// A text whose control characters are spelled, such as `\u{1B}`, but for tabs and the ends of
  /// lines; so are the marks that turn the direction of writing round (UAX #9).
  package static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: steers) else { return text }
    var result = String.UnicodeScalarView()
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      let endsLine = scalar == "\r" && index + 1 < scalars.count && scalars[index + 1] == "\n"
      if steers(scalar), !endsLine {
        result.append(
          contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars
        )
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  private static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

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
