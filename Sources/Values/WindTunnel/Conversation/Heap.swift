/// A queue whose first element is the least by an order.
struct Heap<Element: Sendable>: Sendable {
  private var elements: [Element] = []
  private let isBefore: @Sendable (Element, Element) -> Bool

  /// Makes an empty queue.
  init(by isBefore: @escaping @Sendable (Element, Element) -> Bool) { self.isBefore = isBefore }

  /// The least element; `nil`: there is none.
  var first: Element? { elements.first }

  /// Adds an element at its place.
  mutating func insert(_ element: Element) {
    elements.append(element)
    var place = elements.count - 1
    while place > 0, isBefore(elements[place], elements[(place - 1) / 2]) {
      elements.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Removes the least element.
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
