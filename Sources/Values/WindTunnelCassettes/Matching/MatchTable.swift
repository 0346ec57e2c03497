@_spi(WindTunnel) internal import WindTunnelCore

/// The groups of recordings by the keys for look-up.
struct MatchTable: Sendable {
  private var byKey: [Fingerprint: Int32] = [:]
  /// The recordings with `{name}` segments or redacted parts.
  private(set) var tree = MatchTree()

  init(capacity: Int) {
    // Reserved but unused capacity costs nothing.
    byKey.reserveCapacity(capacity)
  }

  /// Returns the group of requests without placeholders that have this key.
  func group(of key: Fingerprint) -> Int? { byKey[key].map { Int($0) } }

  /// Returns the group of a recording: an existing one, or else `new`.
  mutating func insert(_ request: Request, _ matcher: Matcher, new: Int) -> Int {
    let mayBeMasked = Mask.mayBeIn(request, matcher)
    guard mayBeMasked || request.url.path.utf8.contains(UInt8(ascii: "{")) else {
      return insertLiteral(request, matcher, new: new)
    }
    let path = matcher.path(request)
    let isFixed = matcher.paths.contains { $0.description == path }
    // Only unescaped braces form a variable, because a recorder escapes them.
    let written = PathTemplate.segments(request.url.path)
    let segments = zip(PathTemplate.segments(path), written).map { segment, written -> String? in
      let isAny =
        !isFixed && (PathTemplate.isVariable(written) || RedactedText.isIn(String(segment)))
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

  private mutating func insertLiteral(_ request: Request, _ matcher: Matcher, new: Int) -> Int {
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

/// A tree that finds requests by path, in which a segment may be a variable. Each level is one
/// segment, and literal children are searched first.
struct MatchTree: Sendable {
  /// The recordings at the end of a path.
  struct Leaf: Sendable {
    /// The groups by all parts of the request except the path.
    var groups: [String: Int] = [:]
    /// The recordings with redacted parts, those with the fewest first.
    var masked: [MaskedGroups] = []
  }

  private struct Node: Sendable {
    var literal: [String: Node] = [:]
    /// At most one element; a list, because a value cannot contain itself.
    var any: [Node] = []
    var leaf = Leaf()
  }

  private var root = Node()
  private(set) var isEmpty = true

  /// Changes the leaf of a path, in which `nil` is any segment.
  fileprivate mutating func edit<Result>(_ segments: [String?], _ edit: (inout Leaf) -> Result)
    -> Result
  {
    isEmpty = false
    return Self.edit(segments[...], &root, edit)
  }

  private static func edit<Result>(
    _ segments: ArraySlice<String?>,
    _ node: inout Node,
    _ edit: (inout Leaf) -> Result
  ) -> Result {
    guard let segment = segments.first else { return edit(&node.leaf) }
    guard let segment else {
      if node.any.isEmpty { node.any.append(Node()) }
      return self.edit(segments.dropFirst(), &node.any[0], edit)
    }
    return self.edit(segments.dropFirst(), &node.literal[segment, default: Node()], edit)
  }

  /// Returns the first result among the leaves of all matching paths.
  func find<Found>(_ segments: [Substring], _ look: (Leaf) -> Found?) -> Found? {
    Self.find(segments[...], root, look)
  }

  private static func find<Found>(
    _ segments: ArraySlice<Substring>,
    _ node: Node,
    _ look: (Leaf) -> Found?
  ) -> Found? {
    guard let segment = segments.first else { return look(node.leaf) }
    if let child = node.literal[String(segment)],
      let found = find(segments.dropFirst(), child, look)
    {
      return found
    }
    // A placeholder matches one segment that is not empty.
    guard !segment.isEmpty else { return nil }
    return node.any.first.flatMap { find(segments.dropFirst(), $0, look) }
  }
}

/// The recordings with one path and redacted parts at the same places.
struct MaskedGroups: Sendable {
  /// The recordings that only differ in their ordinals.
  private struct Alike: Sendable {
    var id: Int
    var byOrdinals: [[Int]: Int] = [:]
    /// The ordinals in recorded order.
    var ordinals: [[Int]] = []
  }

  fileprivate let mask: Mask
  private var byLeaf: [String: Alike] = [:]

  fileprivate init(_ mask: Mask) { self.mask = mask }

  /// Returns the group of a recording: an existing one, or else `group`.
  fileprivate mutating func insert(leaf: String, ordinals: [Int], id: Int, group: Int) -> Int {
    var alike = byLeaf[leaf] ?? Alike(id: id)
    if let known = alike.byOrdinals[ordinals] { return known }
    alike.byOrdinals[ordinals] = group
    alike.ordinals.append(ordinals)
    byLeaf[leaf] = alike
    return group
  }

  /// Finds the recordings for a request: the group whose ordinals are bound to its values, or else
  /// the first group whose ordinals are unbound or agree.
  ///
  /// - Returns: The result, and the next group that would match as well if the first unbound one
  ///   was chosen.
  func find<Found>(
    _ asked: RequestParts,
    lane: Lane,
    bindings: inout Bindings,
    _ open: (Int, inout Bindings) -> Found?
  ) -> (found: Found, rival: Int?)? {
    guard let (values, leaf) = mask.applied(to: asked), let alike = byLeaf[leaf] else { return nil }
    let names = mask.names
    let known = zip(values, names).map { bindings.ordinals(of: Bindings.plain($0), $1, lane) }
    for ordinals in Self.combinations(known) where bindings.agree(values, ordinals, names, lane) {
      if let group = alike.byOrdinals[ordinals], let found = open(group, &bindings) {
        return (found, nil)
      }
    }
    let first = bindings.firstUnbound(of: alike.ordinals, id: alike.id, names, lane)
    for (index, ordinals) in alike.ordinals[first...].enumerated()
    where bindings.agree(values, ordinals, names, lane) {
      guard let group = alike.byOrdinals[ordinals], let found = open(group, &bindings) else {
        continue
      }
      // The rival is nearly always the next one; a complete search would be too slow.
      let rival = alike.ordinals[(first + index + 1)...].prefix(Self.combinationsMax)
        .first { bindings.agree(values, $0, names, lane) }
      bindings.bind(values, ordinals, names, lane)
      return (found, rival.flatMap { alike.byOrdinals[$0] })
    }
    return nil
  }

  /// Returns the combinations of one element from each list, in order. Their number is limited,
  /// because a value rarely has more than one ordinal.
  private static func combinations(_ lists: [[Int]]) -> [[Int]] {
    lists.reduce([[]]) { all, next in
      Array(all.lazy.flatMap { list in next.map { list + [$0] } }.prefix(combinationsMax))
    }
  }

  private static let combinationsMax = 32
}

/// The places of redacted values in a recording.
private struct Mask: Hashable, Sendable {
  /// One text with redacted values.
  struct Slot: Hashable, Sendable {
    var place: RequestParts.Position
    var shape: RedactedText.Shape
  }

  /// The texts in order.
  private(set) var slots: [Slot] = []

  /// The names of the values, in order.
  var names: [String] { slots.flatMap(\.shape.names) }

  /// Finds the redacted values of a recording; `nil` if there are none.
  static func make(_ recorded: RequestParts) -> (mask: Mask, ordinals: [Int])? {
    var mask = Mask()
    var ordinals: [Int] = []
    for place in recorded.places {
      guard let text = recorded[place].flatMap({ RedactedText($0) }) else { continue }
      mask.slots.append(Slot(place: place, shape: text.shape))
      ordinals += text.ordinals
    }
    return ordinals.isEmpty ? nil : (mask, ordinals)
  }

  /// Returns a request's values at the redacted places, and the rest of the request; `nil` if it
  /// does not have these places.
  func applied(to asked: RequestParts) -> (values: [String], leaf: String)? {
    var values: [String] = []
    var rest = asked
    for slot in slots {
      guard let text = asked[slot.place], let found = slot.shape.values(in: text) else {
        return nil
      }
      values += found
      rest.clear(slot.place)
    }
    return (values, rest.leaf)
  }

  /// Whether a request may contain redacted parts. A fast check that may return `true`
  /// unnecessarily.
  static func mayBeIn(_ request: Request, _ matcher: Matcher) -> Bool {
    let url = request.url
    if RedactedText.mayBeIn(url.path.utf8) { return true }
    if let query = url.query, RedactedText.mayBeIn(query.utf8) { return true }
    let fields = matcher.headers.flatMap { request.headers.values($0) }
    if fields.contains(where: { RedactedText.mayBeIn($0.utf8) }) { return true }
    guard matcher.comparesBodies, !request.body.data.isEmpty else { return false }
    return request.headers["Content-Encoding"] != nil || RedactedText.mayBeIn(request.body.data)
  }
}
