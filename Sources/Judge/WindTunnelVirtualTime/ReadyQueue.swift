internal import WindTunnelCore

/// The order in which tasks that are ready at the same instant run.
public enum TurnOrder: Sendable, Hashable {
  /// The order in which the tasks became ready (first in, first out).
  case arrival
  /// An order drawn from a seed, which could occur with several threads.
  case drawn(seed: UInt64)
}

/// The queue of ready elements.
struct ReadyQueue<Element> {
  private var elements: [Element] = []
  /// The number of elements at the beginning that were already removed.
  private var taken = 0
  private let draws: Draws?
  private var drawn = 0

  init(_ order: TurnOrder) {
    switch order {
    case .arrival: draws = nil
    case .drawn(let seed):
      draws = Draws(
        seed: seed,
        scenario: "",
        lane: Lane("virtual time"),
        key: "",
        ordinal: 0,
        rule: "order of turns"
      )
    }
  }

  /// Whether the queue is empty.
  var isEmpty: Bool { taken == elements.count }

  /// Adds an element at the end.
  mutating func append(_ element: Element) { elements.append(element) }

  /// Removes and returns the next element, or returns `nil` if the queue is empty.
  mutating func popFirst() -> Element? {
    let count = elements.count - taken
    guard count > 0 else { return nil }
    if let draws, count > 1 {
      elements.swapAt(taken, taken + Int(draws.bits(drawn) % UInt64(count)))
      drawn += 1
    }
    let element = elements[taken]
    taken += 1
    // The array is compacted rarely, so that each element is moved once on average.
    if taken >= 1024, taken * 2 >= elements.count {
      elements.removeFirst(taken)
      taken = 0
    }
    return element
  }
}

extension ReadyQueue: Sendable where Element: Sendable {}
