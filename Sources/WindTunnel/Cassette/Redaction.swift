internal import Foundation

/// Takes secrets out of what is about to be kept.
///
/// `REDACTED-authorization-1` is the field's name and the ordinal of the value's first appearance:
/// equal values bear equal ordinals, and nothing of the value is left, not even a hash of it.
struct Redaction {
  /// A body that repeats a secret of at least so many bytes is left out; shorter ones occur in
  /// bodies by chance.
  static let echoBytesMin = 6

  /// What was not kept, in words.
  private(set) var leftOut: [String] = []
  private var ordinals: [String: [String: Int]] = [:]
  /// What must not occur in anything that is kept, and what stands in its place.
  private(set) var secrets: [String: String] = [:]

  /// Goes on counting where the redactions of a cassette end.
  init(continuing interactions: [Interaction]) {
    for interaction in interactions {
      for field in interaction.request.headers { note(field.value) }
      for field in interaction.response?.headers ?? [:] { note(field.value) }
      note(interaction.request.url.userInfo ?? "")
      note(interaction.failure?.text ?? "")
    }
  }

  private mutating func note(_ value: String) {
    for match in value.matches(of: /REDACTED-([a-z0-9-]+)-([0-9]+)/) {
      let name = String(match.1)
      // The old value is gone; its ordinal stays taken.
      if let ordinal = Int(match.2) { ordinals[name, default: [:]]["\u{0}\(ordinal)"] = ordinal }
    }
  }

  /// The interactions that may be kept, without their secrets.
  mutating func redact(_ interactions: [Interaction]) -> [Interaction] {
    let redacted = interactions.map { interaction in redact(interaction) }
    // An echo may come before its secret is known, so all else is looked at last.
    let echoes = Echoes(of: secrets)
    return redacted.compactMap { interaction in
      let interaction = echoes.replaced(in: interaction)
      guard let reason = echoes.reasonToLeaveOut(interaction) else { return interaction }
      let url = echoes.replaced(in: interaction.request.url.description)
      leftOut.append("\(interaction.request.method) \(url): \(reason)")
      return nil
    }
  }

  /// Tells what is not kept.
  mutating func leaveOut(_ sentence: String) { leftOut.append(sentence) }

  private mutating func redact(_ interaction: Interaction) -> Interaction {
    var interaction = interaction
    interaction.request.url.userInfo = userInfo(interaction.request.url.userInfo)
    interaction.request.headers = redact(interaction.request.headers)
    interaction.notes = redact(interaction.notes)
    interaction.innerNotes = redact(interaction.innerNotes)
    switch interaction.answer {
    case .response(let response): interaction.answer = .response(redact(response))
    case .cut(let response, let failure):
      interaction.answer = .cut(redact(response), redact(failure))
    case .failure(let failure): interaction.answer = .failure(redact(failure))
    }
    return interaction
  }

  private mutating func redact(_ response: Response) -> Response {
    var response = response
    response.head.headers = redact(response.headers)
    return response
  }

  private mutating func redact(_ failure: Failure) -> Failure {
    Failure(failure.symptom, text: failure.text.map { withoutUserInfo($0) })
  }

  private mutating func redact(_ fields: HeaderFields) -> HeaderFields {
    HeaderFields(
      fields.map { field in
        let value: String
        switch field.name.lowercased() {
        case "authorization", "proxy-authorization":
          value = credentials(field.value, name: field.name.lowercased())
        case "cookie": value = cookies(field.value)
        case "set-cookie": value = setCookie(field.value)
        default: value = withoutUserInfo(field.value)
        }
        return HeaderField(field.name, value)
      }
    )
  }

  /// `Bearer abc` keeps its scheme (RFC 9110 §11.4).
  private mutating func credentials(_ value: String, name: String) -> String {
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2 else { return pseudonym(value, name) }
    let token = String(parts[1])
    if parts[0].lowercased() == "basic", let data = Data(base64Encoded: token),
      let pair = String(data: data, encoding: .utf8)
    {
      let pseudonym = pseudonym(token, name)
      remember(pair, as: pseudonym)
      rememberPassword(of: pair, as: pseudonym)
    }
    return "\(parts[0]) \(pseudonym(token, name))"
  }

  /// `a=1; b=2` (RFC 6265 §4.2.1): each value goes, the names stay.
  private mutating func cookies(_ value: String) -> String {
    value.split(separator: ";").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].trimmingOptionalWhitespace()
      // A cookie without a name is all value.
      guard parts.count == 2 else { return pseudonym(String(name), "cookie") }
      return "\(name)=\(pseudonym(Self.unquoted(parts[1]), Self.slug(name)))"
    }.joined(separator: "; ")
  }

  /// `a=1; Path=/` (RFC 6265 §4.1.1): the value goes, name and attributes stay.
  ///
  /// Where a platform has joined several fields with commas, each of them is treated.
  private mutating func setCookie(_ value: String) -> String {
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

  private static func slug(_ name: Substring) -> String {
    let letters = name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    return letters.isEmpty ? "cookie" : String(letters)
  }

  private mutating func userInfo(_ value: String?) -> String? {
    guard let value else { return nil }
    let pseudonym = pseudonym(value, "userinfo")
    rememberPassword(of: value, as: pseudonym)
    if let plain = value.removingPercentEncoding { rememberPassword(of: plain, as: pseudonym) }
    return pseudonym
  }

  private mutating func rememberPassword(of pair: String, as pseudonym: String) {
    let parts = pair.split(separator: ":", maxSplits: 1)
    if let password = parts.last { remember(String(password), as: pseudonym) }
  }

  /// Takes `user:password@` out of every URL that stands in a text.
  mutating func withoutUserInfo(_ text: String) -> String {
    guard text.contains("@"), text.contains("://") else { return text }
    var result = ""
    var rest = text[...]
    while let match = rest.firstMatch(of: /:\/\/([^\/?#\s]+)@/) {
      result += rest[..<match.range.lowerBound]
      result += "://\(userInfo(String(match.1)) ?? "")@"
      rest = rest[match.range.upperBound...]
    }
    return result + rest
  }

  private mutating func pseudonym(_ value: String, _ name: String) -> String {
    if value.isEmpty || value.hasPrefix("REDACTED-") { return value }
    let known = ordinals[name, default: [:]]
    let ordinal = known[value] ?? (known.values.max() ?? 0) + 1
    ordinals[name, default: [:]][value] = ordinal
    let pseudonym = "REDACTED-\(name)-\(ordinal)"
    remember(value, as: pseudonym)
    return pseudonym
  }

  private mutating func remember(_ secret: String, as pseudonym: String) {
    if secret.utf8.count >= Self.echoBytesMin, !secret.hasPrefix("REDACTED-") {
      secrets[secret] = secrets[secret] ?? pseudonym
    }
  }
}
