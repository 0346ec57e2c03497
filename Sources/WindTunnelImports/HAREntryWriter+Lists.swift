internal import Foundation

extension HAREntryWriter {
  static func fields(_ fields: HeaderFields) -> JSON {
    .array(fields.map { ["name": .text($0.name), "value": .text($0.value)] })
  }

  /// The address in full: HAR knows no other, and a cassette's may lack its host.
  static func address(_ url: RequestURL) -> String {
    var url = url
    if url.host == nil { (url.scheme, url.host) = ("http", "any-host.invalid") }
    url.path = visible(url.path, but: "{}")
    url.query = url.query.map { visible($0, but: "") }
    return url.description
  }

  private static func visible(_ text: String, but special: String) -> String {
    text.utf8.reduce(into: "") { result, byte in
      if 0x21...0x7E ~= byte, !special.utf8.contains(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += byte < 0x10 ? "%0\(digits)" : "%\(digits)"
      }
    }
  }

  /// The query's parameters, decoded as forms are (WHATWG URL §5.1).
  static func parameters(_ query: String?) -> JSON {
    let items = (query ?? "").split(separator: "&")
    return .array(
      items.map { item in
        let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return [
          "name": .text(decoded(parts[0])),
          "value": .text(parts.count > 1 ? decoded(parts[1]) : ""),
        ]
      }
    )
  }

  private static func decoded(_ text: Substring) -> String {
    let spaced = String(text.map { $0 == "+" ? " " : $0 })
    return spaced.removingPercentEncoding ?? spaced
  }
}

/// The cookies of a message, which HAR shows a second time.
enum HARCookie {
  /// RFC 6265 §4.2.1.
  static func sent(_ fields: HeaderFields) -> JSON {
    let pairs = fields.values("Cookie").flatMap { $0.split(separator: ";") }
    return .array(pairs.map { .object(members($0)) })
  }

  /// RFC 6265 §4.1.1.
  static func set(_ fields: HeaderFields) -> JSON {
    .array(
      fields.values("Set-Cookie").map { value in
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        let pair = members(parts.first ?? "")
        return .object(pair + attributes(parts.dropFirst()))
      }
    )
  }

  private static func members(_ pair: Substring) -> [JSON.Member] {
    let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let texts = parts.map { String($0.trimmingOptionalWhitespace()) }
    // A cookie without "=" is all value.
    let (name, value) = texts.count == 2 ? (texts[0], texts[1]) : ("", texts.first ?? "")
    return [JSON.Member("name", .text(name)), JSON.Member("value", .text(value))]
  }

  private static func attributes(_ parts: ArraySlice<Substring>) -> [JSON.Member] {
    var found: [String: String] = [:]
    for part in parts {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = (pair.first ?? "").trimmingOptionalWhitespace().lowercased()
      // The last of several counts (RFC 6265 §5.3).
      found[name] = pair.count > 1 ? String(pair[1].trimmingOptionalWhitespace()) : ""
    }
    var members: [JSON.Member] = []
    if let path = found["path"] { members.append(JSON.Member("path", .text(path))) }
    if let domain = found["domain"] { members.append(JSON.Member("domain", .text(domain))) }
    if let date = found["expires"].flatMap({ DateText.sinceEpoch(http: $0) }) {
      members.append(JSON.Member("expires", .text(DateText.text(date))))
    }
    if found["httponly"] != nil { members.append(JSON.Member("httpOnly", true)) }
    if found["secure"] != nil { members.append(JSON.Member("secure", true)) }
    return members
  }
}
