internal import Foundation

/// What was taken out of a cassette: each placeholder with where it stands and why, so that a wrong one
/// can be kept the next time.
public struct CassetteReview: Sendable {
  /// A placeholder.
  public struct Placeholder: Sendable, Hashable {
    /// As it stands there: `REDACTED-token-1`.
    public let text: String
    /// The row of the table by which its value went, such as `field-name`.
    public let rule: String
    /// Why, in words.
    public let reason: String
    /// The place where it stands: `#2 response body $.session.token`.
    public let places: [String]
    /// What keeps such a value the next time, as the value of `--keep`.
    public let keep: String
  }

  /// The placeholders, in the order in which they stand.
  public let placeholders: [Placeholder]
  /// The numbers, counted from 1, of recordings that nothing tells apart but what was taken out: which
  /// of them a request gets is a matter of what came first.
  public let alike: [[Int]]

  /// Looks through a cassette.
  public init(_ cassette: Cassette) {
    var finder = PlaceholderFinder()
    for (index, interaction) in cassette.interactions.enumerated() {
      finder.look(at: interaction, number: index + 1)
    }
    placeholders = finder.found
    alike = Self.alike(cassette.interactions)
  }

  /// Requests that are one once the ordinals are gone, and were not recorded for the same value.
  private static func alike(_ interactions: [Interaction]) -> [[Int]] {
    var groups: [Request: [Int]] = [:]
    for (index, interaction) in interactions.enumerated() {
      guard RedactedText.mayBeIn(interaction.request.url.description.utf8) else { continue }
      let plain = interaction.renumbered { _ in 0 }.request
      groups[plain, default: []].append(index)
    }
    return groups.values.filter { group in
      Set(group.map { interactions[$0].request }).count > 1
    }.map { $0.map { $0 + 1 } }.sorted { $0[0] < $1[0] }
  }
}

/// Finds placeholders and the names that they stand under.
private struct PlaceholderFinder {
  private(set) var found: [CassetteReview.Placeholder] = []
  private var indices: [String: Int] = [:]
  private var names = SecretNames(.standard)

  mutating func look(at interaction: Interaction, number: Int) {
    let request = interaction.request
    look(in: request.url.description, "#\(number) request URL", nil)
    look(in: request.headers, request.body, "#\(number) request")
    if let response = interaction.response {
      look(in: response.headers, response.body, "#\(number) response")
    }
    look(in: interaction.failure?.text ?? "", "#\(number) failure text", nil)
    for (index, message) in interaction.messages.enumerated() {
      look(in: message.body, "#\(number) message \(index)")
    }
    look(in: .object(interaction.notes), "#\(number) notes", "$", nil)
  }

  private mutating func look(in headers: HeaderFields, _ body: Body, _ part: String) {
    for field in headers { look(in: field.value, "\(part) header \(field.name)", field.name) }
    look(in: body, "\(part) body")
  }

  private mutating func look(in body: Body, _ part: String) {
    guard body.count <= Body.openedBytesMax, PseudonymText.mayBeIn(Array(body.data)) else { return }
    // What is no JSON is a text like any other.
    if let json = try? JSONParser.parse(Array(body.data)) {
      look(in: json, part, "$", nil)
    } else {
      look(in: body.text ?? "", part, nil)
    }
  }

  private mutating func look(in json: JSON, _ part: String, _ path: String, _ name: String?) {
    switch json {
    case .object(let members):
      for member in members {
        look(in: member.value, part, "\(path).\(member.name.value)", member.name.value)
      }
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        look(in: element, part, "\(path)[\(index)]", name)
      }
    default: look(in: json.stringValue ?? "", "\(part) \(path)", name)
    }
  }

  private mutating func look(in text: String, _ place: String, _ name: String?) {
    guard RedactedText.mayBeIn(text.utf8) else { return }
    for (slug, ordinal) in PseudonymText.found(in: Array(text.utf8)) {
      add("REDACTED-\(slug)-\(ordinal)", slug, place, name)
    }
    for (_, inner) in RedactedText.packed(in: text) {
      for stand in inner.stands { look(in: stand, "\(place) in base64", nil) }
    }
  }

  private mutating func add(_ text: String, _ slug: String, _ place: String, _ name: String?) {
    if let index = indices[text] {
      let known = found[index]
      found[index] = CassetteReview.Placeholder(
        text: text,
        rule: known.rule,
        reason: known.reason,
        places: known.places + (known.places.contains(place) ? [] : [place]),
        keep: known.keep
      )
      return
    }
    indices[text] = found.count
    let (rule, reason) = reason(slug)
    found.append(
      CassetteReview.Placeholder(
        text: text,
        rule: rule,
        reason: reason,
        places: [place],
        keep: name ?? slug
      )
    )
  }

  /// The row that a placeholder's name tells.
  private func reason(_ slug: String) -> (rule: String, reason: String) {
    if let row = DetectionRow.all.first(where: { $0.id == slug }) { return (row.id, row.finds) }
    switch slug {
    case "authorization", "proxy-authorization", "authentication":
      return ("credentials", "what follows the scheme of \(slug)")
    case "userinfo": return ("user-info", "user and password of an address")
    case "email", "phone": return ("personal-data", "what a person is reached by")
    case "hook", "slack-hook": return ("web-hook", "the secret part of an address")
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
