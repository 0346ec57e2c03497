/// The progress along a path that a way into a text may have made.
///
/// All ways to read the path are followed at once, as the set of the steps that may come next: a
/// path of many `..` is read in as many ways as there are choices of places for them, and following
/// these one after the other would take for ever.
struct JSONPathReach {
  private let steps: [JSONPath.Step]
  /// Numbers of steps that may come next, each once and ascending; the count where none need come.
  private var next: [Int] = []

  init(_ steps: [JSONPath.Step]) {
    self.steps = steps
    next = Self.reaching(0, of: steps, after: [])
  }

  /// Tells whether the way so far can be read as the whole path.
  var isWhole: Bool { next.last == steps.count }

  /// Tells whether anything further in can be meant.
  var goesOn: Bool { next.contains { $0 < steps.count } }

  /// Goes from a value to one within it.
  mutating func go(_ place: JSONPath.Step) {
    next = next.reduce(into: []) { reached, number in
      guard number < steps.count else { return }
      let step = steps[number]
      if step == .descend {
        reached = Self.reaching(number, of: steps, after: reached)
      } else if step == .any || step == place {
        reached = Self.reaching(number + 1, of: steps, after: reached)
      }
    }
  }

  /// Returns the progress from a value to one within it.
  func gone(_ place: JSONPath.Step) -> JSONPathReach {
    var reach = self
    reach.go(place)
    return reach
  }

  /// Adds a step, and those behind it as long as any number of steps, none included, may come.
  private static func reaching(
    _ number: Int,
    of steps: [JSONPath.Step],
    after reached: [Int]
  ) -> [Int] {
    var (reached, number) = (reached, number)
    if reached.last.map({ $0 < number }) ?? true { reached.append(number) }
    while number < steps.count, steps[number] == .descend {
      number += 1
      if reached.last.map({ $0 < number }) ?? true { reached.append(number) }
    }
    return reached
  }
}
