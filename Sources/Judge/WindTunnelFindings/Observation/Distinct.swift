@_spi(WindTunnel) internal import WindTunnelCore

/// A table of values that are made of keys, so that each exists once in memory and is made once.
///
/// It begins anew when it is full: drawn delays differ each time, and a client may ask for ever
/// more.
package struct Distinct<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let make: @Sendable (Key) -> Value
  private let values = Locked<[Key: Value]>([:])
  private static var valuesMax: Int { 4096 }

  /// Creates a table of what a function makes.
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
