/// Finds the recordings of a request without looking at the others.
///
/// Literal requests are found by key in a dictionary. Those with `{name}` segments or redacted
/// parts are found by walking a tree of path segments.
///
/// A class: whoever asks it copies nothing of it.
package final class MatchIndex: Sendable {
  /// The recordings that answer one kind of request, in recorded order.
  package struct Sequence: Sendable, Hashable {
    /// What tells this sequence from all others of the index.
    package var id: Int
    /// Places on the cassette.
    package var places: [Int]
    /// Whether the places were chosen for this very request from those of the sequence.
    package var isChosen = false
    /// Whether requests of one key only come here.
    package var isOfOneKey = false

    /// The place before a place; that one itself where it is the first.
    package func earlier(than place: Int) -> Int {
      guard let index = places.firstIndex(of: place), index > 0 else { return place }
      return places[index - 1]
    }
  }

  /// The recordings of one key. Most requests are asked for once, so that case takes no more room than
  /// two numbers.
  private enum Group: Sendable {
    /// A place on the cassette, and the number of its origin in ``origins``; -1 for none.
    case one(place: Int32, origin: Int32)
    /// A place in ``several``.
    case several(Int32)
  }

  let matcher: Matcher
  private let groups: [Group]
  private let several: [MatchGroup]
  private let origins: [String]
  private let table: MatchTable
  private let chooser: MatchChooser

  package init(_ requests: [Request], matcher: Matcher) {
    self.matcher = matcher
    chooser = MatchChooser(requests, matcher.filters)
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

  /// The recordings that answer a request, `nil` if none does. Values that redactions come to stand
  /// for are bound.
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
        if let found { return found }
      }
      return nil
    }
  }

  /// The recordings that answer a request, where nothing that was asked before and no condition has
  /// a say in it; `nil` where that is not so, or where none answers. The fingerprint is the key's.
  package func settled(_ request: Request, _ key: RequestKey, print: Fingerprint) -> Sequence? {
    guard !chooser.chooses,
      let group = table.group(
        of: matcher.looksUpByKey
          ? print : Fingerprint(matcher.lookUpKey(request, key: key).text)
      ),
      var found = answering(group, request)
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

  /// The recordings of a group that a request's origin may be answered by.
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
