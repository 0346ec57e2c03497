/// A parsed `Content-Type` (RFC 9110 §8.3.1).
package struct ContentType {
  /// The type and subtype in lower case, such as `application/json`.
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

  /// The type with all parameters except the boundary.
  package var withoutBoundary: String {
    ([essence] + parameters.filter { $0.name != "boundary" }.map { "\($0.name)=\($0.value)" })
      .joined(separator: "; ")
  }

  /// The charset in lower case; `nil` if the type names none.
  package var charset: String? { self["charset"].flatMap { $0.isEmpty ? nil : $0.lowercased() } }

  /// Whether the content is an image, audio, video or a font. Text formats such as SVG and
  /// playlists are excluded.
  package var isMedia: Bool {
    ["image/", "audio/", "video/", "font/"].contains { essence.hasPrefix($0) }
      && !essence.hasSuffix("+xml") && !essence.hasSuffix("mpegurl") && essence != "audio/x-scpls"
  }

  /// Whether the type is a text type, regardless of the bytes.
  package var isText: Bool {
    essence.hasPrefix("text/") || essence.hasSuffix("json") || essence.hasSuffix("xml")
      || essence == "application/x-www-form-urlencoded"
  }

  /// Whether the content is a program. In its binary, strings are adjacent without separators, so
  /// the text after `password=` is an unrelated string.
  package var isProgram: Bool {
    essence == "application/wasm" || essence.hasSuffix("executable")
      || essence.hasSuffix("msdownload")
  }

  /// Whether the content is an HTML page, a script or a style sheet.
  package var isScript: Bool {
    ["html", "javascript", "ecmascript", "css"].contains { essence.hasSuffix($0) }
  }

  /// Splits at semicolons outside quoted strings (RFC 9110 §5.6.4).
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
