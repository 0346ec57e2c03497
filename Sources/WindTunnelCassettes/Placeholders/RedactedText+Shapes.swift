// What was taken out may have left its shape: a web token its first two parts, which lead up to the
// pseudonym, an e-mail address its end. Both belong to the value and not to what stands around it.

extension RedactedText {
  /// A text up to a pseudonym, without the part of a web token at its end.
  static func withoutToken(_ text: String) -> String {
    guard text.hasSuffix(".") else { return text }
    let start = text.lastIndex { !isToken($0) }.map { text.index(after: $0) } ?? text.startIndex
    let token = text[start...]
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, token.hasPrefix("eyJ") else { return text }
    return String(text[..<start])
  }

  private static func isToken(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
  }

  /// How much of the text behind a pseudonym is the end of its e-mail address.
  static func mailCount(_ text: Substring) -> Int {
    let end = "@example.test"
    return text.hasPrefix(end) ? end.count : 0
  }
}
