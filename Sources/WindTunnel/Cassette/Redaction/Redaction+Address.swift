internal import Foundation

extension Redaction {
  /// An address without user info, secret parameters and what is repeated in it.
  mutating func address(_ url: RequestURL) -> RequestURL {
    var url = url
    url.userInfo = url.userInfo.map { userInfo($0) }
    url.path = path(url.path)
    url.query = url.query.map { query($0) }
    if let host = url.host, let echoes {
      // A short secret is found in a host by chance: "example" is one.
      let repeated = echoes.found(in: Array(host.utf8)).contains { $0.range.count >= 16 }
      if repeated { obstacle = "its host repeats a credential" }
    }
    return url
  }

  /// A path: parameters as in `;jsessionid=…`, known shapes, and echoes.
  private mutating func path(_ path: String) -> String {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      within(.name) { $0.text(String(segment)) }
    }
    let joined = segments.joined(separator: "/")
    // A secret with a solidus in it is more than one segment.
    let replaced = echoes?.replaced(in: Array(joined.utf8))
    return replaced.map { String(decoding: $0, as: UTF8.self) } ?? joined
  }

  /// `a=1&b=2`, as in an address.
  mutating func query(_ query: String) -> String { pairs(query, in: .query) }

  /// `a=1&b=2`: what stands under a secret's name goes, and every other value is looked into.
  mutating func pairs(_ text: String, in place: SecretNames.Place) -> String {
    let part = log?.part
    defer { part.map { log?.part = $0 } }
    return text.split(separator: "&", omittingEmptySubsequences: false).map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return self.text(String(pair)) }
      let name = Self.decoded(parts[0])
      part.map { log?.part = "\($0) \(place) \(SecretNames.slug(name))" }
      let value = Self.decoded(parts[1])
      let replaced: String
      if let field = fieldValue(value, name: name) {
        replaced = field
      } else if let sort = names.sort(of: name, in: place) {
        replaced = stand(for: value, name: name, sort: sort)
        // Where nobody meant a space, it was a plus sign.
        if replaced != value, let literal = parts[1].removingPercentEncoding, literal != value {
          pseudonyms.remember(literal, as: replaced)
        }
      } else {
        replaced = self.text(value)
      }
      let field = nameless(parts[0])
      return "\(field)=\(replaced == value ? String(parts[1]) : Self.encoded(replaced))"
    }.joined(separator: "&")
  }

  private static func decoded(_ text: Substring) -> String {
    let spaced = text.replacing("+", with: " ")
    return spaced.removingPercentEncoding ?? String(spaced)
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
  )

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
  }

  /// An address within a text, to the letter except for what is replaced; it may have no host, and
  /// after `#` it may have a query once more, as OAuth answers do.
  mutating func link(_ link: String) -> String {
    var rest = link[...]
    var result = ""
    if let scheme = rest.firstRange(of: "://") {
      result += rest[..<scheme.upperBound]
      rest = rest[scheme.upperBound...]
      let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
      if let at = rest[..<end].lastIndex(of: "@") {
        result += userInfo(String(rest[..<at]))
        rest = rest[at...]
      }
      let host = rest.prefix { !"/?#".contains($0) }
      result += host
      rest = rest.dropFirst(host.count)
    }
    let way = rest.prefix { $0 != "?" && $0 != "#" }
    result += path(String(way))
    rest = rest.dropFirst(way.count)
    for mark in ["?", "#"] where rest.hasPrefix(mark) {
      let part = rest.dropFirst().prefix { mark == "#" || $0 != "#" }
      result += mark + query(String(part))
      rest = rest.dropFirst(part.count + 1)
    }
    return result
  }
}
