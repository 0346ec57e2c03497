/// A `Content-Type` taken apart (RFC 9110 §8.3.1).
package struct ContentType {
  /// Type and subtype in lower case, such as `application/json`.
  package let essence: String
  private let parameters: [(name: String, value: String)]

  package init(_ text: String) {
    var pieces = Self.pieces(text)
    let first = pieces.isEmpty ? "" : pieces.removeFirst()
    essence = first.trimmingOptionalWhitespace().lowercased()
    parameters = pieces.compactMap { piece in
      guard let equals = piece.firstIndex(of: "=") else { return nil }
      let value = piece[piece.index(after: equals)...].trimmingOptionalWhitespace()
      return (
        piece[..<equals].trimmingOptionalWhitespace().lowercased(), Self.unquoted(String(value))
      )
    }
  }

  /// The value of a parameter, without its quotes.
  subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// The type with every parameter but the boundary.
  package var withoutBoundary: String {
    ([essence] + parameters.filter { $0.name != "boundary" }.map { "\($0.name)=\($0.value)" })
      .joined(separator: "; ")
  }

  /// Splits at semicolons that do not stand in a quoted string (RFC 9110 §5.6.4).
  private static func pieces(_ text: String) -> [String] {
    var pieces = [""]
    var (isQuoted, isEscaped) = (false, false)
    for character in text {
      if character == ";", !isQuoted {
        pieces.append("")
        continue
      }
      if character == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && character == "\\" && !isEscaped
      pieces[pieces.count - 1].append(character)
    }
    return pieces
  }

  private static func unquoted(_ text: String) -> String {
    guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
    var result = ""
    var isEscaped = false
    for character in text.dropFirst().dropLast() {
      if character == "\\", !isEscaped {
        isEscaped = true
      } else {
        result.append(character)
        isEscaped = false
      }
    }
    return result
  }
}
