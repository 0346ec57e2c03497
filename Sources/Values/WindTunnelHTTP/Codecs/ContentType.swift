/// A `Content-Type` taken apart (RFC 9110 §8.3.1).
package struct ContentType {
  /// Type and subtype in lower case, such as `application/json`.
  package let essence: String
  private let parameters: [(name: String, value: String)]

  package init(_ text: String) {
    // Most types have no parameters, or none in quotes.
    var pieces =
      text.read.utf8.contains(UInt8(ascii: "\""))
      ? Self.pieces(text)
      : text.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
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
  package subscript(name: String) -> String? { parameters.first { $0.name.read == name }?.value }

  /// The type with every parameter but the boundary.
  package var withoutBoundary: String {
    ([essence] + parameters.filter { $0.name != "boundary" }.map { "\($0.name)=\($0.value)" })
      .joined(separator: "; ")
  }

  /// The charset in lower case; `nil` where none is named.
  package var charset: String? { self["charset"].flatMap { $0.isEmpty ? nil : $0.lowercased() } }

  /// Tells whether content is for eyes and ears: pictures that are text and lists of songs are not.
  package var isMedia: Bool {
    ["image/", "audio/", "video/", "font/"].contains { essence.hasPrefix($0) }
      && !essence.hasSuffix("+xml") && !essence.hasSuffix("mpegurl") && essence != "audio/x-scpls"
  }

  /// Tells whether content is text by its type, whatever bytes are in it.
  package var isText: Bool {
    essence.hasPrefix("text/") || essence.hasSuffix("json") || essence.hasSuffix("xml")
      || essence == "application/x-www-form-urlencoded"
  }

  /// Tells whether content is a program, whose texts lie side by side with nothing between them:
  /// what follows `password=` there is the next text.
  package var isProgram: Bool {
    essence == "application/wasm" || essence.hasSuffix("executable")
      || essence.hasSuffix("msdownload")
  }

  /// Tells whether content is a page, a script or a style sheet.
  package var isScript: Bool {
    ["html", "javascript", "ecmascript", "css"].contains { essence.hasSuffix($0) }
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
    let inner = text.dropFirst().dropLast()
    // Escapes are rare, and a regular expression takes twenty times as long.
    guard inner.utf8.contains(UInt8(ascii: "\\")) else { return String(inner) }
    return String(inner).replacing(/(?s)\\(.?)/) { $0.1 }
  }
}
