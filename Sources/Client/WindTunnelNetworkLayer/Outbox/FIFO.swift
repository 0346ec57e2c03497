/// A queue in one array, which is moved up now and then.
struct FIFO<Element> {
  private var elements: [Element] = []
  private var head = 0

  var count: Int { elements.count - head }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : elements[head] }
  var last: Element? { isEmpty ? nil : elements.last }
  subscript(place: Int) -> Element { elements[head + place] }

  mutating func append(_ element: Element) { elements.append(element) }
  mutating func removeLast() -> Element { elements.removeLast() }

  func prefix(_ count: Int) -> ArraySlice<Element> { elements[head...].prefix(count) }

  /// Returns how many of the first satisfy a condition.
  func prefix(while isMet: (Element) -> Bool) -> Int {
    elements[head...].prefix(while: isMet).count
  }

  mutating func removeFirst(_ count: Int) {
    head += count
    guard head > elements.count / 2 else { return }
    elements.removeFirst(head)
    head = 0
  }
}
