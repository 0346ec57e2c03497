// Personal data by its looks: looked for where it is asked for.

enum PersonalData: Detector {
  static func findings(in passage: Passage) -> [Finding] {
    mails(in: passage.bytes) + phones(in: passage.bytes)
  }

  /// Tells whether a text is an e-mail address and nothing else.
  static func isMail(_ text: String) -> Bool {
    guard text.read.contains("@") else { return false }
    let bytes = Bytes(text.utf8)
    return mails(in: bytes).first?.range == 0..<bytes.count
  }

  /// Returns the e-mail addresses in a text.
  static func mails(in bytes: Bytes) -> [Finding] {
    bytes.indices.filter { bytes[$0] == UInt8(ascii: "@") }.compactMap { at in
      var (start, end) = (at, at + 1)
      while start > 0, isLocal(bytes[start - 1]) { start -= 1 }
      while end < bytes.count,
        bytes[end].isWord || bytes[end] == UInt8(ascii: "-") || bytes[end] == UInt8(ascii: ".")
      { end += 1 }
      while end > at + 1, !bytes[end - 1].isWord { end -= 1 }
      guard start < at, let dot = bytes[at..<end].lastIndex(of: UInt8(ascii: ".")),
        dot > at + 1, end - dot > 2,
        // One of ours, with letters of an escape in front of it.
        !PseudonymText.mayBeIn(Bytes(bytes[start..<at]))
      else { return nil }
      return Finding(start..<end, "email")
    }
  }

  private static func isLocal(_ byte: UInt8) -> Bool { byte.isWord || "._+-".utf8.contains(byte) }

  /// International telephone numbers: a plus sign and 8 to 15 digits, with what sets them off.
  static func phones(in bytes: Bytes) -> [Finding] {
    bytes.indices.filter { bytes[$0] == UInt8(ascii: "+") }.compactMap { start in
      let text = bytes[(start + 1)...].prefix { $0.isASCIIDigit || " -().".utf8.contains($0) }
      guard let last = text.lastIndex(where: { $0.isASCIIDigit }), 0x30...0x39 ~= bytes[start + 1],
        8...15 ~= text.count(where: { $0.isASCIIDigit })
      else { return nil }
      return Finding(start..<last + 1, "phone")
    }
  }
}
