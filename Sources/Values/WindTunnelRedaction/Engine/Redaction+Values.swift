internal import Foundation

// Named values: of header fields, cookies, parameters and members.

extension Redaction {
  /// Returns the placeholder of a value that is a secret.
  mutating func stand(
    for value: String,
    name: some StringProtocol,
    instead: String = "value",
    _ certainty: Pseudonyms.Certainty,
    _ row: String
  ) -> String {
    let slug = SecretNames.slug(name, instead: instead)
    let stand = pseudonyms.stand(for: value, name: slug, certainty)
    if stand != value, isLearning { log?.found(slug, row, bytes: value.utf8.count) }
    return stand
  }

  /// Returns the placeholder of a value that is a secret by its name and neighbours, or the value
  /// itself if it is not.
  mutating func judged(_ value: String, _ place: NamedPlace) -> String {
    guard let certainty = Judgement.certainty(of: Self.meant(value), place) else { return value }
    if SecretNames.isPlain(value), place.kind != .told { return value }
    let stand = stand(for: value, name: place.name, certainty, place.kind.row)
    // `"auth": "dXNlcjpwYXNz"` of a registry.
    if stand != value, isLearning, value.utf8.count <= 512 { rememberPair(of: value, as: stand) }
    return stand
  }

  /// Returns the decoded form of an escaped value: `%73%65`, `&#115;&#101;`, `\x73\x65`.
  private static func meant(_ value: String) -> String {
    guard value.read.utf8.contains(where: { "%&\\".utf8.contains($0) }) else { return value }
    return [EscapedText.Spelling.percent, .percent, .html, .json].reduce(value) { meant, spelling in
      EscapedText(Bytes(meant.utf8), spelling).flatMap { String(utf8: $0.bytes) } ?? meant
    }
  }

  /// Returns a named value without its secret; `nil` if the name has no meaning and the value must
  /// be searched like a text.
  mutating func value(
    _ value: String,
    named name: String,
    _ place: SecretNames.Location,
    _ neighbours: Neighbours
  ) -> String? {
    if names.isKept(name) { return value }
    if let field = fieldValue(value, name: name) { return field }
    guard let kind = names.kind(of: name, in: place) else { return nil }
    let isAsked = neighbours.contains(.row) ? true : isAsked || place == .query
    let place = NamedPlace(name: name, kind: kind, neighbours: neighbours, isAsked: isAsked)
    let judged = judged(value, place)
    if judged == value { return kind.isAmbiguous || !SecretNames.isPlain(value) ? nil : value }
    // A space may be a decoded plus sign.
    if value.read.contains(" ") { pseudonyms.remember(value.replacing(" ", with: "+"), as: judged) }
    return judged
  }

  /// Returns credentials without their secret; `Bearer abc` keeps its scheme (RFC 9110 §11.4).
  ///
  /// Parameters of a scheme (§11.2), such as a signature or a response, are also secret by
  /// themselves.
  mutating func credentials(_ value: String, name: String) -> String {
    let parts = value.read.split(separator: " ", maxSplits: 1)
    if parts.count != 2, Prose.isPlain(value), !isAsked { return value }
    let token = parts.count == 2 ? String(parts[1]) : value
    // Clients send the same credentials repeatedly.
    let isNew = parts.count != 2 || pseudonyms.sought[token] == nil
    let stand = stand(for: token, name: name, .sure, "credentials")
    if isNew, stand != token {
      if parts.count == 2 { rememberPair(of: token, as: stand) }
      rememberParts(of: token, name)
    }
    return parts.count == 2 ? "\(parts[0]) \(stand)" : stand
  }

  /// Remembers the decoded pair of Basic credentials, which is as secret as the credentials.
  mutating func rememberPair(of token: String, as stand: String) {
    guard let bytes = Base64Text.decoded(token.read.utf8), let pair = String(utf8: bytes),
      pair.contains(":")
    else { return }
    pseudonyms.remember(pair, as: stand)
    rememberPassword(of: pair)
  }

