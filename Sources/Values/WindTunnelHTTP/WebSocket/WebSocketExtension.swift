/// An extension of a WebSocket connection, offered or agreed on, with its parameters (RFC 6455
/// §9.1).
package struct WebSocketExtension: Sendable, Hashable, CustomStringConvertible {
  /// A parameter of an extension; it may have no value.
  package struct Parameter: Sendable, Hashable {
    /// The name of the parameter.
    package var name: String
    /// The value, without the quotes around it.
    package var value: String?
  }

  /// The name of the extension.
  package var name: String
  /// The parameters in their order.
  package var parameters: [Parameter] = []

  /// Tells whether messages can be read on which it was agreed.
  package var isRead: Bool {
    PerMessageDeflate.isSupported && name.equalsIgnoringASCIICase(PerMessageDeflate.name)
  }

  /// The extension as it stands in a field.
  package var description: String {
    name
      + parameters.map { parameter in
        "; \(parameter.name)" + (parameter.value.map { "=\($0)" } ?? "")
      }.joined()
  }

  /// Reads the values of `Sec-WebSocket-Extensions`, in order; `nil` where they are none.
  package static func list(_ values: [String]) -> [WebSocketExtension]? {
    var reader = FieldReader(values.joined(separator: ","))
    var list: [WebSocketExtension] = []
    while true {
      // Empty elements count for nothing (RFC 9110 §5.6.1.2), and a list has one that is not (RFC
      // 6455 §9.1).
      if reader.take(",") { continue }
      if reader.isAtEnd { return list.isEmpty && !values.isEmpty ? nil : list }
      guard let name = reader.token() else { return nil }
      var one = WebSocketExtension(name: name)
      while reader.take(";") {
        guard let name = reader.token() else { return nil }
        var value: String?
        if reader.take("=") {
          value = reader.quoted() ?? reader.token()
          // A quoted value has to be a token when its quotes are taken away.
          guard let value, value.isHTTPToken else { return nil }
        }
        one.parameters.append(Parameter(name: name, value: value))
      }
      list.append(one)
      guard reader.isAtEnd || reader.take(",") else { return nil }
    }
  }
}

/// A reader of a field's value by the rules of RFC 9110 §5.6.
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
