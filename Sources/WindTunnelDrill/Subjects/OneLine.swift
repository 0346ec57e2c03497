extension String {
  /// Returns a text of a client's as reports and terminals show it: in one line without secrets,
  /// its control characters spelled.
  func told(atMost most: Int) -> String {
    // More than is shown: of a secret that is cut in the middle nothing can be seen.
    String(unicodeScalars.prefix(8 * most)).withoutSecrets.inOneLine(atMost: most).visible
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
