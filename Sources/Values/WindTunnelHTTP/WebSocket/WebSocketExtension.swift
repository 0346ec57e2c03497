/// An extension of a WebSocket connection, offered or accepted, with its parameters (RFC 6455
/// §9.1).
package struct WebSocketExtension: Sendable, Hashable, CustomStringConvertible {
  /// A parameter of an extension, with an optional value.
  package struct Parameter: Sendable, Hashable {
    /// The name of the parameter.
    package var name: String
    /// The value, without the quotes around it; `nil` if there is none.
    package var value: String?
  }

  /// The name of the extension.
  package var name: String
  /// The parameters in their order.
  package var parameters: [Parameter] = []

  /// Whether messages with this extension can be read.
  package var isRead: Bool {
    PerMessageDeflate.isSupported && name.equalsIgnoringASCIICase(PerMessageDeflate.name)
  }

  /// The extension as in a header field.
  package var description: String {
    name
      + parameters.map { parameter in
        "; \(parameter.name)" + (parameter.value.map { "=\($0)" } ?? "")
      }.joined()
  }

  /// Parses the values of `Sec-WebSocket-Extensions`, in order; `nil` if they are invalid.
  package static func list(_ values: [String]) -> [WebSocketExtension]? {
    var reader = FieldReader(values.joined(separator: ","))
    var list: [WebSocketExtension] = []
    while true {
      // Empty elements are ignored (RFC 9110 §5.6.1.2), but a list has at least one element that is
      // not empty (RFC 6455 §9.1).
      if reader.take(",") { continue }
      if reader.isAtEnd { return list.isEmpty && !values.isEmpty ? nil : list }
      guard let name = reader.token() else { return nil }
      var one = WebSocketExtension(name: name)
      while reader.take(";") {
        guard let name = reader.token() else { return nil }
        var value: String?
        if reader.take("=") {
          value = reader.quoted() ?? reader.token()
          // A quoted value must be a token without its quotes.
          guard let value, value.isHTTPToken else { return nil }
        }
        one.parameters.append(Parameter(name: name, value: value))
      }
      list.append(one)
      guard reader.isAtEnd || reader.take(",") else { return nil }
    }
  }
}

/// A parser of a field value (RFC 9110 §5.6).
private struct FieldReader {
  private var rest: Substring.UTF8View

  init(_ text: String) {
    rest = Substring(text).utf8
    skipSpace()
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: mark) else { return false }
    rest.removeFirst()
    skipSpace()
    return true
  }

  mutating func token() -> String? {
    let token = rest.prefix { $0.isHTTPTokenByte }
    guard !token.isEmpty else { return nil }
    rest = rest[token.endIndex...]
    skipSpace()
    return String(Substring(token))
  }

  mutating func quoted() -> String? {
    guard rest.first == UInt8(ascii: "\"") else { return nil }
    var bytes: [UInt8] = []
    var place = rest.dropFirst()
    while let byte = place.popFirst() {
      if byte == UInt8(ascii: "\"") {
        rest = place
        skipSpace()
        return String(decoding: bytes, as: UTF8.self)
      }
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      guard let escaped = place.popFirst() else { return nil }
      bytes.append(escaped)
    }
    return nil
  }

  private mutating func skipSpace() {
    rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  }
}
