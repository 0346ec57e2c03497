extension Array {
  /// Returns how many at the beginning satisfy a condition, of elements of which those that do come
  /// first.
  package func countOfFirst(_ holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Sequence {
  /// Returns the elements by a key, in the order of the first of each.
  package func grouped<Key: Hashable>(
    by key: (Element) -> Key
  ) -> [(key: Key, all: [Element])] {
    var seen: Set<Key> = []
    let order = map(key).filter { seen.insert($0).inserted }
    let groups = Dictionary(grouping: self, by: key)
    return order.map { ($0, groups[$0] ?? []) }
  }
}
