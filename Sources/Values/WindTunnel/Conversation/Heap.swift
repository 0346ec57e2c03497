/// A priority queue, whose first element is the smallest by an order.
struct Heap<Element: Sendable>: Sendable {
  private var elements: [Element] = []
  private let isBefore: @Sendable (Element, Element) -> Bool

  /// Creates an empty queue.
  init(by isBefore: @escaping @Sendable (Element, Element) -> Bool) { self.isBefore = isBefore }

  /// The smallest element; `nil` if the queue is empty.
  var first: Element? { elements.first }

  /// Inserts an element in order.
  mutating func insert(_ element: Element) {
    elements.append(element)
    var place = elements.count - 1
    while place > 0, isBefore(elements[place], elements[(place - 1) / 2]) {
      elements.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Removes the smallest element.
  mutating func removeFirst() {
    guard let last = elements.popLast(), !elements.isEmpty else { return }
    elements[0] = last
    var place = 0
    while true {
      let (left, right) = (place * 2 + 1, place * 2 + 2)
      var least = place
      if left < elements.count, isBefore(elements[left], elements[least]) { least = left }
      if right < elements.count, isBefore(elements[right], elements[least]) { least = right }
      if least == place { return }
      elements.swapAt(place, least)
      place = least
    }
  }
}
