// Personal data with a known format. It is only searched on request.

enum PersonalData: Detector {
  static func findings(in passage: Passage) -> [Finding] {
    mails(in: passage.bytes) + phones(in: passage.bytes)
  }

  /// Whether a text consists of one e-mail address.
  static func isMail(_ text: String) -> Bool {
    guard text.read.contains("@") else { return false }
    let bytes = Bytes(text.utf8)
    return mails(in: bytes).first?.range == 0..<bytes.count
  }

  /// Returns the e-mail addresses in a text.
  static func mails(in bytes: Bytes) -> [Finding] {
    bytes.indices.filter { bytes[$0] == "@" }.compactMap { at in
      let start = at - bytes[..<at].reversed().prefix(while: isLocal).count
      let host = bytes.run(from: at + 1) { $0.isWord || $0 == "-" || $0 == "." }
      let end = (host.lastIndex(where: \.isWord) ?? at) + 1
      guard start < at, let dot = bytes[at..<end].lastIndex(where: { $0 == "." }),
        dot > at + 1, end - dot > 2,
        // A placeholder after letters of an escape.
        !PseudonymText.mayBeIn(Bytes(bytes[start..<at]))
      else { return nil }
      return Finding(start..<end, "email")
    }
  }

  private static func isLocal(_ byte: UInt8) -> Bool { byte.isWord || "._+-".utf8.contains(byte) }

  /// Returns international telephone numbers: a plus sign and 8 to 15 digits, with separators.
  static func phones(in bytes: Bytes) -> [Finding] {
    bytes.indices.filter { bytes[$0] == "+" }.compactMap { start in
      let text = bytes.run(from: start + 1) { $0.isASCIIDigit || " -().".utf8.contains($0) }
      guard let last = text.lastIndex(where: \.isASCIIDigit), text.first?.isASCIIDigit == true,
        8...15 ~= text.count(where: \.isASCIIDigit)
      else { return nil }
      return Finding(start..<last + 1, "phone")
    }
  }
}
