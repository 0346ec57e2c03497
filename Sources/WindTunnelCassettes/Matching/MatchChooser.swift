/// Chooses among recordings of one key by what no key holds: conditions written in Swift, whose
/// password stood in the address, and which range was asked for.
struct MatchChooser: Sendable {
  private static let name = "userinfo"

  private let filters: [Filter]
  /// The recorded requests, where there are filters.
  private let requests: [Request]
  /// The ordinals of redacted user info, by place.
  private let users: [Int: Int]
  /// The ranges that were asked for, by place.
  private let ranges: [Int: String]

  init(_ requests: [Request], _ filters: [Filter]) {
    self.filters = filters
    self.requests = filters.isEmpty ? [] : requests
    var users: [Int: Int] = [:]
    var ranges: [Int: String] = [:]
    for (place, request) in requests.enumerated() {
      if let range = request.headers["Range"] { ranges[place] = range }
      guard let text = request.url.userInfo.flatMap({ RedactedText($0) }) else { continue }
      users[place] = text.ordinals[0]
    }
    (self.users, self.ranges) = (users, ranges)
  }

  /// Whether there is anything to choose by.
  var chooses: Bool { !filters.isEmpty || !users.isEmpty || !ranges.isEmpty }

  /// Those of a sequence that may answer a request; `nil` if none may.
  func choose(
    from sequence: MatchIndex.Sequence,
    _ request: Request,
    _ lane: Lane,
    _ bindings: inout Bindings
  ) -> MatchIndex.Sequence? {
    var places = sequence.places
    if !filters.isEmpty {
      places = places.filter { place in
        filters.allSatisfy { $0.allows(requests[place], request) }
      }
    }
    if !users.isEmpty, let user = request.url.userInfo {
      places = of(user, places, lane, &bindings)
    }
    if !ranges.isEmpty { places = of(request.headers["Range"], places) }
    guard !places.isEmpty else { return nil }
    guard places.count < sequence.places.count else { return sequence }
    return MatchIndex.Sequence(id: sequence.id, places: places, isChosen: true)
  }

  /// Who names nobody may have been anybody, so this is asked only of requests that name a user.
  private func of(
    _ user: String,
    _ places: [Int],
    _ lane: Lane,
    _ bindings: inout Bindings
  ) -> [Int] {
    let known = bindings.ordinals(of: Bindings.plain(user), Self.name, lane)
    let ordinals = places.compactMap { users[$0] }
    let bound = ordinals.first { known.contains($0) }
    let ordinal = bound ?? ordinals.first { !bindings.isBound($0, Self.name, lane) }
    if bound == nil, let ordinal { bindings.bind([user], [ordinal], [Self.name], lane) }
    return places.filter { users[$0] == nil || users[$0] == ordinal }
  }

  /// A part answers who asks for this very part; the whole, whoever asks for another or for none,
  /// since a part can be taken from it (RFC 9110 §14.2).
  private func of(_ range: String?, _ places: [Int]) -> [Int] {
    let same = range.map { range in places.filter { ranges[$0] == range } } ?? []
    return same.isEmpty ? places.filter { ranges[$0] == nil } : same
  }
}
