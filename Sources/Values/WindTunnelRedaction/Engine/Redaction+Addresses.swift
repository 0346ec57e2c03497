internal import Foundation

extension Redaction {
  /// Returns a URL without user information, secret parameters and repeated secrets.
  package mutating func address(_ url: RequestURL) -> RequestURL {
    var url = url
    url.userInfo = url.userInfo.map { userInfo($0) }
    url.path = path(url.path, host: url.host)
    url.query = url.query.map { pairs($0, .sent, depth: 0) }
    if let host = url.host {
      // A short secret occurs in a host by coincidence, such as "example".
      let repeated = echoes.found(in: Bytes(host.utf8)).contains { $0.range.count >= 16 }
      if repeated { obstacle = "its host repeats a credential" }
    }
    return url
  }

  private mutating func pairs(_ text: String, _ origin: Pairs.Origin, depth: Int) -> String {
    rewritten(Bytes(text.utf8), by: Pairs(place: .query, origin: origin), depth: depth)?.text
      ?? text
  }

  /// Returns a path without secrets.
  ///
  /// It removes parameters such as `;jsessionid=…`, known formats, random segments after a secret's
  /// name, and repeated secrets.
  private mutating func path(_ path: String, host: String? = nil, depth: Int = 0) -> String {
    let isHook = isHook(host, path)
    let parts = path.read.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let segments = parts.enumerated().map { index, segment in
      let (before, earlier) = (index > 0 ? parts[index - 1] : "", index > 1 ? parts[index - 2] : "")
      let end = [".xml", ".ics", ".rss", ".atom"].first { segment.hasSuffix($0) } ?? ""
      let text = String(segment.dropLast(end.count))
      if isHook && index >= 4, Self.isDrawn(text, least: 6) {
        let name = host?.contains("slack") == true ? "slack-hook" : "hook"
        return stand(for: text, name: name, .sure, "web-hook")
      }
      if let name = name(before, of: text)
        ?? (before.utf8.count <= 4 ? name(earlier, of: text) : nil)
      {
        return stand(for: text, name: name, .likely, "path-segment") + end
      }
      return within(.name) { $0.text(segment, depth: depth) }
    }
    // A secret with a slash spans several segments.
    return echoless(segments.joined(separator: "/"))
  }

  /// Whether the path itself is the credential for posting messages to a host.
  private func isHook(_ host: String?, _ path: String) -> Bool {
    guard let host, path.read.utf8.count(where: { $0 == "/" }) > 3,
      let name = host.lowercased().split(separator: ":").first,
      Self.hookHosts.all.contains(where: { name == $0 || name.hasSuffix(".\($0)") })
    else { return false }
    return host.contains("hook") || path.contains("hook")
  }

  /// Hosts to which anything can be posted by knowing the URL.
  private static let hookHosts: Words = """
    hooks.slack.com discord.com discordapp.com webhook.office.com hooks.zapier.com
    hook.integromat.com maker.ifttt.com hooks.chime.aws chat.googleapis.com
    """

  private static let linkOwners: Words = "t s login signin rss feed feeds atom ical ics"

  /// Returns the name of a random segment if the previous segment makes it a secret; otherwise
  /// `nil`.
  private func name(_ before: String, of text: String) -> String? {
    guard Self.isDrawn(text, least: 16), !before.isEmpty else { return nil }
    let folded = SecretNames.folded(before)
    if let kind = names.kind(of: before, in: .field) {
      // A segment with hyphens is often a title.
      return !kind.isAmbiguous || !text.contains("-") || TextShape.isDrawn(text) ? before : nil
    }
    if folded == "key", text.utf8.count >= 20, TextShape.isDrawn(text) { return before }
    let isVersion = folded.first == "v" && folded.count < 4 && Int(folded.dropFirst()) != nil
    let isLink = isVersion || Self.linkOwners.contains(folded)
    if isLink, Judgement.isLongKey(text, least: 22) { return before }
    let isOwned =
      text.utf8.count >= 20 && before.utf8.count <= 40
      && (Vocabulary.pathOwners.contains(folded)
        || SecretNames.words(of: before).contains { Vocabulary.pathOwners.contains($0) })
    let isHexadecimal = text.read.utf8.allSatisfy(\.isHexadecimalDigit)
    let isOnce = Vocabulary.onceOwners.contains(folded)
    return isOwned && (isOnce || !TextShape.isUUID(text) && !isHexadecimal) ? before : nil
  }

  /// Whether a segment is too long and mixed to be a word or a number.
  private static func isDrawn(_ text: String, least: Int) -> Bool {
    text.utf8.count >= least && (least < 16 || text.read.utf8.contains { $0.isASCIIDigit })
      && text.utf8.contains(where: \.isASCIILetter)
      && text.utf8.allSatisfy { Base64Text.isLetter($0) || ".:".utf8.contains($0) }
  }

