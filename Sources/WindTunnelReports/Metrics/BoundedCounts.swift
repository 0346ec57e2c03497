/// How often each of some names came, where nobody knows how many names there will be.
///
/// Beyond a bound only those that come first in the alphabet are counted by name. A name that has
/// once been left out can never be among them again, so what is kept is counted whole, and the
/// counts are the same in whatever order they came and were merged.
struct BoundedCounts: Sendable, Hashable {
  /// So many names are kept.
  static let namesMax = 200

  private(set) var named: [String: Int] = [:]
  private(set) var total = 0

  /// How often a name came that is not kept.
  var others: Int { total - named.values.reduce(0, +) }

  mutating func add(_ name: String, _ times: Int = 1) {
    total += times
    if let count = named[name] {
      named[name] = count + times
      return
    }
    named[name] = times
    if named.count > Self.namesMax, let last = named.keys.max() { named[last] = nil }
  }

  mutating func merge(_ other: BoundedCounts) {
    let left = other.others
    for (name, count) in other.named { add(name, count) }
    total += left
  }
}
