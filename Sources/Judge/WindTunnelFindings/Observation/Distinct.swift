@_spi(WindTunnel) internal import WindTunnelCore

/// A table of values that are created from keys, so that each value exists only once in memory.
///
/// The table is emptied when it is full: drawn delays differ each time, and a client may send an
/// unlimited number of different requests.
package struct Distinct<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let make: @Sendable (Key) -> Value
  private let values = Locked<[Key: Value]>([:])
  private static var valuesMax: Int { 4096 }

  /// Creates a table with a function that creates the value of a key.
  package init(_ make: @escaping @Sendable (Key) -> Value) { self.make = make }

  /// Returns the value of a key.
  package func callAsFunction(_ key: Key) -> Value {
    if let known = values.withLock({ $0[key] }) { return known }
    let value = make(key)
    // A full table is freed without the lock.
    let full = values.withLock { values -> [Key: Value] in
      guard values.count >= Self.valuesMax else {
        values[key] = value
        return [:]
      }
      defer { values = [key: value] }
      return values
    }
    return withExtendedLifetime(full) { value }
  }
}
