/// A list with a maximum length of elements with ascending ids.
///
/// It drops its first elements without moving the others: a dropped element stays in memory until
/// its index is used again.
struct Ring<Element: Identifiable & Sendable>: Sendable where Element.ID == Int {
  private let countMax: Int
  private var places: [Element] = []
  private var start = 0
  private(set) var count = 0

  /// Creates an empty list.
  init(_ countMax: Int) { self.countMax = countMax }

  var isFull: Bool { count == countMax }
  /// The elements, in order.
  var all: [Element] { (0..<count).map { self[$0] } }

  /// Accesses the element at an offset from the first.
  subscript(offset: Int) -> Element {
    _read { yield places[place(offset)] }
    _modify { yield &places[place(offset)] }
  }

  /// Adds an element to a list that is not full.
  mutating func append(_ element: consuming Element) {
    if places.count < countMax { places.append(element) } else { places[place(count)] = element }
    count += 1
  }

  mutating func dropFirst(_ few: Int = 1) { (start, count) = (place(few), count - few) }

  /// Returns the number of elements up to an id.
  func count(through id: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].id <= id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Changes the element with an id, if the list contains it.
  mutating func change(_ id: Int, _ change: (inout Element) -> Void) {
    let offset = count(through: id) - 1
    if offset >= 0, self[offset].id == id { change(&self[offset]) }
  }

  private func place(_ offset: Int) -> Int {
    let place = start + offset
    return place < countMax ? place : place - countMax
  }
}