  /// Remembers the parts of a credential that may occur by themselves: `Signature=…`,
  /// `response="…"`, the halves of a signed cookie, a token's payload.
  mutating func rememberParts(of value: String, _ name: String) {
    guard isLearning, value.utf8.count >= 20, value.utf8.count <= 8192 else { return }
    let plain = value.read.contains("%") ? value.removingPercentEncoding ?? value : value
    rememberPart(Self.unmarked(plain), SecretNames.slug(name))
    for part in plain.read.split(whereSeparator: { ",;& ".contains($0) }) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let isPair = pair.count == 2 && pair[0].utf8.count <= 24 && pair[1].contains { $0 != "=" }
      let word = (isPair ? pair[1] : part).split(separator: "\"").first ?? ""
      if let bytes = Base64Text.decoded(word.utf8), let inner = String(utf8: bytes),
        inner.contains("=") || inner.contains("\\")
      {
        rememberParts(of: inner, name)
      }
      for piece in String(word.read).replacing("--", with: "|").split(whereSeparator: {
        ".:|~\\".contains($0)
      })
      where piece.utf8.count >= 16 && piece.utf8.count < value.utf8.count
        && !piece.hasPrefix("eyJhbGciOi") && TextShape.isDrawn(piece)
      {
        let label = isPair ? SecretNames.slug(pair[0]) : "part"
        rememberPart(String(piece), "\(SecretNames.slug(name))-\(label)")
      }
    }
  }

  private mutating func rememberPart(_ text: String, _ name: String) {
    if text.utf8.count >= 16, pseudonyms.sought[text.read] == nil, TextShape.isDrawn(text) {
      _ = pseudonyms.stand(for: text, name: name, .likely)
    }
  }

  /// Returns a key without its prefix, such as `glpat-` or `sk_live_`; empty if the rest is not a
  /// key.
  private static func unmarked(_ text: String) -> String {
    var rest = text[...]
    while let end = rest.prefix(12).firstIndex(where: { "-_".contains($0) }), end > rest.startIndex,
      rest[..<end].utf8.allSatisfy({ 0x61...0x7A ~= $0 || $0.isASCIIDigit })
    {
      rest = rest[rest.index(after: end)...]
    }
    return rest.read.utf8.allSatisfy({ $0.isWord || $0 == 0x2D || $0 == 0x5F }) ? String(rest) : ""
  }

  /// Remembers the password of `user:password` with its own pseudonym, because it may occur without
  /// the user. A key in place of the user's name is also remembered.
  private mutating func rememberPassword(of pair: String) {
    let parts = pair.read.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    if let user = parts.first, user.utf8.count >= 16, TextShape.isDrawn(user) {
      _ = pseudonyms.stand(for: String(user), name: "user", .likely)
    }
    guard parts.count == 2, parts[1].utf8.count >= Pseudonyms.aloneBytesMin else { return }
    _ = pseudonyms.stand(for: String(parts[1]), name: "password", .sure)
  }

  /// Returns the placeholder of a URL's `user:password`.
  mutating func userInfo(_ value: String) -> String {
    let stand = stand(for: value, name: "userinfo", .likely, "user-info")
    if stand != value {
      let plain = value.read.removingPercentEncoding ?? value
      pseudonyms.remember(plain, as: stand)
      rememberPassword(of: plain)
    }
    return stand
  }

  /// Returns cookies such as `a=1; b=2` (RFC 6265 §4.2.1) without their values; the names stay.
  mutating func cookies(_ value: String) -> String {
    value.read.split(separator: ";").map { cookie(String($0)) }.joined(separator: "; ")
  }

  private mutating func cookie(_ pair: String) -> String {
    let parts = pair.read.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].trimmingOptionalWhitespace()
    // A cookie without a name consists of a value only.
    guard parts.count == 2 else {
      return stand(for: String(name), name: "cookie", .likely, "cookie")
    }
    if names.isKept(name) { return String(pair.trimmingOptionalWhitespace()) }
    let value = Self.unquoted(parts[1])
    // Most cookies contain a language or a theme; one with a secret's name contains a secret.
    let isSecret = names.kind(of: name, in: .field) != nil
    let certainty = isSecret ? Pseudonyms.Certainty.sure : .likely
    let stand = stand(for: value, name: name, instead: "cookie", certainty, "cookie")
    if stand != value {
      if let plain = value.removingPercentEncoding, plain != value {
        pseudonyms.remember(plain, as: stand)
      }
      rememberParts(of: value, String(name))
    }
    return "\(echoless(String(name), .name))=\(stand)"
  }

  /// Returns a `Set-Cookie` value such as `a=1; Path=/` (RFC 6265 §4.1.1) without the cookie's
  /// value; name and attributes stay.
  ///
  /// If a platform joined several fields with commas, each of them is redacted.
  mutating func setCookie(_ value: String) -> String {
    let bytes = Bytes(value.utf8)
    // A comma separates cookies only if a name and "=" follow, unlike in a date.
    let commas = bytes.indices.filter { bytes[$0] == "," }.compactMap { comma in
      let name = bytes[(comma + 1)...].drop { $0 <= 0x20 }
      let end = name.prefix { $0 > 0x20 && !";,=".utf8.contains($0) }.endIndex
      return bytes[end...].first == "=" && end > name.startIndex
        ? comma..<name.startIndex : nil
    }
    return bytes.ranges(between: commas).filter { !$0.isEmpty }.map { range in
      let parts = bytes[range].text.split(separator: ";", omittingEmptySubsequences: false)
        .map(String.init)
      return ([cookies(parts[0])] + parts.dropFirst().map { attribute($0) }).joined(separator: ";")
    }.joined(separator: ", ")
  }

  /// Returns an attribute without secrets: `Path=/`, `Comment="…"` (RFC 2965 §3.2.2).
  private mutating func attribute(_ text: String) -> String {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return text }
    let (name, value) = (String(parts[0].trimmingOptionalWhitespace()), Self.unquoted(parts[1]))
    let isLink = ["path", "commenturl"].contains(name.lowercased())
    let new =
      isLink
      ? link(value)
      : self.value(value, named: name, .field, []) ?? within(.syntax) { $0.text(value) }
    return new == value ? text : "\(parts[0])=\(parts[1].replacing(value, with: new))"
  }

  private static func unquoted(_ value: Substring) -> String {
    let text = value.trimmingOptionalWhitespace()
    guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return String(text) }
    return String(text.dropFirst().dropLast())
  }

  /// Calls a function with another kind of text as the context.
  mutating func within<Result>(
    _ place: KnownValueSearch.Context,
    _ body: (inout Redaction) -> Result
  ) -> Result {
    let outer = self.place
    self.place = place
    defer { self.place = outer }
    return body(&self)
  }

  /// Returns a member's name without secrets. It may be a value of the object's name, or a text.
  mutating func shown(
    _ key: String,
    of owner: NamedPlace?,
    before value: JSONSpan,
    depth: Int
  ) -> String {
    let (letters, signs) = (key.read.utf8, "=:@ ".utf8)
    let isName =
      !letters.contains(where: signs.contains)
      && (letters.count < 20 || !letters.contains(where: \.isASCIIDigit) || TextShape.isUUID(key))
    if let owner, !owner.isWithin {
      // The number of attempts has the password as its name.
      let isTried =
        if case .number = value { SecretNames.folded(owner.name).contains("passw") } else { false }
      let place = NamedPlace(name: owner.name, kind: .ambiguous(isTried ? .near : .token))
      if isTried || TextShape.isToken(key), Judgement.certainty(of: key, place) != nil {
        return stand(for: key, name: owner.name, .likely, "likely-name")
      }
    }
    let bytes = Bytes(key.utf8)
    let read = within(.name) { isName ? $0.echoed(bytes) : $0.text(bytes, .plain, depth: depth) }
    return read.text
  }

  /// Returns a value or a name without known secrets; nothing else is searched.
  func echoless(_ value: String, _ place: KnownValueSearch.Context = .syntax) -> String {
    echoes.replaced(in: Bytes(value.utf8), place)?.text ?? value
  }
}