  /// Returns a URL within a text with its secrets replaced and all else unchanged.
  ///
  /// It may have no host, and its fragment may be a query, as in OAuth responses.
  mutating func link(_ link: String, _ origin: Pairs.Origin = .sent, depth: Int = 0) -> String {
    var rest = link.read[...]
    var result = ""
    var host: Substring = ""
    let text = rest.utf8
    let slashes =
      text.starts(with: "//".utf8)
      ? text.startIndex
      : text.indices.first { text[$0...].starts(with: "://".utf8) }.map(text.index(after:))
    if let start = slashes.map({ text.index($0, offsetBy: 2) }) {
      result += rest[..<start]
      rest = rest[start...]
      let authority = rest.prefix { !"/?#".contains($0) }
      let end = Self.parameters(of: authority) ?? authority.endIndex
      if let at = rest[..<end].lastIndex(of: "@") {
        let user = String(rest[..<at])
        // The public key of a DSN, before the number of a project.
        let isPublic =
          user.utf8.count == 32 && user.utf8.allSatisfy(\.isHexadecimalDigit)
          && Int(rest[authority.endIndex...].dropFirst()) != nil
        result += isPublic ? user : userInfo(user)
        rest = rest[at...]
      }
      // JDBC separates parameters by semicolons.
      host = rest.prefix { !"/?#;".contains($0) }
      result += host
      rest = rest.dropFirst(host.count)
    }
    let way = rest.prefix { $0 != "?" && $0 != "#" }
    result += path(String(way), host: String(host.drop { $0 == "@" }), depth: depth + 1)
    rest = rest.dropFirst(way.count)
    for mark in ["?", "#"] where rest.hasPrefix(mark) {
      let part = rest.dropFirst().prefix { mark == "#" || $0 != "#" }
      result += mark + pairs(String(part), origin, depth: depth)
      rest = rest.dropFirst(part.count + 1)
    }
    return result
  }

  /// Returns the start of JDBC's parameters, `;user=a`, after a host with or without its port;
  /// `nil` if there are none.
  ///
  /// Elsewhere, a semicolon belongs to a user or a password (RFC 3986 §3.2.1).
  private static func parameters(of authority: Substring) -> Substring.Index? {
    guard let mark = authority.firstIndex(of: ";") else { return nil }
    let port = authority[..<mark].drop { $0 != ":" }.dropFirst()
    let name = authority[mark...].dropFirst().prefix { $0 != "=" && $0 != ";" && $0 != "@" }
    let isNamed = name.endIndex < authority.endIndex && authority[name.endIndex] == "="
    return isNamed && port.utf8.allSatisfy(\.isASCIIDigit) ? mark : nil
  }
}

/// A search for URLs in a text.
enum Links {
  /// Returns the words that contain doubly escaped pairs:
  /// `/qr?text=otpauth%3A%2F%2F…%3Fsecret%3D…`.
  ///
  /// An example is a URL without a scheme with another URL in its query.
  static func escaped(in bytes: Bytes) -> [Range<Int>] {
    let marks = ["%3D", "%3d"].map { Bytes($0.utf8) }
    guard bytes.has(UInt8(ascii: "%")) else { return [] }
    return bytes.split { $0 <= 0x20 || "\"'<>`".utf8.contains($0) }.filter {
      EscapedText.has(marks, in: Bytes($0))
    }
    .map(\.indices)
  }

  /// Returns the URLs with a scheme, or with a user and no scheme, without trailing punctuation.
  static func found(in bytes: Bytes) -> [Range<Int>] {
    var links: [Range<Int>] = []
    var place = 0
    while place + 2 < bytes.count {
      let slashes = place
      place += 1
      guard bytes[slashes] == "/", bytes[slashes + 1] == "/" else {
        continue
      }
      let least = max(slashes - 41, links.last?.upperBound ?? 0)
      let hasColon = slashes > least && bytes[slashes - 1] == ":"
      let scheme = bytes[least..<(hasColon ? slashes - 1 : least)].reversed().prefix {
        $0.isWord || "+-.".utf8.contains($0)
      }
      guard hasColon ? !scheme.isEmpty : isOfUser(slashes, in: bytes) else { continue }
      let rest = bytes.run(from: slashes + 2) { $0 > 0x20 && !"\"'<>\\`|{}".utf8.contains($0) }
      // No other URL begins within it.
      place = rest.endIndex
      let link = rest.dropLast(rest.reversed().prefix { ".,;:)]!".utf8.contains($0) }.count)
      let start = hasColon ? slashes - 1 - scheme.count : slashes
      if !link.isEmpty { links.append(start..<link.endIndex) }
    }
    return links
  }

  /// Whether slashes begin a URL without a scheme (RFC 3986 §4.2) that contains a password or a
  /// token: `"//ada:…@host/`.
  private static func isOfUser(_ slashes: Int, in bytes: Bytes) -> Bool {
    let before = slashes == 0 ? 0x20 : bytes[slashes - 1]
    guard before <= 0x20 || "\"'`<>(=,[".utf8.contains(before) else { return false }
    let word = bytes[(slashes + 2)...].prefix(300).prefix { !" /?#\"'<>\n".utf8.contains($0) }
    guard let at = word.lastIndex(of: UInt8(ascii: "@")) else { return false }
    let user = word[..<at]
    return user.contains(UInt8(ascii: ":"))
      || user.count >= 16 && TextShape.isDrawn(user.text)
  }
}
