/// The placeholders of a cassette, each with its places and its reason. With it, a wrongly redacted
/// value can be kept in the next recording.
public struct CassetteReview: Sendable {
  /// A placeholder and the reason why its value was redacted.
  public struct Placeholder: Sendable, Hashable {
    /// The text of the placeholder, such as `REDACTED-token-1`.
    public let text: String
    /// The row of the detection table by which the value was redacted, such as `field-name`.
    public let rule: String
    /// The reason in a few words.
    public let reason: String
    /// The places of the placeholder, such as `#2 response body $.session.token`.
    public fileprivate(set) var places: [String]
    /// The value of `--keep` that keeps such a value in the next recording.
    public let keep: String
  }

  /// The placeholders, in the order of their first places.
  public let placeholders: [Placeholder]
  /// The numbers, from 1, of recordings that only differ in redacted values. The order of requests
  /// decides which of them is played.
  public let alike: [[Int]]
  /// The numbers, from 1, of timed recordings whose path contains a variable segment.
  ///
  /// Such a path contains a client's braces that an older version recorded, or it is a pattern
  /// created from a recording.
  public let patterns: [Int]

  /// Collects the placeholders of a cassette.
  public init(_ cassette: Cassette) {
    var finder = PlaceholderFinder()
    for (index, interaction) in cassette.interactions.enumerated() {
      finder.look(at: interaction, number: index + 1)
    }
    placeholders = finder.found
    alike = Self.alike(cassette.interactions)
    patterns = cassette.interactions.enumerated()
      .filter { $0.element.timing != nil && $0.element.request.url.hasVariables }
      .map { $0.offset + 1 }
  }

  /// Returns groups of requests that are equal without ordinals but were recorded with different
  /// values.
  private static func alike(_ interactions: [Interaction]) -> [[Int]] {
    var groups: [Request: [Int]] = [:]
    for (index, interaction) in interactions.enumerated() {
      let plain = interaction.renumbered { _ in 0 }.request
      groups[plain, default: []].append(index)
    }
    return groups.values.filter { group in
      Set(group.map { interactions[$0].request }).count > 1
    }.map { $0.map { $0 + 1 } }.sorted { $0[0] < $1[0] }
  }
}

/// A search for placeholders and their names.
private struct PlaceholderFinder {
  private(set) var found: [CassetteReview.Placeholder] = []
  private var indices: [String: Int] = [:]
  private var names = SecretNames(.standard)

  mutating func look(at interaction: Interaction, number: Int) {
    let request = interaction.request
    look(in: request.url.description, "#\(number) request URL", nil)
    let response = interaction.response
    for (part, headers, body) in [
      ("request", request.headers, request.body),
      ("response", response?.headers ?? [:], response?.body ?? .empty),
    ] {
      for field in headers { look(in: field, "#\(number) \(part) header \(field.name)") }
      look(in: body, "#\(number) \(part) body")
    }
    for field in response?.trailers ?? [:] {
      look(in: field, "#\(number) response trailer \(field.name)")
    }
    look(in: interaction.failure?.text ?? "", "#\(number) failure text", nil)
    for (index, message) in interaction.messages.enumerated() {
      look(in: message.body, "#\(number) message \(index)")
    }
    look(in: .object(interaction.notes), "#\(number) notes", "$", nil)
  }

  private mutating func look(in field: HeaderFields.Element, _ place: String) {
    guard field.isNamed("Cookie") || field.isNamed("Set-Cookie") else {
      return look(in: field.value, place, field.name)
    }
    // The name of the single cookie, because the field's name would keep all cookies.
    for cookie in field.value.split(whereSeparator: { ";,".contains($0) }) {
      let name = cookie.split(separator: "=", omittingEmptySubsequences: false)[0]
      let isNamed = name.endIndex < cookie.endIndex
      look(in: String(cookie), place, isNamed ? String(name.trimmingOptionalWhitespace()) : nil)
    }
  }

  private mutating func look(in body: Body, _ part: String) {
    guard body.count <= Body.openedBytesMax, PseudonymText.mayBeIn(Bytes(body.data)) else { return }
    // A body that is not JSON is searched as text.
    if let json = try? JSONParser.parse(Bytes(body.data)) {
      look(in: json, part, "$", nil)
    } else {
      look(in: body.text ?? "", part, nil)
    }
  }

  private mutating func look(in json: JSON, _ part: String, _ path: String, _ name: String?) {
    switch json {
    case .object(let members):
      for member in members where Self.mayHold(member.value) {
        let name = member.name.value
        look(in: member.value, part, "\(path.read).\(name.prefix(80))", name)
      }
    case .array(let elements):
      for (index, element) in elements.enumerated() where Self.mayHold(element) {
        look(in: element, part, "\(path.read)[\(index)]", name)
      }
    default: look(in: json.stringValue ?? "", "\(part) \(path)", name)
    }
  }

  /// Whether the place of a value must be determined.
  private static func mayHold(_ json: JSON) -> Bool {
    switch json {
    case .object, .array: true
    default: RedactedText.mayBeIn((json.stringValue ?? "").read.utf8)
    }
  }

  private mutating func look(in text: String, _ place: String, _ name: String?) {
    guard RedactedText.mayBeIn(text.read.utf8) else { return }
    for (_, found) in PseudonymText.found(in: Bytes(text.utf8)) {
      add("REDACTED-\(found.name)-\(found.ordinal)", found.name, place, name)
    }
    for (_, inner) in RedactedText.packed(in: text) {
      for stand in inner.stands { look(in: stand, "\(place) in base64", nil) }
    }
  }

  private mutating func add(_ text: String, _ slug: String, _ place: String, _ name: String?) {
    if let index = indices[text.read] {
      // Places are searched in order, so only the last one can be equal.
      if found[index].places.last != place.read { found[index].places.append(place) }
      return
    }
    indices[text] = found.count
    let (rule, reason) = reason(slug)
    let (places, keep) = ([place], name ?? slug)
    found.append(.init(text: text, rule: rule, reason: reason, places: places, keep: keep))
  }

  /// Returns the table row and the reason according to a placeholder's name.
  private func reason(_ slug: String) -> (rule: String, reason: String) {
    if let row = DetectionRow.all.first(where: { $0.id == slug }) { return (row.id, row.finds) }
    switch slug {
    case "authorization", "proxy-authorization", "authentication":
      return ("credentials", "the part after the scheme of \(slug)")
    case "userinfo": return ("user-info", "user and password of a URL")
    case "email", "phone": return ("personal-data", "a contact detail of a person")
    case "hook", "slack-hook": return ("web-hook", "the secret part of a URL")
    default: break
    }
    switch names.kind(of: slug, in: .query) ?? names.kind(of: slug, in: .header) {
    case .certain: return ("field-name", "\(slug) is a name that only secrets have")
    case .ambiguous:
      return ("likely-name", "\(slug) may be a secret's name, and the value looked like one")
    default: return ("told", "a rule named it, or it was the value of a cookie")
    }
  }
}
