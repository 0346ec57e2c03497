internal import Foundation

/// The positions on a cassette that new recordings replace.
package struct ReplacedPlaces {
  /// The rule that distinguishes requests.
  package enum Rule {
    /// By the matcher with which they are played. `then` is the default policy after the last
    /// recording.
    case played(by: Matcher, then: EndPolicy)
    /// By the requests themselves, if the matcher is unknown.
    case said
  }

  enum Target {
    /// The position to replace.
    case place(Int)
    /// No position, because the current one was recorded in this run with different content.
    case further
    /// No position, because none is left.
    case beyond
  }

  /// The recordings for one kind of request.
  struct Group {
    /// The positions on the cassette.
    var places: [Int]
    /// The number of leading positions that are used or skipped.
    fileprivate var head = 0
  }

  private(set) var groups: [Group] = []
  let written: Set<Int>
  private let old: [Interaction]
  private let rule: Rule
  private let index: MatchIndex?
  private let names: [RequestName: [Int]]
  private var bindings = Bindings()
  private var known: [GroupName: Int] = [:]
  private var passed: Set<Int> = []

  init(of old: [Interaction], written: Set<Int>, by rule: Rule) {
    (self.old, self.written, self.rule) = (old, written, rule)
    switch rule {
    case .played(let matcher, _):
      index = MatchIndex(old.map(\.request), matcher: matcher)
      names = [:]
    case .said:
      index = nil
      names = Dictionary(grouping: old.indices) { RequestName(old[$0]) }
    }
  }

  /// Returns the group and the target position of the next recording.
  mutating func find(_ new: Interaction) -> (group: Int, target: Target) {
    let group = group(of: new)
    while groups[group].head < groups[group].places.count,
      passed.contains(groups[group].places[groups[group].head])
    {
      groups[group].head += 1
    }
    guard let place = free(for: new, in: groups[group]) else { return (group, .beyond) }
    passed.insert(place)
    if !written.contains(place) || Self.isAlike(new, old[place]) { return (group, .place(place)) }
    guard let same = free(for: new, in: groups[group], where: { Self.isAlike(new, $0) }) else {
      return (group, .further)
    }
    passed.insert(same)
    return (group, .place(same))
  }

  private func free(
    for new: Interaction,
    in group: Group,
    where isWanted: (Interaction) -> Bool = { _ in true }
  ) -> Int? {
    group.places[group.head...].first { place in
      !passed.contains(place) && fits(new, old[place]) && isWanted(old[place])
    }
  }

  /// Returns the policy after the last recording of a group.
  func end(of group: Int) -> EndPolicy {
    guard let last = groups[group].places.last else { return .fail }
    if let own = old[last].then { return own }
    guard case .played(_, let then) = rule else { return .fail }
    return then
  }

  private mutating func group(of new: Interaction) -> Int {
    switch rule {
    case .said:
      let name = RequestName(new)
      return group(.said(name), names[name] ?? [])
    case .played(let matcher, _):
      // New recordings number their secrets independently, so the ordinals in the request must not
      // be compared.
      let request = new.request.withoutMarks
      let key = matcher.key(request)
      let found = index?.sequence(for: request, key: key, lane: .deck, bindings: &bindings)
      return group(found.map { .found($0.places) } ?? .missing(key), found?.places ?? [])
    }
  }

  private mutating func group(_ name: GroupName, _ places: [Int]) -> Int {
    if let group = known[name] { return group }
    known[name] = groups.count
    groups.append(Group(places: places))
    return groups.count - 1
  }

  /// Whether a recording may replace another one, which must have the same request and must not be
  /// a handwritten pattern or template.
  private func fits(_ new: Interaction, _ old: Interaction) -> Bool {
    // Without a host, with a variable segment or any method, it matches many requests.
    let isPattern =
      old.request.url.host == nil || old.request.url.hasVariables
      || old.request.method == Request.anyMethod
    if isPattern || old.isTemplate { return false }
    guard case .played = rule else { return true }
    if new.request.method == old.request.method, new.request.url == old.request.url { return true }
    let request = new.request.withoutMarks
    let alone = MatchIndex([old.request], matcher: .url)
    return alone.sequence(for: request, key: Matcher.url.key(request)) != nil
  }

  /// Whether two recordings have the same content, ignoring the ordinals of secrets.
  private static func isAlike(_ one: Interaction, _ other: Interaction) -> Bool {
    let (one, other) = (Rerecording.recordable(one), Rerecording.recordable(other))
    return one == other || one.renumbered { _ in 0 } == other.renumbered { _ in 0 }
  }
}

extension Request {
  /// The request with its placeholders changed to ordinary values, so that their ordinals are not
  /// interpreted.
  fileprivate var withoutMarks: Request {
    func unmarked(_ text: String) -> String { text.replacing("REDACTED-", with: "HIDDEN-") }
    var request = self
    let address = url.description
    if RedactedText.mayBeIn(address.utf8) { request.url = RequestURL(unmarked(address)) }
    request.headers = HeaderFields(headers.map { HeaderField($0.name, unmarked($0.value)) })
    if body.count <= Body.openedBytesMax, let text = body.text, text.contains("REDACTED-") {
      request.body = Body(unmarked(text))
    }
    return request
  }
}

/// The property by which recordings belong to a group.
private enum GroupName: Hashable {
  case said(RequestName)
  case found([Int])
  case missing(RequestKey)
}

/// The identity of a request by its own content, independent of any matcher.
///
/// Volatile parts and the ordinals of secrets are ignored. The body is included, because many
/// requests have the same URL, for example in GraphQL.
private struct RequestName: Hashable {
  private let address: String
  private let words: String?
  private let bytes: Body?

  init(_ interaction: Interaction) {
    let request = interaction.steady.request
    address = "\(request.method) \(request.url)".withoutRedactionOrdinals
    let text = request.body.count > Body.openedBytesMax ? nil : request.body.text
    words = text?.withoutRedactionOrdinals
    bytes = text == nil ? request.body : nil
  }
}
