/// A queue of elements that have arrived. A full inbox pauses its sender until it is empty.
struct Inbox<Element: Sendable>: Sendable {
  private let countMax: Int
  private let bytesMax: Int
  private var elements: [(element: Element, bytes: Int)?] = []
  private var taken = 0
  private var bytes = 0
  private var isPaused = false
  /// Pauses or resumes the sender.
  var pause: (@Sendable (Bool) -> Void)? {
    didSet { if isPaused { pause?(true) } }
  }

  init(countMax: Int, bytesMax: Int) { (self.countMax, self.bytesMax) = (countMax, bytesMax) }

  var isEmpty: Bool { taken == elements.count }

  mutating func append(_ element: Element, bytes count: Int) {
    elements.append((element, count))
    bytes += count
    guard !isPaused, elements.count - taken >= countMax || bytes >= bytesMax else { return }
    isPaused = true
    pause?(true)
  }

  /// Removes the first element; `nil` if there is none.
  mutating func take() -> Element? {
    guard taken < elements.count, let next = elements[taken].take() else { return nil }
    taken += 1
    bytes -= next.bytes
    if isEmpty {
      elements.removeAll(keepingCapacity: taken <= 64)
      if isPaused { pause?(false) }
      (taken, isPaused) = (0, false)
    }
    return next.element
  }
}
