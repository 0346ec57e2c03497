extension String {
  /// Returns a client's text as reports and terminals show it: in one line, without secrets, with
  /// its control characters escaped.
  package func told(atMost most: Int) -> String {
    // More text than is shown, cut between words, because a secret that is cut in the middle is not
    // recognised.
    let start = unicodeScalars.prefix(8 * most)
    let isCut = start.endIndex < unicodeScalars.endIndex
    let end = isCut ? start.dropFirst(most).lastIndex { $0.properties.isWhitespace } : nil
    let words = Self.withoutStyles(start[..<(end ?? start.endIndex)])
    return words.withoutSecrets.inOneLine(atMost: most).visible
  }

  /// Returns a text with each control sequence of terminals (ECMA-48 §5.4) replaced by a line end.
  /// Next to such a sequence, the name of a secret is not recognised.
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

  /// Returns the text in one line. Each line end becomes a space, and a long text is cut after a
  /// number of scalars.
  ///
  /// The limit is not a number of characters: a character may have any number of accents, and take
  /// megabytes.
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
