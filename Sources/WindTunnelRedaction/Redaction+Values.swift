internal import Foundation

extension Redaction {
  /// What stands for the value of a name.
  mutating func stand(
    for value: String,
    name: some StringProtocol,
    instead: String = "value",
    sort: SecretNames.Sort = .secret,
    _ certainty: Pseudonyms.Certainty? = nil
  ) -> String {
    if Prose.isKeyOfStore(name, value) { return value }
    let slug = SecretNames.slug(name, instead: instead)
    let isSure = sort == .secret && !SecretNames.isAmbiguous(name)
    let stand = pseudonyms.stand(
      for: value,
      name: slug,
      sort == .person ? .none : certainty ?? (isSure ? .sure : .likely)
    )
    if stand != value, echoes == nil { log?.found(slug, bytes: value.utf8.count) }
    return stand
  }

  /// `Bearer abc` keeps its scheme (RFC 9110 §11.4).
  mutating func credentials(_ value: String, name: String) -> String {
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2 else { return stand(for: value, name: name, .sure) }
    let token = String(parts[1])
    let stand = stand(for: token, name: name, .sure)
    if parts[0].lowercased() == "basic" { rememberPair(of: token, as: stand) }
    return "\(parts[0]) \(stand)"
  }

  /// What Basic credentials decode to is as secret as they are.
  mutating func rememberPair(of token: String, as stand: String) {
    guard let bytes = Base64Text.decoded(token.utf8), let pair = String(utf8: bytes) else { return }
    pseudonyms.remember(pair, as: stand)
    rememberPassword(of: pair)
  }

  /// The password of `user:password` has a pseudonym of its own, as it turns up without the user.
  mutating func rememberPassword(of pair: String) {
    let parts = pair.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, parts[1].utf8.count >= Pseudonyms.aloneBytesMin else { return }
    _ = pseudonyms.stand(for: String(parts[1]), name: "password", .sure)
  }

  /// `user:password` of an address.
  mutating func userInfo(_ value: String) -> String {
    let stand = stand(for: value, name: "userinfo", .likely)
    guard stand != value else { return value }
    let plain = value.removingPercentEncoding ?? value
    pseudonyms.remember(plain, as: stand)
    rememberPassword(of: plain)
    // A token in the place of the user has no password behind it.
    return stand
  }

  /// `a=1; b=2` (RFC 6265 §4.2.1): each value goes, the names stay.
  mutating func cookies(_ value: String) -> String {
    value.split(separator: ";").map { cookie(String($0)) }.joined(separator: "; ")
  }

  private mutating func cookie(_ pair: String) -> String {
    let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].trimmingOptionalWhitespace()
    // A cookie without a name is all value.
    guard parts.count == 2 else { return stand(for: String(name), name: "cookie", .likely) }
    let value = Self.unquoted(parts[1])
    // Most cookies hold a language or a theme; one that is named like a secret holds a secret.
    let certainty: Pseudonyms.Certainty =
      names.sort(of: name, in: .field) == .secret ? .sure : .likely
    let stand = stand(for: value, name: name, instead: "cookie", certainty)
    if stand != value, let plain = value.removingPercentEncoding, plain != value {
      pseudonyms.remember(plain, as: stand)
    }
    return "\(nameless(name))=\(stand)"
  }

  /// `a=1; Path=/` (RFC 6265 §4.1.1): the value goes, name and attributes stay.
  ///
  /// Where a platform has joined several fields with commas, each of them is treated.
  mutating func setCookie(_ value: String) -> String {
    // A comma parts cookies only where a name and "=" follow; in a date it does not.
    value.split(separator: /,\s*(?=[^;,=\s]+=)/).map { cookie in
      var parts = cookie.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
      parts[0] = cookies(parts[0])
      return parts.joined(separator: ";")
    }.joined(separator: ", ")
  }

  private static func unquoted(_ value: Substring) -> String {
    let text = value.trimmingOptionalWhitespace()
    guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return String(text) }
    return String(text.dropFirst().dropLast())
  }

  /// The value of a field that is treated by what it is: the same in a header and where a JSON body
  /// repeats one; `nil` for any other.
  mutating func fieldValue(_ value: String, name: some StringProtocol) -> String? {
    switch FieldName.normalised(name) {
    case "authorization", "proxyauthorization":
      credentials(value, name: SecretNames.slug(name))
    case "cookie": cookies(value)
    case "setcookie": setCookie(value)
    default: nil
    }
  }

  /// A message's fields.
  mutating func fields(_ fields: HeaderFields) -> HeaderFields {
    let part = log?.part ?? ""
    defer { log?.part = part }
    return HeaderFields(
      fields.map { field in
        log?.part = "\(part) header \(field.name)"
        return HeaderField(field.name, value(of: field))
      }
    )
  }

  private mutating func value(of field: HeaderField) -> String {
    switch fieldKind(field.name) {
    case .credentials: return credentials(field.value, name: SecretNames.slug(field.name))
    case .cookies: return cookies(field.value)
    case .setCookie: return setCookie(field.value)
    case .secret(let sort):
      return stand(for: field.value, name: field.name, sort: sort, sort == .secret ? .sure : nil)
    case .link: return link(field.value, .redirect)
    case .made: return echoless(field.value)
    case .drawn:
      log?.isAtLot = true
      defer { log?.isAtLot = false }
      return text(field.value)
    case .syntax: return within(.syntax) { $0.text(field.value) }
    case .text: return text(field.value)
    }
  }

  private mutating func fieldKind(_ name: String) -> FieldKind {
    if let known = fieldKinds[name] { return known }
    let kind = FieldKind(name, names)
    if fieldKinds.count < 4096 { fieldKinds[name] = kind }
    return kind
  }

  /// Looks at something as what stands in such a place.
  mutating func within<Result>(
    _ place: KnownValueSearch.Place,
    _ body: (inout Redaction) -> Result
  ) -> Result {
    let outer = self.place
    self.place = place
    defer { self.place = outer }
    return body(&self)
  }

  /// The name of a value, which may itself be an echo.
  func nameless(_ name: some StringProtocol) -> String {
    echoes?.replaced(in: Array(name.utf8), .name).map { String(decoding: $0, as: UTF8.self) }
      ?? String(name)
  }

  /// A value in which nothing but an echo is looked for.
  func echoless(_ value: String) -> String {
    echoes?.replaced(in: Array(value.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? value
  }
}
