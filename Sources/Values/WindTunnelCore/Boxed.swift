/// A value on the heap that its owners share until one of them changes it (copy on write).
@_spi(WindTunnel) public struct Boxed<Value> {
  /// The value is only changed by its only owner, so any thread may read it.
  @usableFromInline final class Box: @unchecked Sendable {
    @usableFromInline var value: Value

    @inlinable init(_ value: Value) { self.value = value }
  }

  @usableFromInline var box: Box

  /// Creates a box with a value.
  @inlinable public init(_ value: Value) { box = Box(value) }

  /// The value, which is copied before a change if other boxes share it.
  @inlinable public var value: Value {
    get { box.value }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
      yield &box.value
    }
  }
}

extension Boxed {
  /// Returns whether another box shares the value.
  package func isSame(as other: Boxed) -> Bool { box === other.box }
}

@_spi(WindTunnel) extension Boxed: Sendable where Value: Sendable {}

@_spi(WindTunnel) extension Boxed: Equatable where Value: Equatable {
  /// Compares the values, unless both boxes share one.
  @inlinable public static func == (one: Boxed, other: Boxed) -> Bool {
    one.box === other.box || one.value == other.value
  }
}

@_spi(WindTunnel) extension Boxed: Hashable where Value: Hashable {
  /// Hashes the value, so that equal values in different boxes hash alike.
  @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
