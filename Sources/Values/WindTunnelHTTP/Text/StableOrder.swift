extension Sequence {
  /// Returns the elements sorted, with equal elements in their original order. Swift's own sort is
  /// stable but does not guarantee it.
  package func stablySorted(by precedes: (Element, Element) -> Bool) -> [Element] {
    enumerated().sorted { one, other in
      precedes(one.element, other.element)
        || one.offset < other.offset && !precedes(other.element, one.element)
    }.map(\.element)
  }
}
