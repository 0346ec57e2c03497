extension Array {
  /// Returns the number of elements at the beginning that satisfy a condition. All elements that
  /// satisfy it must precede the others.
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
  /// Returns the elements grouped by a key, in the order of each key's first element.
  package func grouped<Key: Hashable>(
    by key: (Element) -> Key
  ) -> [(key: Key, all: [Element])] {
    var seen: Set<Key> = []
    let order = map(key).filter { seen.insert($0).inserted }
    let groups = Dictionary(grouping: self, by: key)
    return order.map { ($0, groups[$0] ?? []) }
  }
}
