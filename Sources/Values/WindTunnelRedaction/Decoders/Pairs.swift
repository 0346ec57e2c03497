internal import Foundation

/// A decoder of `name=value` pairs separated by `&`, as in a query, a form and the fragment of
/// OAuth responses (WHATWG URL §5.1, RFC 6749 §4.2.2).
struct Pairs: Decoder {
  /// The origin of the pairs.
  enum Origin {
    /// A request, a response's field or a form: the values were sent.
    case sent
    /// A text, in which a value may be a placeholder.
    case quoted
    /// A URL to which a browser is redirected.
    case redirect
  }

  let place: SecretNames.Location
  var origin = Origin.sent

  // Pairs are read lazily, because a form may contain many short ones.
  func spans(in bytes: Bytes) -> (some Sequence<Span>)? {
    let names = Self.pairs(of: bytes).lazy.map { Self.name(of: bytes[$0]) }
    var around = Neighbours(names)
    if origin == .redirect { around.insert(.redirect) }
    if names.contains(where: { ["state", "session_state"].contains($0) }) { around.insert(.state) }
    let all = Self.pairs(of: bytes).lazy.flatMap { [around] pair in spans(of: bytes[pair], around) }
    return .some(all)
  }

  private static func pairs(of bytes: Bytes) -> some Sequence<Range<Int>> {
    sequence(state: 0) { start -> Range<Int>? in
      guard start <= bytes.count else { return nil }
      let pair = bytes.run(from: start) { $0 != "&" }.indices
      start = pair.upperBound + 1
      return pair
    }
  }

  private static func name(of pair: ByteSlice) -> String {
    decoded(String(decoding: pair.prefix { $0 != "=" }, as: UTF8.self))
  }

  private func spans(of pair: ByteSlice, _ around: Neighbours) -> [Span] {
    guard let mark = pair.firstIndex(of: UInt8(ascii: "=")) else {
      let text = Self.decoded(pair.text)
      return [Span(range: pair.indices, meaning: Bytes(text.utf8), role: .text)]
    }
    let name = Span(range: pair.startIndex..<mark, meaning: Bytes(pair[..<mark]), role: .name)
    let written = pair[(mark + 1)...]
    if origin == .quoted, CodeText.isPlaceholder(written) || written.elementsEqual("$".utf8) {
      return [name]
    }
    let value = Self.decoded(written.text)
    let role = Span.Role.value(name: Self.name(of: pair), place, around)
    return [name, Span(range: written.indices, meaning: Bytes(value.utf8), role: role)]
  }

  /// Returns a value in its original spelling, with the changes to its decoded content applied.
  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    let written = Bytes(bytes[span.range])
    if case .name = span.role { return meaning }
    let text =
      EscapedText(written, .form) ?? EscapedText(written, .percent) ?? EscapedText(written, .plain)
    guard let text, text.bytes == span.meaning else {
      return Bytes(Self.encoded(meaning.text).utf8)
    }
    // Some encoders escape the padding of base64, others do not.
    let lower = written.text.lowercased()
    let isEscaped = lower.contains("%3d")
    return text.original(meaning: meaning) {
      isEscaped ? Self.encoded($0) : Self.encoded($0).replacing("%3D", with: "=")
    }
  }

  static func decoded(_ text: String) -> String {
    guard text.read.utf8.contains(where: { $0 == "+" || $0 == "%" })
    else { return text }
    let spaced = text.replacing("+", with: " ")
    return spaced.removingPercentEncoding ?? spaced
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
  )

  static func encoded(_ text: String) -> String {
    text.read.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
  }
}
