/// A value beside those that hold it: they are copied without it, and share it until one of them
/// changes it.
package struct Boxed<Value> {
  /// Only the one that owns it alone changes it, so it may be read from everywhere.
  private final class Box: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  package init(_ value: Value) { box = Box(value) }

  package var value: Value {
    get { box.value }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
      yield &box.value
    }
  }
}

extension Boxed: Sendable where Value: Sendable {}

extension Boxed: Equatable where Value: Equatable {
  package static func == (one: Boxed, other: Boxed) -> Bool {
    one.box === other.box || one.value == other.value
  }
}

extension Boxed: Hashable where Value: Hashable {
  package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
