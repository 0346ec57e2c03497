// Personal data by its looks: looked for where it is asked for.

enum PersonalData {
  /// Tells whether a text is an e-mail address and nothing else.
  static func isMail(_ text: String) -> Bool {
    guard text.contains("@") else { return false }
    let bytes = Array(text.utf8)
    return mails(in: bytes).first?.range == 0..<bytes.count
  }

  /// The e-mail addresses in a text.
  static func mails(in bytes: [UInt8]) -> [Shapes.Found] {
    bytes.indices.filter { bytes[$0] == UInt8(ascii: "@") }.compactMap { at in
      var (start, end) = (at, at + 1)
      while start > 0, isLocal(bytes[start - 1]) { start -= 1 }
      while end < bytes.count,
        bytes[end].isWord || bytes[end] == UInt8(ascii: "-")
          || bytes[end] == UInt8(ascii: ".")
      { end += 1 }
      while end > at + 1, !bytes[end - 1].isWord { end -= 1 }
      guard start < at, let dot = bytes[at..<end].lastIndex(of: UInt8(ascii: ".")),
        dot > at + 1, end - dot > 2
      else { return nil }
      return Shapes.Found(range: start..<end, kind: "email")
    }
  }

  private static func isLocal(_ byte: UInt8) -> Bool {
    byte.isWord || "._+-".utf8.contains(byte)
  }

  /// International telephone numbers: a plus sign and 8 to 15 digits, with what sets them off.
  static func phones(in bytes: [UInt8]) -> [Shapes.Found] {
    bytes.indices.filter { bytes[$0] == UInt8(ascii: "+") }.compactMap { start in
      let text = bytes[(start + 1)...].prefix { 0x30...0x39 ~= $0 || " -().".utf8.contains($0) }
      guard let last = text.lastIndex(where: { 0x30...0x39 ~= $0 }),
        0x30...0x39 ~= bytes[start + 1],
        8...15 ~= text.count(where: { 0x30...0x39 ~= $0 })
      else { return nil }
      return Shapes.Found(range: start..<last + 1, kind: "phone")
    }
  }
}
