// What was taken out of something in base64: the whole of it was spelled anew.

extension RedactedText {
  /// What base64 makes of the mark at each of the three places in which a group may begin, and its
  /// hexadecimal digits.
  static let packedMarks = [
    "UkVEQUNURUQt", "JFREFDVEVEL", "SRURBQ1RFRC", "52454441435445442d", "52454441435445442D",
  ]

  /// Whether a mark may begin with a byte.
  static func begins(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "R") || byte == UInt8(ascii: "U") || byte == UInt8(ascii: "J")
      || byte == UInt8(ascii: "S") || byte == UInt8(ascii: "5")
  }

  /// The stretches of a text that hold values in base64 or in
  /// hexadecimal digits. The parts of a web token are none: they
  /// lead up to its pseudonym.
  package static func packed(in text: String) -> [(range: Range<String.Index>, inner: RedactedText)]
  {
    guard packedMarks.contains(where: { text.contains($0) }) else { return [] }
    let bytes = Array(text.utf8)
    let isToken = text.contains(".REDACTED-")
    return runs(in: bytes).compactMap { run in
      if isToken, run.upperBound < bytes.count, bytes[run.upperBound] == UInt8(ascii: ".") {
        return nil
      }
      guard let decoded = EncodedText.decoded(bytes[run]), let inner = String(utf8: decoded),
        let redacted = RedactedText(inner)
      else { return nil }
      let utf8 = text.utf8
      let start = utf8.index(utf8.startIndex, offsetBy: run.lowerBound)
      let end = utf8.index(start, offsetBy: run.count)
      // Padding, as it is spelled in an address.
      let padding = text[end...].prefixMatch(of: /(%3[Dd]){1,2}/)?.range.upperBound
      return (start..<(padding ?? end), redacted)
    }
  }

  /// What may be either: as a whole, or between strokes of a path.
  private static func runs(in bytes: [UInt8]) -> [Range<Int>] {
    Base64Text.runs(in: bytes).flatMap { run -> [Range<Int>] in
      if EncodedText.decoded(bytes[run]).flatMap({ String(utf8: $0) }) != nil { return [run] }
      return bytes[run].split(separator: UInt8(ascii: "/")).map { $0.startIndex..<$0.endIndex }
    }
  }
}
