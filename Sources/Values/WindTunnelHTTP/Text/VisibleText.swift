// Texts from outside, such as names in files and what programs say, on their way to a person's
// eyes.

extension String {
  /// The text with its control characters spelled, such as `\u{1B}`, but for tabs and the ends of
  /// lines; so are the marks that turn the direction of writing round (UAX #9), those that some
  /// readers end a line at, and those that join a sign of ASCII: with one behind it a character is
  /// no longer equal to that sign, which Markdown and spreadsheets read all the same. A stray octet
  /// of a head is spelled `\xE9`.
  package var visible: String { spelled(inLine: false) }

  /// The same for a place that is one line: tabs and the ends of lines are spelled, too.
  package var visibleInLine: String { spelled(inLine: true) }

  private func spelled(inLine: Bool) -> String {
    // Nearly every text is plain, and asked for no more than its bytes.
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

  /// A JSON text in which the same characters are escapes of JSON's (RFC 8259 §7): it means what it
  /// meant, since outside of strings none of them may stand.
  package var visibleAsJSON: String {
    guard utf8.contains(where: { $0 >= 0x7F }) else { return self }
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      // Those below are escaped by whoever writes JSON, or part its values.
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

  /// The text with what HTML would take for markup escaped, and what nobody sees spelled.
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
}

extension Unicode.Scalar {
  /// Tells whether it is a sign of ASCII, which some format may take for its own.
  fileprivate var isMarkup: Bool {
    switch value {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: false
    default: (0x21..<0x7F).contains(value)
    }
  }

  /// Tells whether it is of one character with what stands before it (UAX #29, GB9 and GB9a).
  fileprivate var extendsCharacter: Bool {
    guard value >= 0x300 else { return false }
    return properties.isGraphemeExtend || value == 0x200D
      || properties.generalCategory == .spacingMark
  }

  /// Tells whether it does something in place of being seen.
  fileprivate func isInvisible(inLine: Bool) -> Bool {
    switch value {
    case 0x09, 0x0A: inLine
    case 0..<0x20, 0x7F..<0xA0: true
    // Bidi_Control, and the separators of lines and paragraphs (Unicode §5.8).
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: octet != nil
    }
  }
}

extension String {
  /// The text as one word of a POSIX shell (Shell Command Language §2.2): unquoted if it has no
  /// special character, else in single quotes. A text with an invisible character is in
  /// dollar-single-quotes (§2.2.4), so that the word can be read and typed.
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
