internal import Foundation

extension Redaction {
  /// Returns an address without user info, secret parameters and what is repeated in it.
  package mutating func address(_ url: RequestURL) -> RequestURL {
    var url = url
    url.userInfo = url.userInfo.map { userInfo($0) }
    url.path = path(url.path, host: url.host)
    url.query = url.query.map { pairs($0, .sent, depth: 0) }
    if let host = url.host {
      // A short secret is found in a host by chance: "example" is one.
      let repeated = echoes.found(in: Bytes(host.utf8)).contains { $0.range.count >= 16 }
      if repeated { obstacle = "its host repeats a credential" }
    }
    return url
  }

  private mutating func pairs(_ text: String, _ origin: Pairs.Origin, depth: Int) -> String {
    rewritten(Bytes(text.utf8), by: Pairs(place: .query, origin: origin), depth: depth)?.text
      ?? text
  }

  /// Returns a path: parameters as in `;jsessionid=…`, known shapes, what follows a secret's name
  /// and looks drawn by lot, and echoes.
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
    // A secret with a solidus in it is more than one segment.
    return echoless(segments.joined(separator: "/"))
  }

  /// Tells whether a path of a host is one that takes messages of whoever knows it.
  private func isHook(_ host: String?, _ path: String) -> Bool {
    guard let host, path.read.utf8.count(where: { $0 == "/" }) > 3,
      let name = host.lowercased().split(separator: ":").first,
      Self.hookHosts.all.contains(where: { name == $0 || name.hasSuffix(".\($0)") })
    else { return false }
    return host.contains("hook") || path.contains("hook")
  }

  /// Hosts whose addresses are all that one needs to post there.
  private static let hookHosts: Words = """
    hooks.slack.com discord.com discordapp.com webhook.office.com hooks.zapier.com
    hook.integromat.com maker.ifttt.com hooks.chime.aws chat.googleapis.com
    """

  private static let linkOwners: Words = "t s login signin rss feed feeds atom ical ics"

  /// Returns the name of a segment that looks drawn by lot, if it is a secret by the one before it.
  private func name(_ before: String, of text: String) -> String? {
    guard Self.isDrawn(text, least: 16), !before.isEmpty else { return nil }
    let folded = SecretNames.folded(before)
    if let kind = names.kind(of: before, in: .field) {
      // What has hyphens is a title as often as not.
      return !kind.isAmbiguous || !text.contains("-") || Looks.isDrawn(text) ? before : nil
    }
    if folded == "key", text.utf8.count >= 20, Looks.isDrawn(text) { return before }
    let isVersion = folded.first == "v" && folded.count < 4 && Int(folded.dropFirst()) != nil
    let isLink = isVersion || Self.linkOwners.contains(folded)
    if isLink, Judgement.isLongKey(text, least: 22) { return before }
    let isOwned =
      text.utf8.count >= 20 && before.utf8.count <= 40
      && (Vocabulary.pathOwners.contains(folded)
        || SecretNames.words(of: before).contains { Vocabulary.pathOwners.contains($0) })
    let isHexadecimal = text.read.utf8.allSatisfy(\.isHexadecimalDigit)
    let isOnce = Vocabulary.onceOwners.contains(folded)
    return isOwned && (isOnce || !Looks.isUUID(text) && !isHexadecimal) ? before : nil
  }

  /// Tells whether a segment is long and mixed enough to be no word and no number.
  private static func isDrawn(_ text: String, least: Int) -> Bool {
    text.utf8.count >= least && (least < 16 || text.read.utf8.contains { $0.isASCIIDigit })
      && text.utf8.contains(where: \.isASCIILetter)
      && text.utf8.allSatisfy { Base64Text.isLetter($0) || ".:".utf8.contains($0) }
  }

  /// Returns an address within a text, to the letter except for what is replaced; it may have no
  /// host, and after `#` it may have a query once more, as OAuth answers do.
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
      // JDBC has its parameters behind semicolons.
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

  /// Returns the place where JDBC's parameters begin, `;user=a`: behind a host, with or without its
  /// port. Behind anything else a semicolon belongs to a user or a password (RFC 3986 §3.2.1).
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
  /// Words within which pairs are escaped once more, as in an address without a scheme that has one
  /// in its query: `/qr?text=otpauth%3A%2F%2F…%3Fsecret%3D…`.
  static func escaped(in bytes: Bytes) -> [Range<Int>] {
    let marks = ["%3D", "%3d"].map { Bytes($0.utf8) }
    guard bytes.has(UInt8(ascii: "%")) else { return [] }
    return bytes.split { !isOfWord($0) }.filter { EscapedText.has(marks, in: Bytes($0)) }
      .map(\.indices)
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    byte > 0x20 && !"\"'<>`".utf8.contains(byte)
  }

  /// Addresses with a scheme, or with a user and none, without what ends a sentence behind them.
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
      // Within it none begins of its own.
      place = rest.endIndex
      let link = rest.dropLast(rest.reversed().prefix { ".,;:)]!".utf8.contains($0) }.count)
      let start = hasColon ? slashes - 1 - scheme.count : slashes
      if !link.isEmpty { links.append(start..<link.endIndex) }
    }
    return links
  }

  /// Whether slashes begin an address without a scheme (RFC 3986 §4.2) that has a password or a
  /// token: `"//ada:…@host/`.
  private static func isOfUser(_ slashes: Int, in bytes: Bytes) -> Bool {
    let before = slashes == 0 ? 0x20 : bytes[slashes - 1]
    guard before <= 0x20 || "\"'`<>(=,[".utf8.contains(before) else { return false }
    let word = bytes[(slashes + 2)...].prefix(300).prefix { !" /?#\"'<>\n".utf8.contains($0) }
    guard let at = word.lastIndex(of: UInt8(ascii: "@")) else { return false }
    let user = word[..<at]
    return user.contains(UInt8(ascii: ":"))
      || user.count >= 16 && Looks.isDrawn(user.text)
  }
}
