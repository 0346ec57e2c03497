/// The conditions of a request (RFC 9110 §13.1), except `If-Range`, which has its own type.
struct Conditions: Sendable, Hashable {
  static let names = ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"]

  /// The values of each of ``names``.
  private let values: [[String]]

  init(_ headers: HeaderFields) { values = Self.names.map { headers.values($0) } }

  var isEmpty: Bool { values.allSatisfy(\.isEmpty) }

  /// The values of `If-None-Match`.
  private var tags: [String] { values[0] }

  /// The date of `If-Modified-Since`, which is ignored if `If-None-Match` is present (RFC 9110
  /// §13.1.3).
  private var since: Duration? {
    tags.isEmpty ? values[1].first.flatMap { DateText.sinceEpoch(http: $0) } : nil
  }

  /// Returns the field which shows that the client already has this response (RFC 9110 §13.2.2,
  /// steps 3 and 4); `nil` if it has not.
  func fieldMet(by validators: HeaderFields) -> String? {
    if !tags.isEmpty {
      let isAny = tags.contains { $0.trimmingOptionalWhitespace() == "*" }
      let isNamed = validators["ETag"].map { names(tag: $0) } ?? false
      return isAny || isNamed ? Self.names[0] : nil
    }
    guard let since,
      let modified = validators["Last-Modified"].flatMap({ DateText.sinceEpoch(http: $0) })
    else { return nil }
    return modified <= since ? Self.names[1] : nil
  }

  /// Whether `If-None-Match` contains an entity tag, by weak comparison (RFC 9110 §8.8.3.2).
  private func names(tag: String) -> Bool {
    let opaque = Self.opaqueTags(tag)
    return opaque.count == 1 && tags.contains { Self.opaqueTags($0).contains(opaque[0]) }
  }

  /// Returns the tags of a list without their `W/` prefixes. A tag may contain a comma.
  private static func opaqueTags(_ list: String) -> [Substring] {
    list.matches(of: /"[^"]*"/).map(\.output)
  }

  /// Whether a 304 recorded for these conditions is also valid for others, because it confirms the
  /// same version. A 304 recorded without conditions and validators is valid for any.
  func isAnswered(_ response: HeaderFields, alsoTo others: Conditions) -> Bool {
    if others.tags.isEmpty, others.values[1].isEmpty { return false }
    if others.fieldMet(by: response) != nil { return true }
    if isEmpty { return response["ETag"] == nil && response["Last-Modified"] == nil }
    if tags.count == 1, response["ETag"] == nil, Self.opaqueTags(tags[0]).count == 1 {
      return others.names(tag: tags[0])
    }
    guard let since, let other = others.since else { return false }
    return since <= other
  }
}

extension MatchIndex {
  /// Whether a field is always compared, independent of the matcher: it requests a range or states
  /// a condition.
  package static func counts(_ field: HeaderField) -> Bool {
    field.isNamed("Range") || Conditions.names.contains { field.isNamed($0) }
  }
}

/// The recorded responses to conditions, and the choice of recordings for a request.
struct ConditionalRecordings: Sendable {
  /// The heads of responses to conditional requests.
  private var responses: [Int: ResponseHead] = [:]
  /// The conditions of all conditional requests; empty if there are no such responses.
  private var conditions: [Int: Conditions] = [:]

  /// Collects the recorded responses to conditions: `304 Not Modified`, and
  /// `412 Precondition Failed` if its condition was recorded.
  init(_ requests: [Request], _ answer: (Int) -> RecordedResult?) {
    for place in requests.indices {
      guard case .response(let response)? = answer(place), [304, 412].contains(response.status)
      else { continue }
      responses[place] = response.head
    }
    if responses.isEmpty { return }
    for (place, request) in requests.enumerated() {
      let conditions = Conditions(request.headers)
      if !conditions.isEmpty { self.conditions[place] = conditions }
    }
    responses = responses.filter { $0.value.status == 304 || conditions[$0.key] != nil }
  }

  var isEmpty: Bool { responses.isEmpty }

  /// Whether a recording is a response to a condition.
  func holds(_ place: Int) -> Bool { responses[place] != nil }

  /// Returns the positions of the responses that match a request, in order.
  ///
  /// Responses to the same conditions are preferred, then a matching 304, then responses without a
  /// condition. A handwritten 304 without a condition is played if there is no other recording.
  func choose(from places: [Int], for request: Request) -> [Int] {
    guard places.contains(where: holds) else { return places }
    let asked = Conditions(request.headers)
    let same = asked.isEmpty ? [] : places.filter { conditions[$0] == asked }
    if !same.isEmpty { return same }
    let fitting = places.filter { place in
      guard let response = responses[place], response.status == 304 else { return false }
      let recorded = conditions[place] ?? Conditions([:])
      return recorded.isAnswered(response.headers, alsoTo: asked)
    }
    if !fitting.isEmpty { return fitting }
    let others = places.filter { !holds($0) }
    return others.isEmpty ? places.filter { conditions[$0] == nil } : others
  }
}
