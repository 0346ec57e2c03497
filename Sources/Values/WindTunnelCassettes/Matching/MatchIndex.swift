@_spi(WindTunnel) package import WindTunnelCore

/// Finds the recordings of a request without looking at the others.
///
/// Literal requests are found by key in a dictionary. Those with `{name}` segments or redacted
/// parts are found by walking a tree of path segments.
///
/// A class: whoever asks it copies nothing of it.
package final class MatchIndex: Sendable {
  /// The recordings that answer one kind of request, in recorded order.
  package struct Sequence: Sendable, Hashable {
    /// The number that tells this sequence from all others of the index.
    package internal(set) var id: Int
    /// Places on the cassette.
    package internal(set) var places: [Int]
    /// Whether the places were chosen for this very request from all places of the sequence.
    package internal(set) var isChosen = false
    /// Tells whether requests of one key only come here.
    package internal(set) var isOfOneKey = false
    /// The place of a recording that would do as well: nothing but what was taken out of them tells
    /// the two apart, and the one that was recorded first was taken. `nil` where something told.
    package internal(set) var rival: Int?

    /// Returns the place before a place; that one itself where it is the first.
    package func earlier(than place: Int) -> Int {
      guard let index = places.firstIndex(of: place), index > 0 else { return place }
      return places[index - 1]
    }
  }

  /// The recordings of one key. Most requests are asked for once, so that case takes no more room
  /// than two numbers.
  private enum Group: Sendable {
    /// A place on the cassette, and the number of its origin in ``origins``; -1 for none.
    case one(place: Int32, origin: Int32)
    /// A place in ``several``.
    case several(Int32)
  }

  private let matcher: Matcher
  private let groups: [Group]
  private let several: [MatchGroup]
  private let origins: [String]
  private let table: MatchTable
  private let chooser: MatchChooser
  private let answersAnyMethod: Bool

  /// Creates the index of interactions.
  package convenience init(_ interactions: [Interaction], matcher: Matcher) {
    self.init(interactions.map(\.request), matcher: matcher) { interactions[$0].result }
  }

  /// Creates the index of requests, by their known responses, too.
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

  /// Returns the key that equal requests are counted by.
  package func playKey(_ request: Request, _ key: RequestKey) -> RequestKey {
    matcher.comparesMethod ? key : matcher.lookUpKey(request, key: key)
  }

  /// Returns the recordings that answer a request, `nil` if none does. Values that redactions come
  /// to stand for are bound.
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
    // Taken apart only where a recording with redactions is met.
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

  /// Returns the recordings that a request is played: its own, or for a HEAD without any the
  /// recordings of a GET (RFC 9110 §9.3.2), or those of any method. The HEAD uses up none of a GET.
  /// If responses to HEAD are recorded themselves, only its own are returned.
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

  /// Returns the same for a request that is the first of all.
  func played(for request: Request) -> Sequence? {
    var bindings = Bindings()
    return played(for: request, key: matcher.key(request), lane: .deck, bindings: &bindings)
  }

  /// Returns the recordings of a request that is the first of all.
  func sequence(for request: Request, key: RequestKey) -> Sequence? {
    var bindings = Bindings()
    return sequence(for: request, key: key, lane: .deck, bindings: &bindings)
  }

  /// Returns the recordings that answer a request, where nothing that was asked before and no
  /// condition has a say in it; `nil` where that is not so, or where none answers. The fingerprint
  /// is the key's.
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

  /// Returns the recordings of a group that a request's origin may be answered by.
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

/// Recordings of one key, and those of each origin among them.
private struct MatchGroup: Sendable {
  private let all: MatchIndex.Sequence
  private let origins: Origins

  /// The origins that the recordings are told apart by. Nearly always they are of one origin, so
  /// that case takes little room.
  private enum Origins: Sendable {
    /// No recording has a host.
    case none
    /// All recordings have this one.
    case one(String)
    /// Those of each origin, with those of no host among them; and those of no host.
    case several([String: MatchIndex.Sequence], hostless: MatchIndex.Sequence?)
  }

  /// Groups the recordings at these places, whose addresses `url` answers.
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

  /// Tells whether a single recording of an origin, or of none, answers a request's.
  static func answers(_ request: Request, _ recorded: String?, _ matcher: Matcher) -> Bool {
    guard let recorded else { return true }
    switch matcher.authority {
    case .breaksTies: return true
    case .required: return request.url.host == nil || matcher.isOrigin(recorded, of: request.url)
    }
  }

  /// Those that a request's origin may be answered by.
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

/// A choice among the recordings of one key by parts that no key has: filters written in Swift, the
/// user info of the address, the requested range, and the conditions.
private struct MatchChooser: Sendable {
  private static let name = "userinfo"

  private let filters: [Filter]
  /// The recorded requests, where there are filters.
  private let requests: [Request]
  /// The ordinals of redacted user info, by place.
  private let users: [Int: Int]
  /// The ranges that were asked for, by place.
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

  /// Whether there is anything to choose by among any recordings.
  var choosesAlways: Bool { !filters.isEmpty || !users.isEmpty }

  /// Whether there is anything to choose by among these recordings.
  func chooses(from places: [Int]) -> Bool {
    if ranges.isEmpty, conditional.isEmpty { return choosesAlways }
    return choosesAlways || places.contains { ranges[$0] != nil || conditional.holds($0) }
  }

  /// Those of a sequence that may answer a request; `nil` if none may.
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

  /// Returns the places that may answer a user, and another that might as well; a request that
  /// names none may have been anybody's.
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

  /// A part answers who asks for this very part; the whole, whoever asks for another or for none,
  /// since a part can be taken from it (RFC 9110 §14.2).
  private func of(_ range: String?, _ places: [Int]) -> [Int] {
    let same = range.map { range in places.filter { ranges[$0] == range } } ?? []
    return same.isEmpty ? places.filter { ranges[$0] == nil } : same
  }
}

/// The recordings of each group while an index is made: chains of numbers, since a list each would
/// take more room than the index.
private struct GroupMembers {
  private var heads: [Int32] = []
  private var tails: [Int32] = []
  /// The place that follows a place in its group; -1 at the end.
  private var next: [Int32] = []

  /// The number of groups so far.
  var count: Int { heads.count }

  /// Adds the next place, to a group that is there or to the one behind the last.
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

  /// Returns the place of a group that has one only.
  func only(_ group: Int) -> Int? { heads[group] == tails[group] ? Int(heads[group]) : nil }

  /// Returns the places of a group, in recorded order.
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
