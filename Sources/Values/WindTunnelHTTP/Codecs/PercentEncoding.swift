extension String {
  /// The text with canonical percent-encoding (RFC 3986 §6.2.2).
  ///
  /// Escapes are in upper case, unreserved characters are not escaped, and invalid characters are
  /// escaped. So `/café` written by hand equals the path that a client sends, and a stray octet
  /// equals its escape.
  package var canonicalPercentEncoding: String {
    isPlainASCII ? self : Self.respelled(utf8[...], in: .anywhere)
  }

  /// The canonical spelling of a path.
  ///
  /// Like ``canonicalPercentEncoding``, but also without escapes for reserved characters. Escaped
  /// delimiters of a URL, such as `%2F`, stay escaped.
  package var canonicalPath: String { isPlainASCII ? self : Self.respelled(utf8[...], in: .path) }

  /// The canonical spelling of form fields, `name=value&…`. Forms that the parser of WHATWG URL
  /// §5.1 reads alike have the same spelling.
  ///
  /// A space is `%20`, and every name has a `=`.
  package var canonicalForm: String {
    if isCanonicalForm { return self }
    return utf8.split(separator: UInt8(ascii: "&")).map { field in
      let name = field.prefix { $0 != UInt8(ascii: "=") }
      let value = field[name.endIndex...].dropFirst()
      return "\(Self.respelled(name, in: .formName))=\(Self.respelled(value, in: .formValue))"
    }.joined(separator: "&")
  }

  /// The name of a form field in the spelling of ``canonicalForm``.
  package var canonicalFormName: String { Self.respelled(utf8[...], in: .formName) }

  private var isPlainASCII: Bool {
    !utf8.contains { $0 == UInt8(ascii: "%") || !$0.isVisibleASCII }
  }

  /// Whether a form is already canonical. Checked for every query, and nearly always true.
  private var isCanonicalForm: Bool {
    var (isEmpty, hasName) = (true, false)
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "+"): return false
      case UInt8(ascii: "&"):
        if !isEmpty, !hasName { return false }
        (isEmpty, hasName) = (true, false)
      case UInt8(ascii: "="): (isEmpty, hasName) = (false, true)
      default:
        guard byte.isVisibleASCII else { return false }
        isEmpty = false
      }
    }
    return isEmpty || hasName
  }

  /// The part of a URL, which determines the characters with a special meaning.
  private enum URLPart {
    case anywhere
    case path
    case formName
    case formValue

    var isForm: Bool { self == .formName || self == .formValue }

    /// Whether a character has the same meaning with and without an escape.
    func isPlain(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        true
      case UInt8(ascii: "%"), UInt8(ascii: "+"), UInt8(ascii: "#"): false
      // A parser treats a backslash as a slash (WHATWG URL §4.4).
      case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "?"): isForm
      case UInt8(ascii: "="): self == .path || self == .formValue
      case UInt8(ascii: "&"): self == .path
      default: self != .anywhere && byte.isVisibleASCII
      }
    }
  }

  private static func respelled(_ text: Substring.UTF8View, in part: URLPart) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var octets = Array(text)
    octets.restoreOctets(from: 0)
    var rest = octets[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%"), rest.count >= 2,
        let high = rest[rest.startIndex].hexadecimalDigit,
        let low = rest[rest.startIndex + 1].hexadecimalDigit
      else {
        if byte == UInt8(ascii: "+"), part.isForm {
          escape(UInt8(ascii: " "), into: &result)
        } else if byte.isVisibleASCII, byte != UInt8(ascii: "%") || !part.isForm {
          result.append(byte)
        } else {
          escape(byte, into: &result)
        }
        continue
      }
      rest = rest.dropFirst(2)
      let value = high << 4 | low
      if part.isPlain(value) { result.append(value) } else { escape(value, into: &result) }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func escape(_ byte: UInt8, into result: inout [UInt8]) {
    let digits = String(byte, radix: 16, uppercase: true)
    result.append(contentsOf: "%\(digits.count == 1 ? "0" : "")\(digits)".utf8)
  }
}

extension UInt8 {
  fileprivate var isVisibleASCII: Bool { 0x21...0x7E ~= self }
}
