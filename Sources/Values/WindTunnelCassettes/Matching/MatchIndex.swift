@_spi(WindTunnel) package import WindTunnelCore

/// An index that finds the recordings for a request without scanning all of them.
///
/// Requests without placeholders are found by key in a dictionary. Requests with `{name}` segments
/// or redacted parts are found in a tree of path segments. It is a class so that a look-up copies
/// nothing.
package final class MatchIndex: Sendable {
  /// The recordings for one kind of request, in recorded order.
  package struct Sequence: Sendable, Hashable {
    /// The number that identifies this sequence within the index.
    package internal(set) var id: Int
    /// Positions on the cassette.
    package internal(set) var places: [Int]
    /// Whether the positions were chosen for this particular request from all positions of the
    /// sequence.
    package internal(set) var isChosen = false
    /// Whether all requests that find this sequence have the same key.
    package internal(set) var isOfOneKey = false
    /// The position of another recording that would match as well; `nil` if there is none.
    ///
    /// The two differ only in redacted values, and the earlier recording was chosen.
    package internal(set) var rival: Int?

    /// Returns the previous position; for the first position, the position itself.
    package func earlier(than place: Int) -> Int {
      guard let index = places.firstIndex(of: place), index > 0 else { return place }
      return places[index - 1]
    }
  }

  /// The recordings with one key. Most requests have a single recording, which takes only two
  /// numbers.
  private enum Group: Sendable {
    /// A position on the cassette, and the index of its origin in ``origins``; -1 if there is none.
    case one(place: Int32, origin: Int32)
    /// An index in ``several``.
    case several(Int32)
  }

  private let matcher: Matcher
  private let groups: [Group]
  private let several: [MatchGroup]
  private let origins: [String]
  private let table: MatchTable
  private let chooser: MatchChooser
  private let answersAnyMethod: Bool

  /// Creates an index of interactions.
  package convenience init(_ interactions: [Interaction], matcher: Matcher) {
    self.init(interactions.map(\.request), matcher: matcher) { interactions[$0].result }
  }

  /// Creates an index of requests, optionally with their recorded results.
  package init(
    _ requests: [Request],
    matcher: Matcher,
    answer: (_ place: Int) -> RecordedResult? = { _ in nil }
  ) {
    self.matcher = matcher
    answersAnyMethod = requests.contains { $0.method == Request.anyMethod }
    chooser = MatchChooser(requests, matcher.filters, ConditionalRecordings(requests, answer))
    var members = GroupMembers()
    var table = MatchTable(capacity: requests.count)
    for (place, request) in requests.enumerated() {
      members.add(place, to: table.insert(request, matcher, new: members.count))
    }
    self.table = table
    var (groups, several, origins) = ([Group](), [MatchGroup](), [String]())
    groups.reserveCapacity(members.count)
    var nextID = members.count
    var numbers: [String: Int32] = [:]
    for group in 0..<members.count {
      if let place = members.only(group) {
        let origin = requests[place].url.host.flatMap { _ in matcher.originKey(requests[place].url)
        }
        let number = origin.map { origin in
          if let known = numbers[origin] { return known }
          let new = Int32(origins.count)
          numbers[origin] = new
          origins.append(origin)
          return new
        }
        groups.append(.one(place: Int32(place), origin: number ?? -1))
      } else {
        groups.append(.several(Int32(several.count)))
        let places = members.places(group)
        several.append(MatchGroup(places, matcher, id: group, &nextID) { requests[$0].url })
      }
    }
    (self.groups, self.several, self.origins) = (groups, several, origins)
  }

  /// Returns the key under which plays of equal requests are counted.
  package func playKey(_ request: Request, _ key: RequestKey) -> RequestKey {
    matcher.comparesMethod ? key : matcher.lookUpKey(request, key: key)
  }

  /// Returns the recordings that match a request; `nil` if none matches. New values of placeholders
  /// are bound.
  package func sequence(
    for request: Request,
    key: RequestKey,
    lane: Lane,
    bindings: inout Bindings
  ) -> Sequence? {
    let lookUp = matcher.lookUpKey(request, key: key)
    if let group = table.group(of: Fingerprint(lookUp.text)),
      var found = open(group, request, lane, &bindings)
    {
      found.isOfOneKey = true
      return found
    }
    guard !table.tree.isEmpty else { return nil }
    let name = matcher.leaf(request)
    // Only parsed if a recording with redacted parts is a candidate.
    var asked: RequestParts?
    return table.tree.find(PathTemplate.segments(matcher.path(request))) { leaf in
      if let group = leaf.groups[name], let found = open(group, request, lane, &bindings) {
        return found
      }
      for masked in leaf.masked {
        let anatomy = asked ?? RequestParts(request, matcher, opens: true)
        asked = anatomy
        let found = masked.find(anatomy, lane: lane, bindings: &bindings) {
          open($0, request, lane, &$1)
        }
        guard var sequence = found?.found else { continue }
        if let rival = found?.rival { sequence.rival = answering(rival, request)?.places.first }
        return sequence
      }
      return nil
    }
  }

  /// Returns the recordings to play for a request.
  ///
  /// Without its own recordings, a HEAD uses the recordings of a GET (RFC 9110 §9.3.2) without
  /// consuming them. Otherwise recordings for any method are used. If responses to HEAD are
  /// recorded themselves, only its own recordings are returned.
  package func played(
    for request: Request,
    key: RequestKey,
    lane: Lane,
    bindings: inout Bindings,
    recordsHeads: Bool = false
  ) -> Sequence? {
    let own = sequence(for: request, key: key, lane: lane, bindings: &bindings)
    if own != nil { return own }
    var other = request
    if request.method == "HEAD", !recordsHeads {
      other.method = "GET"
      var found = sequence(for: other, key: matcher.key(other), lane: lane, bindings: &bindings)
      found?.isOfOneKey = false
      if found != nil { return found }
    }
    guard answersAnyMethod else { return nil }
    other.method = Request.anyMethod
    return sequence(for: other, key: matcher.key(other), lane: lane, bindings: &bindings)
  }

  /// Returns the same for the first request of all.
  func played(for request: Request) -> Sequence? {
    var bindings = Bindings()
    return played(for: request, key: matcher.key(request), lane: .deck, bindings: &bindings)
  }

  /// Returns the recordings for a request if it is the first one of all.
  func sequence(for request: Request, key: RequestKey) -> Sequence? {
    var bindings = Bindings()
    return sequence(for: request, key: key, lane: .deck, bindings: &bindings)
  }

  /// Returns the recordings for a request if the result depends neither on previous requests nor on
  /// conditions; otherwise `nil`.
  ///
  /// The fingerprint must be the key's.
  package func settled(_ request: Request, _ key: RequestKey, print: Fingerprint) -> Sequence? {
    guard !chooser.choosesAlways,
      let group = table.group(
        of: matcher.looksUpByKey
          ? print : Fingerprint(matcher.lookUpKey(request, key: key).text)
      ),
      var found = answering(group, request), !chooser.chooses(from: found.places)
    else { return nil }
    found.isOfOneKey = true
    return found
  }

  private func open(
    _ group: Int,
    _ request: Request,
    _ lane: Lane,
    _ bindings: inout Bindings
  ) -> Sequence? {
    answering(group, request).flatMap { chooser.choose(from: $0, request, lane, &bindings) }
  }

  /// Returns the recordings of a group that match the request's origin.
  private func answering(_ group: Int, _ request: Request) -> Sequence? {
    switch groups[group] {
    case .one(let place, let origin):
      let recorded = origin < 0 ? nil : origins[Int(origin)]
      return MatchGroup.answers(request, recorded, matcher)
        ? Sequence(id: group, places: [Int(place)]) : nil
    case .several(let place): return several[Int(place)].sequence(request, matcher)
    }
  }
}

