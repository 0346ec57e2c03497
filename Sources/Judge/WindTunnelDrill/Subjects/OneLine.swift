extension String {
  /// Returns a text of a client's as reports and terminals show it: in one line without secrets,
  /// its control characters spelled.
  package func told(atMost most: Int) -> String {
    // More than is shown, and whole words: of a secret that is cut in the middle nothing is seen.
    let start = unicodeScalars.prefix(8 * most)
    let isCut = start.endIndex < unicodeScalars.endIndex
    let end = isCut ? start.dropFirst(most).lastIndex { $0.properties.isWhitespace } : nil
    let words = Self.withoutStyles(start[..<(end ?? start.endIndex)])
    return words.withoutSecrets.inOneLine(atMost: most).visible
  }

  /// Returns a text with an end of a line for each control sequence of terminals (ECMA-48 §5.4),
  /// beside which no name of a secret is seen.
  private static func withoutStyles(_ text: Substring.UnicodeScalarView) -> String {
    var (plain, isSequence) = (UnicodeScalarView(), false)
    for scalar in text {
      if isSequence {
        isSequence = !("@"..."~" ~= scalar)
      } else if scalar == "[", plain.last == "\u{1B}" {
        plain.removeLast()
        plain.append("\n")
        isSequence = true
      } else {
        plain.append(scalar)
      }
    }
    return String(plain)
  }

  /// Returns the text in one line: the ends of lines are a space, and of a long one so many scalars
  /// are left.
  ///
  /// Not so many characters: one of those may have any number of accents, and weigh megabytes.
  func inOneLine(atMost most: Int) -> String {
    var (line, count, isBetween) = (String.UnicodeScalarView(), 0, false)
    for scalar in unicodeScalars {
      guard !Character(scalar).isNewline else {
        isBetween = count > 0
        continue
      }
      for next in isBetween ? [" ", scalar] : [scalar] {
        guard count < most else { return "\(String(line))…" }
        line.append(next)
        count += 1
      }
      isBetween = false
    }
    return String(line)
  }
}
