internal import Foundation

extension Redaction {
  /// An address without user info, secret parameters and what is repeated in it.
  package mutating func address(_ url: RequestURL) -> RequestURL {
    var url = url
    url.userInfo = url.userInfo.map { userInfo($0) }
    url.path = path(url.path, host: url.host)
    url.query = url.query.map { pairs($0, in: .query) }
    if let host = url.host, let echoes {
      // A short secret is found in a host by chance: "example" is one.
      let repeated = echoes.found(in: Array(host.utf8)).contains { $0.range.count >= 16 }
      if repeated { obstacle = "its host repeats a credential" }
    }
    return url
  }

  /// A path: parameters as in `;jsessionid=…`, known shapes, what follows a secret's name and looks
  /// drawn by lot, and echoes.
  private mutating func path(_ path: String, host: String? = nil, depth: Int = 0) -> String {
    let isHook = host?.lowercased().hasSuffix("hooks.slack.com") == true
    var before = ""
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).enumerated().map {
      index,
      segment in
      defer { before = String(segment) }
      let text = String(segment)
      if isHook && index == 4 { return stand(for: text, name: "slack-hook", .sure) }
      // What has hyphens is a title as often as not.
      if Self.isDrawn(text), !SecretNames.isAmbiguous(before) || !text.contains("-"),
        let sort = names.sort(of: before, in: .field)
      {
        return stand(for: text, name: before, sort: sort, .likely)
      }
      return within(.name) { $0.text(text, depth: depth) }
    }
    let joined = segments.joined(separator: "/")
    // A secret with a solidus in it is more than one segment.
    let replaced = echoes?.replaced(in: Array(joined.utf8))
    return replaced.map { String(decoding: $0, as: UTF8.self) } ?? joined
  }

  /// Whether a segment is long and mixed enough to be no word and no number.
  private static func isDrawn(_ text: String) -> Bool {
    text.utf8.count >= 16 && text.utf8.contains { 0x30...0x39 ~= $0 }
      && text.utf8.contains(where: \.isASCIILetter)
      && text.utf8.allSatisfy { Base64Text.isLetter($0) || $0 == UInt8(ascii: ".") }
  }

  /// Where `a=1&b=2` stands.
  enum PairPlace {
    /// In a request, an answer's field or a form: it was sent.
    case sent
    /// In a text, where a value may be a placeholder.
    case quoted
    /// In an address that a browser is led to.
    case redirect
  }

  /// `a=1&b=2`: what stands under a secret's name goes, and every other value is looked into. What
  /// is not replaced stays as it is spelled.
  mutating func pairs(
    _ text: String,
    in place: SecretNames.Place,
    _ origin: PairPlace = .sent,
    depth: Int = 0
  ) -> String {
    let part = log?.part
    defer { part.map { log?.part = $0 } }
    let pairs = text.split(separator: "&", omittingEmptySubsequences: false)
    let grant = OAuthGrant(
      pairs.map { String($0.prefix { $0 != "=" }) },
      isRedirect: origin == .redirect
    )
    return pairs.map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return self.text(String(pair), depth: depth + 1) }
      let name = Self.decoded(parts[0])
      let written = String(parts[1])
      part.map { log?.part = "\($0) \(place) \(SecretNames.slug(name))" }
      if origin == .quoted, CodeText.isPlaceholder(written.utf8) || written == "$" {
        return "\(nameless(parts[0]))=\(written)"
      }
      let value = Self.decoded(parts[1])
      let replaced: String
      if let field = fieldValue(value, name: name) {
        replaced = field
      } else if let sort = names.sort(of: name, in: place) ?? grant.sort(of: name, value) {
        replaced = stand(for: value, name: name, sort: sort)
        // Where nobody meant a space, it was a plus sign.
        if replaced != value, let literal = parts[1].removingPercentEncoding, literal != value {
          pseudonyms.remember(literal, as: replaced)
        }
      } else {
        replaced = self.text(value, depth: depth + 1)
      }
      let field = nameless(parts[0])
      return "\(field)=\(Self.respelled(written, meaning: value, as: replaced))"
    }.joined(separator: "&")
  }

  /// A value as it was written, with what was replaced in what it means.
  private static func respelled(_ written: String, meaning value: String, as replaced: String)
    -> String
  {
    if replaced == value { return written }
    let bytes = Array(written.utf8)
    let text =
      EscapedText(bytes, .form) ?? EscapedText(bytes, .percent) ?? EscapedText(bytes, .plain)
    guard let text, text.bytes.elementsEqual(value.utf8) else { return encoded(replaced) }
    // The padding of base64 is escaped by some and not by others.
    let isEscaped = written.contains("%3D") || written.contains("%3d")
    let result = text.original(bytes, meaning: Array(replaced.utf8)) {
      isEscaped ? encoded($0) : encoded($0).replacing("%3D", with: "=")
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func decoded(_ text: Substring) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "%") }) else {
      return String(text)
    }
    let spaced = text.replacing("+", with: " ")
    return spaced.removingPercentEncoding ?? String(spaced)
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
  )

  static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
  }

  /// An address within a text, to the letter except for what is replaced; it may have no host, and
  /// after `#` it may have a query once more, as OAuth answers do.
  mutating func link(_ link: String, _ origin: PairPlace = .sent, depth: Int = 0) -> String {
    var rest = link[...]
    var result = ""
    var host: Substring = ""
    if let scheme = rest.firstRange(of: "://") {
      result += rest[..<scheme.upperBound]
      rest = rest[scheme.upperBound...]
      let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
      if let at = rest[..<end].lastIndex(of: "@") {
        result += userInfo(String(rest[..<at]))
        rest = rest[at...]
      }
      host = rest.prefix { !"/?#".contains($0) }
      result += host
      rest = rest.dropFirst(host.count)
    }
    let way = rest.prefix { $0 != "?" && $0 != "#" }
    result += path(String(way), host: String(host.drop { $0 == "@" }), depth: depth + 1)
    rest = rest.dropFirst(way.count)
    for mark in ["?", "#"] where rest.hasPrefix(mark) {
      let part = rest.dropFirst().prefix { mark == "#" || $0 != "#" }
      result += mark + pairs(String(part), in: .query, origin, depth: depth)
      rest = rest.dropFirst(part.count + 1)
    }
    return result
  }

  /// Addresses with a scheme, without what ends a sentence behind them.
  static func links(in bytes: [UInt8]) -> [Range<Int>] {
    var links: [Range<Int>] = []
    var place = 0
    while place + 3 < bytes.count {
      let colon = place
      place += 1
      guard bytes[colon] == UInt8(ascii: ":"), bytes[colon + 1] == UInt8(ascii: "/"),
        bytes[colon + 2] == UInt8(ascii: "/")
      else { continue }
      let least = max(colon - 40, links.last?.upperBound ?? 0)
      var (start, end) = (colon, colon + 3)
      while start > least, bytes[start - 1].isWord || "+-.".utf8.contains(bytes[start - 1]) {
        start -= 1
      }
      guard start < colon else { continue }
      while end < bytes.count, bytes[end] > 0x20, !"\"'<>\\`|{}".utf8.contains(bytes[end]) {
        end += 1
      }
      // Within it none begins of its own.
      place = end
      while end > colon + 3, ".,;:)]!".utf8.contains(bytes[end - 1]) { end -= 1 }
      if end > colon + 3 { links.append(start..<end) }
    }
    return links
  }
}