/// The recordings with one key, also by origin.
private struct MatchGroup: Sendable {
  private let all: MatchIndex.Sequence
  private let origins: Origins

  /// The origins by which the recordings are distinguished. Nearly always there is only one, so
  /// that case takes little memory.
  private enum Origins: Sendable {
    /// No recording has a host.
    case none
    /// All recordings have this origin.
    case one(String)
    /// The recordings by origin, each including those without a host; and the recordings without a
    /// host.
    case several([String: MatchIndex.Sequence], hostless: MatchIndex.Sequence?)
  }

  /// Groups the recordings at these positions; `url` returns their URLs.
  init(
    _ places: [Int],
    _ matcher: Matcher,
    id: Int,
    _ nextID: inout Int,
    url: (Int) -> RequestURL
  ) {
    func sequence(_ places: [Int]) -> MatchIndex.Sequence {
      defer { nextID += 1 }
      return MatchIndex.Sequence(id: nextID, places: places)
    }
    all = MatchIndex.Sequence(id: id, places: places)
    let addresses = places.map(url)
    let named = addresses.map { $0.host == nil ? nil : matcher.originKey($0) }
    let distinct = Set(named.compactMap(\.self))
    if distinct.isEmpty {
      origins = .none
    } else if let one = distinct.first, distinct.count == 1, !named.contains(nil) {
      origins = .one(one)
    } else {
      var byOrigin: [String: MatchIndex.Sequence] = [:]
      let pairs = zip(places, named)
      for one in distinct.sorted() {
        byOrigin[one] = sequence(pairs.filter { $0.1 == nil || $0.1 == one }.map(\.0))
      }
      let hostless = pairs.filter { $0.1 == nil }.map(\.0)
      origins = .several(byOrigin, hostless: hostless.isEmpty ? nil : sequence(hostless))
    }
  }

  /// Whether a single recording with an origin, or without one, matches the request's origin.
  static func answers(_ request: Request, _ recorded: String?, _ matcher: Matcher) -> Bool {
    guard let recorded else { return true }
    switch matcher.authority {
    case .breaksTies: return true
    case .required: return request.url.host == nil || matcher.isOrigin(recorded, of: request.url)
    }
  }

