/// Things that are due at moments, the earliest first, and of one moment the one that was added
/// first.
struct TimerHeap<Due: Comparable & Sendable, Element> {
  fileprivate struct Entry {
    var due: Due
    var number: Int
    var element: Element

    func comes(before other: Entry) -> Bool { (due, number) < (other.due, other.number) }
  }

  private var entries: [Entry] = []
  private var count = 0

  /// The moment of the earliest; `nil` where there is none.
  var next: Due? { entries.first?.due }

  /// Adds one that is due at a moment.
  mutating func add(_ element: Element, due: Due) {
    entries.append(Entry(due: due, number: count, element: element))
    count += 1
    var place = entries.count - 1
    while place > 0 {
      let parent = (place - 1) / 2
      guard entries[place].comes(before: entries[parent]) else { break }
      entries.swapAt(place, parent)
      place = parent
    }
  }

  /// Takes the earliest away; `nil` where there is none.
  mutating func popFirst() -> (due: Due, element: Element)? {
    guard let last = entries.popLast() else { return nil }
    guard let first = entries.first else { return (last.due, last.element) }
    entries[0] = last
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2]
      where child < entries.count && entries[child].comes(before: entries[least]) {
        least = child
      }
      if least == place { break }
      entries.swapAt(place, least)
      place = least
    }
    return (first.due, first.element)
  }
}

extension TimerHeap: Sendable where Element: Sendable {}

extension TimerHeap.Entry: Sendable where Element: Sendable {}
