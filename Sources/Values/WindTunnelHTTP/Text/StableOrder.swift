extension Sequence {
  /// Returns the elements in an order, equals as they stood: Swift's own sort keeps that, but does
  /// not promise to.
  package func stablySorted(by precedes: (Element, Element) -> Bool) -> [Element] {
    enumerated().sorted { one, other in
      precedes(one.element, other.element)
        || one.offset < other.offset && !precedes(other.element, one.element)
    }.map(\.element)
  }
}
