internal import Foundation

extension Redaction {
  /// Returns the redacted value of a field with its own format, in a header or in a JSON body;
  /// `nil` for any other field.
  mutating func fieldValue(_ value: String, name: some StringProtocol) -> String? {
    switch SecretNames.folded(name) {
    case "authorization", "proxyauthorization":
      Judgement.isPlaceholder(value) || SecretNames.isPlain(value)
        ? value : credentials(value, name: SecretNames.slug(name))
    case "cookie": value.read.contains("=") ? cookies(value) : nil
    case "setcookie": setCookie(value)
    default: nil
    }
  }

  /// Returns a message's fields without secrets.
  mutating func fields(_ fields: HeaderFields, _ noun: String = "header") -> HeaderFields {
    let part = log?.part ?? ""
    defer { log?.part = part }
    return HeaderFields(
      fields.map { field in
        log?.part = "\(part) \(noun) \(field.name)"
        return HeaderField(field.name, value(of: field))
      }
    )
  }

  private mutating func value(of field: HeaderField) -> String {
    if names.isKept(field.name) { return field.value }
    switch FieldKind(field.name, names) {
    case .credentials: return credentials(field.value, name: SecretNames.slug(field.name))
    case .cookies: return cookies(field.value)
    case .setCookie: return setCookie(field.value)
    case .secret(let kind): return secretField(field, kind)
    case .protocols: return protocols(field)
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

  /// Returns the value of a field with a credential's name; a random word is redacted as a whole.
  private mutating func secretField(_ field: HeaderField, _ kind: SecretNames.Kind) -> String {
    let value = field.value
    let place = NamedPlace(name: field.name, kind: kind, isAsked: true)
    guard kind.isAmbiguous || kind == .certain && value.utf8.count < 6 else {
      let stand = judged(value, place)
      if stand != value { rememberParts(of: value, field.name) }
      return stand
    }
    let words = value.read.split(separator: " ")
    // A scheme precedes the credentials (RFC 9110 §11.4).
    if words.count == 2, words[0].utf8.allSatisfy({ $0.isWord || $0 == "-" }),
      words[1].utf8.count >= 8
    {
      return credentials(value, name: SecretNames.slug(field.name))
    }
    let isPlain = Prose.isPlain(value) || value.utf8.allSatisfy { $0.isASCIIDigit || $0 == 0x2E }
    let isWord =
      value.utf8.count >= 6 && !isPlain && !Judgement.isPlaceholder(value)
      && !TextShape.isPublished(value) && !Judgement.isWay(value) && !value.contains("://")
    guard isWord, TextShape.isDrawn(value) else { return text(value) }
    let stand = stand(for: value, name: field.name, .sure, "header-name")
    if stand != value { rememberParts(of: value, field.name) }
    return stand
  }

  /// Returns the value of `Sec-WebSocket-Protocol`, in which clients that cannot set other fields
  /// send a token.
  private mutating func protocols(_ field: HeaderField) -> String {
    field.value.read.split(separator: ",", omittingEmptySubsequences: false).map { item in
      let word = item.trimmingOptionalWhitespace()
      let parts = word.read.split(separator: ".", omittingEmptySubsequences: false)
      guard let last = parts.last, TextShape.isDrawn(last), last.utf8.count >= 12 else {
        return String(item)
      }
      // Names may precede the token, which may contain dots.
      let isName: (Substring) -> Bool = { part in
        !part.hasPrefix("eyJ") && (part.utf8.count < 12 || !TextShape.isDrawn(part))
      }
      let secret = parts.drop(while: isName).joined(separator: ".")
      let stand = stand(for: secret, name: field.name, .sure, "header-name")
      if let bytes = Base64Text.decoded(secret.utf8), let plain = String(utf8: bytes) {
        pseudonyms.remember(plain, as: stand)
        rememberParts(of: plain, field.name)
      }
      return String(item).replacing(secret, with: stand)
    }.joined(separator: ",")
  }
}
