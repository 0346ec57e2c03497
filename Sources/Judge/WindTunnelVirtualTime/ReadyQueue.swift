internal import WindTunnelCore

/// The order in which what is ready at one instant gets its turn.
public enum TurnOrder: Sendable, Hashable {
  /// First in, first out.
  case arrival
  /// An order drawn from a seed, which several threads might have had.
  case drawn(seed: UInt64)
}

/// The things that are ready and wait for their turn.
struct ReadyQueue<Element> {
  private var elements: [Element] = []
  /// The number of those at the beginning that have had their turn.
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

  /// Tells whether none waits.
  var isEmpty: Bool { taken == elements.count }

  /// Adds one at the end.
  mutating func append(_ element: Element) { elements.append(element) }

  /// Takes away the one whose turn it is; `nil` where there is none.
  mutating func popFirst() -> Element? {
    let count = elements.count - taken
    guard count > 0 else { return nil }
    if let draws, count > 1 {
      elements.swapAt(taken, taken + Int(draws.bits(drawn) % UInt64(count)))
      drawn += 1
    }
    let element = elements[taken]
    taken += 1
    // Seldom, so that each is moved once on an average.
    if taken >= 1024, taken * 2 >= elements.count {
      elements.removeFirst(taken)
      taken = 0
    }
    return element
  }
}

extension ReadyQueue: Sendable where Element: Sendable {}