  /// Returns the recordings that match the request's origin.
  func sequence(_ request: Request, _ matcher: Matcher) -> MatchIndex.Sequence? {
    let hostless: MatchIndex.Sequence?
    switch origins {
    case .none: hostless = all
    // There is nothing to choose from.
    case .one where matcher.authority == .breaksTies: return all
    case .one(let origin):
      if matcher.isOrigin(origin, of: request.url) { return all }
      hostless = nil
    case .several(let byOrigin, let others):
      if let own = matcher.originKey(request.url).flatMap({ byOrigin[$0] }) { return own }
      hostless = others
    }
    switch matcher.authority {
    case .breaksTies: return all
    case .required: return hostless ?? (request.url.host == nil ? all : nil)
    }
  }
}

/// A choice among recordings with equal keys, by parts that are not in the key.
///
/// The parts are filters written in Swift, the user information of the URL, the requested range,
/// and the conditions.
private struct MatchChooser: Sendable {
  private static let name = "userinfo"

  private let filters: [Filter]
  /// The recorded requests; empty if there are no filters.
  private let requests: [Request]
  /// The ordinals of redacted user information, by position.
  private let users: [Int: Int]
  /// The requested ranges, by position.
  private let ranges: [Int: String]
  private let conditional: ConditionalRecordings

  init(_ requests: [Request], _ filters: [Filter], _ conditional: ConditionalRecordings) {
    (self.filters, self.conditional) = (filters, conditional)
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

  /// Whether filters or user information can affect every choice.
  var choosesAlways: Bool { !filters.isEmpty || !users.isEmpty }

  /// Whether the choice among these recordings depends on the request.
  func chooses(from places: [Int]) -> Bool {
    if ranges.isEmpty, conditional.isEmpty { return choosesAlways }
    return choosesAlways || places.contains { ranges[$0] != nil || conditional.holds($0) }
  }

  /// Returns the recordings of a sequence that match a request; `nil` if none matches.
  func choose(
    from sequence: MatchIndex.Sequence,
    _ request: Request,
    _ lane: Lane,
    _ bindings: inout Bindings
  ) -> MatchIndex.Sequence? {
    var (places, rival): ([Int], Int?) = (sequence.places, nil)
    if !filters.isEmpty {
      places = places.filter { place in filters.allSatisfy { $0.allows(requests[place], request) } }
    }
    if !users.isEmpty, let user = request.url.userInfo {
      (places, rival) = of(user, places, lane, &bindings)
    }
    if !ranges.isEmpty { places = of(request.headers["Range"], places) }
    if !conditional.isEmpty { places = conditional.choose(from: places, for: request) }
    guard !places.isEmpty else { return nil }
    guard places.count < sequence.places.count else { return sequence }
    return MatchIndex.Sequence(id: sequence.id, places: places, isChosen: true, rival: rival)
  }

  /// Returns the positions that match a user, and another position that would match as well.
  /// Recordings without a user match any user.
  private func of(
    _ user: String,
    _ places: [Int],
    _ lane: Lane,
    _ bindings: inout Bindings
  ) -> ([Int], rival: Int?) {
    let known = bindings.ordinals(of: Bindings.plain(user), Self.name, lane)
    let ordinals = places.compactMap { users[$0] }
    let bound = ordinals.first { known.contains($0) }
    let ordinal = bound ?? ordinals.first { !bindings.isBound($0, Self.name, lane) }
    if bound == nil, let ordinal { bindings.bind([user], [ordinal], [Self.name], lane) }
    let rival = places.first { place in
      bound == nil && users[place].map { !bindings.isBound($0, Self.name, lane) } == true
    }
    return (places.filter { users[$0] == nil || users[$0] == ordinal }, rival)
  }

  /// Returns the positions that match a range. A recorded part is only played for the same range.
  /// For another range or none, the whole is played, from which a part can be taken (RFC 9110
  /// §14.2).
  private func of(_ range: String?, _ places: [Int]) -> [Int] {
    let same = range.map { range in places.filter { ranges[$0] == range } } ?? []
    return same.isEmpty ? places.filter { ranges[$0] == nil } : same
  }
}

/// The recordings of each group while an index is built, as linked lists of numbers. An array for
/// each group would take more memory than the index.
private struct GroupMembers {
  private var heads: [Int32] = []
  private var tails: [Int32] = []
  /// The next position in the same group; -1 at the end.
  private var next: [Int32] = []

  /// The number of groups so far.
  var count: Int { heads.count }

  /// Adds the next position to an existing group or to a new group at the end.
  mutating func add(_ place: Int, to group: Int) {
    next.append(-1)
    if group == heads.count {
      heads.append(Int32(place))
      tails.append(Int32(place))
    } else {
      next[Int(tails[group])] = Int32(place)
      tails[group] = Int32(place)
    }
  }

  /// Returns the position of a group with a single member; `nil` if it has several.
  func only(_ group: Int) -> Int? { heads[group] == tails[group] ? Int(heads[group]) : nil }

  /// Returns the positions of a group, in recorded order.
  func places(_ group: Int) -> [Int] {
    var places: [Int] = []
    var place = heads[group]
    while place >= 0 {
      places.append(Int(place))
      place = next[Int(place)]
    }
    return places
  }
}
