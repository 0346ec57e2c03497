/// Recordings of one path whose redactions stand in the same places.
struct MaskedGroups: Sendable {
  /// Those that are alike but for their ordinals.
  private struct Alike: Sendable {
    var id: Int
    var byOrdinals: [[Int]: Int] = [:]
    /// In recorded order.
    var ordinals: [[Int]] = []
  }

  let mask: Mask
  private var byLeaf: [String: Alike] = [:]

  init(_ mask: Mask) { self.mask = mask }

  /// The group of a recording: the one that is there, else a new one.
  mutating func insert(leaf: String, ordinals: [Int], id: Int, group: Int) -> Int {
    var alike = byLeaf[leaf] ?? Alike(id: id)
    if let known = alike.byOrdinals[ordinals] { return known }
    alike.byOrdinals[ordinals] = group
    alike.ordinals.append(ordinals)
    byLeaf[leaf] = alike
    return group
  }

  /// What a request finds: the recordings whose ordinals stand for its values, else the first whose
  /// ordinals stand for nothing yet or for these.
  func find<Found>(
    _ asked: RequestParts,
    lane: Lane,
    bindings: inout Bindings,
    _ open: (Int, inout Bindings) -> Found?
  ) -> Found? {
    guard let (values, leaf) = mask.applied(to: asked), let alike = byLeaf[leaf] else {
      return nil
    }
    let names = mask.names
    let known = zip(values, names).map { bindings.ordinals(of: Bindings.plain($0), $1, lane) }
    for ordinals in Self.combinations(known) where bindings.agree(values, ordinals, names, lane) {
      if let group = alike.byOrdinals[ordinals], let found = open(group, &bindings) { return found }
    }
    let first = bindings.firstUnbound(of: alike.ordinals, id: alike.id, names, lane)
    for ordinals in alike.ordinals[first...]
    where bindings.agree(values, ordinals, names, lane) {
      guard let group = alike.byOrdinals[ordinals], let found = open(group, &bindings) else {
        continue
      }
      bindings.bind(values, ordinals, names, lane)
      return found
    }
    return nil
  }

  /// One of each list, in order; no more than a few, since a value rarely has more than one ordinal.
  private static func combinations(_ lists: [[Int]]) -> [[Int]] {
    lists.reduce([[]]) { all, next in
      Array(all.lazy.flatMap { list in next.map { list + [$0] } }.prefix(combinationsMax))
    }
  }

  private static let combinationsMax = 32
}
