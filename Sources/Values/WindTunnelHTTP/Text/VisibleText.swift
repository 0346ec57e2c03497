// Escaping of external texts, such as file names and output of programs, for display to a person.

extension String {
  /// The text with invisible characters written as escapes, such as `\u{1B}`.
  ///
  /// Control characters are escaped, except tabs and line ends. So are bidirectional controls (UAX
  /// #9), other line separators, and marks that combine with an ASCII symbol. Such a combination is
  /// no longer equal to the symbol, but Markdown and spreadsheets still interpret the symbol. A
  /// stray octet of a head is written as `\xE9`.
  package var visible: String { spelled(inLine: false) }

  /// The same for a single line: tabs and line ends are escaped, too.
  package var visibleInLine: String { spelled(inLine: true) }

  private func spelled(inLine: Bool) -> String {
    // Fast path: nearly every text is plain, which its bytes show.
    guard utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return self }
    var result = String.UnicodeScalarView()
    var rest = unicodeScalars[...]
    var before: Unicode.Scalar?
    while let scalar = rest.popFirst() {
      defer { before = scalar }
      let endsLine = !inLine && scalar == "\r" && rest.first == "\n"
      let hidesMarkup = before.map { $0.isMarkup && scalar.extendsCharacter } ?? false
      if let octet = scalar.octet {
        result.append(contentsOf: "\\x\(String(octet, radix: 16, uppercase: true))".unicodeScalars)
      } else if scalar.isInvisible(inLine: inLine) && !endsLine || hidesMarkup {
        let number = String(scalar.value, radix: 16, uppercase: true)
        result.append(contentsOf: "\\u{\(number)}".unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// A JSON text in which the same characters are written as JSON escapes (RFC 8259 §7). Its value
  /// is unchanged, because these characters occur only within strings.
  package var visibleAsJSON: String {
    guard utf8.contains(where: { $0 >= 0x7F }) else { return self }
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      // Lower control characters are already escaped in JSON or are white space.
      if scalar.value >= 0x7F, scalar.isInvisible(inLine: false) {
        let number = String(scalar.value, radix: 16)
        let zeros = String(repeating: "0", count: 4 - number.count)
        result.append(contentsOf: "\\u\(zeros)\(number)".unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// The text with the special characters of HTML and invisible characters escaped.
  package var escapedForHTML: String {
    var text = ""
    text.reserveCapacity(utf8.count)
    for character in visibleInLine {
      switch character {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      default: text.append(character)
      }
    }
    return text
  }

  /// The text as one word of a POSIX shell (Shell Command Language §2.2): unquoted if it has no
  /// special character, otherwise in single quotes.
  ///
  /// A text with an invisible character is in dollar-single-quotes (§2.2.4), so that the word can
  /// be read and typed.
  package var asShellWord: String {
    if visibleInLine != self {
      let bytes = utf8.map { byte -> String in
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\\"): "\\\(Character(UnicodeScalar(byte)))"
        case 0x20..<0x7F: String(Character(UnicodeScalar(byte)))
        default: "\\x\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
        }
      }
      return "$'\(bytes.joined())'"
    }
    let isPlain =
      !isEmpty && !hasPrefix("#")
      && utf8.allSatisfy { byte in
        let character = Character(UnicodeScalar(byte))
        return byte < 128
          && (character.isLetter || character.isNumber || "_./:=@%+,-#".contains(character))
      }
    return isPlain ? self : "'\(replacing("'", with: "'\\''"))'"
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is an ASCII symbol, which may be markup in some format.
  fileprivate var isMarkup: Bool {
    switch value {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: false
    default: (0x21..<0x7F).contains(value)
    }
  }

  /// Whether the scalar forms one character with the previous scalar (UAX #29, GB9 and GB9a).
  fileprivate var extendsCharacter: Bool {
    guard value >= 0x300 else { return false }
    return properties.isGraphemeExtend || value == 0x200D
      || properties.generalCategory == .spacingMark
  }

  /// Whether the scalar is invisible and only has an effect.
  fileprivate func isInvisible(inLine: Bool) -> Bool {
    switch value {
    case 0x09, 0x0A: inLine
    case 0..<0x20, 0x7F..<0xA0: true
    // Bidi_Control, and the line and paragraph separators (Unicode §5.8).
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: octet != nil
    }
  }
}
