/// A value on the heap that its holders share until one of them changes it (copy on write).
@_spi(WindTunnel) public struct Boxed<Value> {
  /// Only the one that owns it alone changes it, so it may be read from everywhere.
  @usableFromInline final class Box: @unchecked Sendable {
    @usableFromInline var value: Value

    @inlinable init(_ value: Value) { self.value = value }
  }

  @usableFromInline var box: Box

  /// Makes a box that holds a value.
  @inlinable public init(_ value: Value) { box = Box(value) }

  /// The value, which is copied on change where others share it.
  @inlinable public var value: Value {
    get { box.value }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
      yield &box.value
    }
  }
}

extension Boxed {
  /// Tells whether another one shares the value.
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
