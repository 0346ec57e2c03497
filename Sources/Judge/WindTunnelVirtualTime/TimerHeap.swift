/// A heap of elements by their due times. The earliest is first, and elements with the same time
/// keep the order in which they were added.
struct TimerHeap<Due: Comparable & Sendable, Element> {
  fileprivate struct ScheduledTimer {
    var due: Due
    var number: Int
    var element: Element

    func comes(before other: ScheduledTimer) -> Bool { (due, number) < (other.due, other.number) }
  }

  private var entries: [ScheduledTimer] = []
  private var count = 0

  /// The earliest due time, or `nil` if the heap is empty.
  var next: Due? { entries.first?.due }

  /// Adds an element with its due time.
  mutating func add(_ element: Element, due: Due) {
    entries.append(ScheduledTimer(due: due, number: count, element: element))
    count += 1
    var place = entries.count - 1
    while place > 0 {
      let parent = (place - 1) / 2
      guard entries[place].comes(before: entries[parent]) else { break }
      entries.swapAt(place, parent)
      place = parent
    }
  }

  /// Removes and returns the earliest element, or returns `nil` if the heap is empty.
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

extension TimerHeap.ScheduledTimer: Sendable where Element: Sendable {}
