/// Where the recordings of a request stand, by what it is found by.
struct MatchTable: Sendable {
  private var byKey: [Fingerprint: Int32] = [:]
  /// Those with `{name}` segments or redacted parts.
  private(set) var tree = MatchTree()

  init(capacity: Int) {
    // What is set aside and not used costs nothing.
    byKey.reserveCapacity(capacity)
  }

  /// The group of literal requests with this key.
  func group(of key: Fingerprint) -> Int? { byKey[key].map { Int($0) } }

  /// The group of a recording: the one that is there, else `new`.
  mutating func insert(_ request: Request, _ matcher: Matcher, new: Int) -> Int {
    let mayBeMasked = Mask.mayBeIn(request, matcher)
    guard mayBeMasked || request.url.path.utf8.contains(UInt8(ascii: "{")) else {
      return insertLiteral(request, matcher, new: new)
    }
    let path = matcher.path(request)
    let isFixed = matcher.paths.contains { $0.description == path }
    let segments: [String?] = PathTemplate.segments(path).map { segment in
      let isAny =
        !isFixed && (PathTemplate.isVariable(segment) || RedactedText.isIn(String(segment)))
      return isAny ? nil : String(segment)
    }
    if mayBeMasked {
      var recorded = RequestParts(request, matcher, opens: true)
      if let (mask, ordinals) = Mask.make(recorded) {
        for slot in mask.slots { recorded.clear(slot.place) }
        return tree.edit(segments) { leaf in
          Self.insert(recorded.leaf, mask, ordinals, new: new, into: &leaf)
        }
      }
    }
    if segments.contains(nil) {
      let name = matcher.leaf(request)
      return tree.edit(segments) { leaf in
        defer { leaf.groups[name] = leaf.groups[name] ?? new }
        return leaf.groups[name] ?? new
      }
    }
    return insertLiteral(request, matcher, new: new)
  }

  private mutating func insertLiteral(
    _ request: Request,
    _ matcher: Matcher,
    new: Int
  ) -> Int {
    let key = Fingerprint(matcher.lookUpKey(request, key: matcher.key(request)).text)
    if let known = byKey[key] { return Int(known) }
    byKey[key] = Int32(new)
    return new
  }

  private static func insert(
    _ name: String,
    _ mask: Mask,
    _ ordinals: [Int],
    new: Int,
    into leaf: inout MatchTree.Leaf
  ) -> Int {
    let place = leaf.masked.firstIndex { $0.mask == mask }
    if let place {
      return leaf.masked[place].insert(leaf: name, ordinals: ordinals, id: new, group: new)
    }
    var groups = MaskedGroups(mask)
    defer {
      let later = leaf.masked.firstIndex { $0.mask.names.count > mask.names.count }
      leaf.masked.insert(groups, at: later ?? leaf.masked.count)
    }
    return groups.insert(leaf: name, ordinals: ordinals, id: new, group: new)
  }
}
