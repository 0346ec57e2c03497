internal import Foundation

/// The distinction of code and placeholders from values.
enum CodeText {
  /// Whether a text is a placeholder: `$name`, `${…}`, `#{…}`, `{{…}}`, `{name}`, `<name>`,
  /// `<%…%>`, `%s`.
  static func isPlaceholder(_ text: some BidirectionalCollection<UInt8>) -> Bool {
    guard let first = text.first, let last = text.last else { return false }
    let rest = text.dropFirst()
    switch first {
    case "$", "#": return beginsReference(text)
    case "{": return last == "}"
    case "<": return last == ">"
    case "%": return rest.count == 1 && "sdv@".utf8.contains(last)
    default: return false
    }
  }

  /// Whether a text refers to a value elsewhere.
  static func isElsewhere(_ text: ByteSlice) -> Bool {
    beginsReference(text) || isPlaceholder(text)
  }

  /// Whether a text begins with a reference: `$name`, `${`, `$(`, `#{`.
  static func beginsReference(_ text: some Collection<UInt8>) -> Bool {
    guard let first = text.first, let next = text.dropFirst().first else { return false }
    if next == "{" { return first == "$" || first == "#" }
    guard first == "$", next == "(" || isLetter(next) else {
      return false
    }
    return next == "("
      || text.dropFirst().allSatisfy { isLetter($0) || $0.isASCIIDigit }
  }

  /// Whether code follows a quotation mark, so that the mark ends a string: `" + token`, `'+id+'`.
  static func follows(_ text: ByteSlice) -> Bool {
    guard let first = text.first(where: { $0 != 0x20 }) else { return true }
    return "+),;.]}?|&".utf8.contains(first)
  }

  /// Whether a text is a name or a path of names: `token`, `user.token`, `self.access_token`.
  static func isIdentifier(_ text: ByteSlice) -> Bool {
    text.first.map(isLetter) == true && text.allSatisfy { isLetter($0) || $0 == "." }
  }

  /// Whether a text is an expression with names, such as `user.token` or `password`, followed by
  /// the end of an expression.
  static func isExpression(_ text: ByteSlice, isSpaced: Bool, before rest: ByteSlice) -> Bool {
    guard isIdentifier(text) else { return false }
    if isSpaced, keywords.contains(where: { text.elementsEqual($0.utf8) }) { return true }
    let last = text.split(separator: UInt8(ascii: ".")).last ?? text
    if SecretNames.isWord(last.text) { return true }
    let isPath = text.contains(UInt8(ascii: "."))
    if roots.contains(where: { text.starts(with: $0.utf8) }) { return true }
    if let end = rest.first, ";,)".utf8.contains(end),
      isPath || isSpaced && end == ";"
    {
      return true
    }
    guard isSpaced, let next = rest.prefix(4).first(where: { $0 != 0x20 }) else { return false }
    return "+?|*".utf8.contains(next)
  }

  /// Prefixes of references in HCL.
  private static let roots = ["var.", "local.", "data.", "module.", "each.", "aws_", "random_"]

  /// Words at the beginning of expressions.
  private static let keywords = [
    "new", "await", "async", "this", "self", "try", "not", "typeof", "function", "lambda",
  ]

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte == "_"
  }
}
