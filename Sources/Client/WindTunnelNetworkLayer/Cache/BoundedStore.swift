/// Values up to a total number of bytes. The least recently used value is dropped first.
struct BoundedStore<Value> {
  private let most: Int
  private var entries: [String: (value: Value, bytes: Int, use: Int)] = [:]
  private var uses = 0
  /// The size of all values, in bytes.
  private(set) var bytes = 0

  init(bytes: Int) { most = max(0, bytes) }

  subscript(key: String) -> Value? {
    mutating get {
      uses += 1
      entries[key]?.use = uses
      return entries[key]?.value
    }
  }

  /// Returns whether a value may be stored: one larger than half the capacity would displace too
  /// many others.
  func hasRoom(for bytes: Int) -> Bool { bytes <= most / 2 }

  /// Stores a value in place of an earlier one, which is dropped even if there is no room.
  ///
  /// - Returns: The keys of other values that were dropped.
  mutating func keep(_ value: Value, of bytes: Int, as key: String) -> [String] {
    _ = remove(key)
    guard hasRoom(for: bytes) else { return [] }
    return restore(value, of: bytes, as: key)
  }

  /// Adds a value that was stored before, regardless of its size, and returns the keys that were
  /// dropped.
  mutating func restore(_ value: Value, of bytes: Int, as key: String) -> [String] {
    uses += 1
    entries[key] = (value, bytes, uses)
    self.bytes += bytes
    var dropped: [String] = []
    while self.bytes > most, let oldest = entries.min(by: { $0.value.use < $1.value.use })?.key {
      dropped.append(oldest)
      _ = remove(oldest)
    }
    return dropped
  }

  /// Removes a value, and returns whether it existed.
  mutating func remove(_ key: String) -> Bool {
    let removed = entries.removeValue(forKey: key)
    bytes -= removed?.bytes ?? 0
    return removed != nil
  }

  /// Removes all values, and returns their keys.
  mutating func removeAll() -> [String] {
    defer { (entries, bytes) = ([:], 0) }
    return Array(entries.keys)
  }
}
