/// Cookies that a platform has joined into one field.
enum JoinedCookies {
  /// The cookies one by one: each begins with a name and an equals sign, and a comma in front of
  /// anything else, as in a date, is a part of its cookie (RFC 6265 §4.1.1).
  static func parts(of text: String) -> [String] {
    var parts: [String] = []
    var (start, rest) = (text.startIndex, text[...])
    while let comma = rest.firstIndex(of: ",") {
      rest = text[text.index(after: comma)...]
      let next = rest.drop { $0 == " " }
      let name = next.prefix { !" =;,".contains($0) }
      guard !name.isEmpty, next[name.endIndex...].first == "=" else { continue }
      parts.append(String(text[start..<comma]))
      start = next.startIndex
    }
    return parts + [String(text[start...])]
  }
}
