/// Values by key, with a limited number of keys: a server that runs for months receives requests
/// for more and more URLs.
///
/// The first keys are kept permanently, so the decisions that depend on their values never change.
/// Of the other keys only a limited number is kept, and a new key replaces the oldest of them.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The maximum number of keys that are kept permanently.
  ///
  /// Together with ``passingMax`` this is the size of a journal: about 20 MB if URLs are short.
  static var keptMax: Int { 50_000 }
  /// The maximum number of further keys, which new ones replace.
  static var passingMax: Int { 50_000 }

  private var places: [Key: Int] = [:]
  private var entries: [(key: Key, value: Value)] = []
  /// The entry that is replaced next, as an offset from the first replaceable entry.
  private var oldest = 0
  private let keptMax: Int
  private let passingMax: Int

  /// Creates an empty table.
  init(keeping keptMax: Int = Self.keptMax, passing passingMax: Int = Self.passingMax) {
    (self.keptMax, self.passingMax) = (keptMax, passingMax)
  }

  /// The number of keys.
  var count: Int { entries.count }

  /// All values, in no particular order.
  var values: some Sequence<Value> { entries.lazy.map(\.value) }

  /// The value at an index that ``place(of:or:while:)`` has returned, which may belong to another
  /// key by now.
  subscript(place: Int) -> Value {
    get { entries[place].value }
    set { entries[place].value = newValue }
    _modify { yield &entries[place].value }
  }

  /// Returns the index of a key's value, which is set to `new` if the key is missing.
  ///
  /// An entry whose value `isNeeded` is not replaced. The likely index is compared first.
  mutating func place(
    of key: Key,
    likely: Int? = nil,
    or new: @autoclosure () -> Value,
    while isNeeded: (Value) -> Bool = { _ in false }
  ) -> Int {
    if let likely, likely < entries.count, entries[likely].key == key { return likely }
    if let place = places[key] { return place }
    let place = free(isNeeded) ?? entries.count
    if place == entries.count {
      entries.append((key, new()))
    } else {
      places[entries[place].key] = nil
      entries[place] = (key, new())
    }
    places[key] = place
    return place
  }

  /// Returns an index whose key can be replaced; `nil` if there is room, or if all values are
  /// needed.
  private mutating func free(_ isNeeded: (Value) -> Bool) -> Int? {
    guard entries.count >= keptMax + passingMax else { return nil }
    for _ in 0..<passingMax {
      let place = keptMax + oldest
      oldest = (oldest + 1) % passingMax
      if !isNeeded(entries[place].value) { return place }
    }
    return nil
  }
}
