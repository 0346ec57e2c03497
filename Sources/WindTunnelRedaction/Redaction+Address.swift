internal import Foundation

extension Redaction {
  /// An address without user info, secret parameters and what is repeated in it.
  package mutating func address(_ url: RequestURL) -> RequestURL {
    var url = url
    url.userInfo = url.userInfo.map { userInfo($0) }
    url.path = path(url.path, host: url.host)
    url.query = url.query.map { pairs($0) }
    if let host = url.host {
      // A short secret is found in a host by chance: "example" is one.
      let repeated = echoes.found(in: Array(host.utf8)).contains { $0.range.count >= 16 }
      if repeated { obstacle = "its host repeats a credential" }
    }
    return url
  }

  private mutating func pairs(_ text: String, _ origin: Pairs.Origin = .sent, depth: Int = 0)
    -> String
  {
    let pairs = rewritten(Array(text.utf8), by: Pairs(place: .query, origin: origin), depth: depth)
    return pairs.map { String(decoding: $0, as: UTF8.self) } ?? text
  }

  /// A path: parameters as in `;jsessionid=…`, known shapes, what follows a secret's name and looks
  /// drawn by lot, and echoes.
  private mutating func path(_ path: String, host: String? = nil, depth: Int = 0) -> String {
    let isHook = isHook(host, path)
    var (before, earlier) = ("", "")
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).enumerated().map {
      index,
      segment in
      defer { (earlier, before) = (before, String(segment)) }
      let text = String(segment)
      if isHook && index >= 4, Self.isDrawn(text, least: 6) {
        return stand(
          for: text,
          name: host?.contains("slack") == true ? "slack-hook" : "hook",
          .sure,
          "web-hook"
        )
      }
      if let name = name(before, of: text)
        ?? (before.utf8.count <= 4 ? name(earlier, of: text) : nil)
      {
        return stand(for: text, name: name, .likely, "path-segment")
      }
      return within(.name) { $0.text(text, depth: depth) }
    }
    let joined = segments.joined(separator: "/")
    // A secret with a solidus in it is more than one segment.
    let replaced = echoes.replaced(in: Array(joined.utf8))
    return replaced.map { String(decoding: $0, as: UTF8.self) } ?? joined
  }

  /// Tells whether a path of a host is one that takes messages of whoever knows it.
  private func isHook(_ host: String?, _ path: String) -> Bool {
    guard let host, path.utf8.count(where: { $0 == UInt8(ascii: "/") }) > 3, Self.isHook(host)
    else {
      return false
    }
    return host.contains("hook") || path.contains("hook")
  }

  /// Hosts whose addresses are all that one needs to post there.
  private static func isHook(_ host: String) -> Bool {
    let host = host.lowercased().split(separator: ":").first.map(String.init) ?? ""
    return [
      "hooks.slack.com", "discord.com", "discordapp.com", "webhook.office.com", "hooks.zapier.com",
      "hook.integromat.com", "maker.ifttt.com", "hooks.chime.aws", "chat.googleapis.com",
    ].contains { host == $0 || host.hasSuffix(".\($0)") }
  }

  /// What a segment is called that looks drawn by lot, if it is a secret by the one before it.
  private func name(_ before: String, of text: String) -> String? {
    guard Self.isDrawn(text, least: 16), !before.isEmpty else { return nil }
    let folded = SecretNames.folded(before)
    if let kind = names.kind(of: before, in: .field) {
      // What has hyphens is a title as often as not.
      return !kind.isAmbiguous || !text.contains("-") ? before : nil
    }
    let isOwned =
      text.utf8.count >= 20 && before.utf8.count <= 40
      && (Vocabulary.pathOwners.contains(folded)
        || SecretNames.words(of: before).contains { Vocabulary.pathOwners.contains($0) })
    return isOwned && !Self.isUUID(text) && !Self.isHexadecimal(text) ? before : nil
  }

  private static func isHexadecimal(_ text: String) -> Bool {
    text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0.asciiLowercased }
  }

  private static func isUUID(_ text: String) -> Bool {
    text.utf8.count == 36 && text.split(separator: "-").map(\.utf8.count) == [8, 4, 4, 4, 12]
  }

  /// Tells whether a segment is long and mixed enough to be no word and no number.
  private static func isDrawn(_ text: String, least: Int) -> Bool {
    text.utf8.count >= least && (least < 16 || text.utf8.contains { 0x30...0x39 ~= $0 })
      && text.utf8.contains(where: \.isASCIILetter)
      && text.utf8.allSatisfy { Base64Text.isLetter($0) || ".:".utf8.contains($0) }
  }

  /// An address within a text, to the letter except for what is replaced; it may have no host, and
  /// after `#` it may have a query once more, as OAuth answers do.
  mutating func link(_ link: String, _ origin: Pairs.Origin = .sent, depth: Int = 0) -> String {
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
      result += mark + pairs(String(part), origin, depth: depth)
      rest = rest.dropFirst(part.count + 1)
    }
    return result
  }
}

/// Finds addresses in a text.
enum Links {
  /// Addresses with a scheme, without what ends a sentence behind them.
  static func found(in bytes: [UInt8]) -> [Range<Int>] {
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
