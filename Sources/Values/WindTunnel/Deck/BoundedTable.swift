/// Values by key, for keys of which there may be ever more: a server that runs for months is asked
/// for addresses that were not asked for before.
///
/// The keys that come first are kept for good, so that what is decided by their values never
/// changes. Of the others so many are kept, and the one that came before all others of them is
/// forgotten for the next.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The number of keys that are kept for good.
  ///
  /// With ``passingMax`` as many as a journal has entries: about 20 MB where addresses are short.
  static var keptMax: Int { 50_000 }
  /// The number of further keys that are kept until others come.
  static var passingMax: Int { 50_000 }

  private var places: [Key: Int] = [:]
  private var entries: [(key: Key, value: Value)] = []
  /// The entry that is forgotten next, counted from the first that may be.
  private var oldest = 0
  private let keptMax: Int
  private let passingMax: Int

  /// Makes an empty table.
  init(keeping keptMax: Int = Self.keptMax, passing passingMax: Int = Self.passingMax) {
    (self.keptMax, self.passingMax) = (keptMax, passingMax)
  }

  /// The number of keys.
  var count: Int { entries.count }

  /// Every value, in no order.
  var values: some Sequence<Value> { entries.lazy.map(\.value) }

  /// The value at a place that ``place(of:or:while:)`` has answered. By now it may be another
  /// key's.
  subscript(place: Int) -> Value {
    get { entries[place].value }
    set { entries[place].value = newValue }
    _modify { yield &entries[place].value }
  }

  /// Returns the place of a key's value, which is `new` where the key is not there. A value that
  /// `isNeeded` is not forgotten now.
  mutating func place(
    of key: Key,
    or new: @autoclosure () -> Value,
    while isNeeded: (Value) -> Bool = { _ in false }
  ) -> Int {
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

  /// Returns a place whose key is to be forgotten; `nil` where there is room, or where all are
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
