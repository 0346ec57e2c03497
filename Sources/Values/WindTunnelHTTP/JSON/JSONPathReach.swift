/// The progress of matching a path against the location of a value.
///
/// All interpretations of the path are followed at once, as the set of possible next steps. A path
/// with many `..` has a combinatorial number of interpretations, and following them one by one
/// would take too long.
struct JSONPathReach {
  private let steps: [JSONPath.Step]
  /// The indices of possible next steps, unique and ascending; the step count means that the path
  /// is complete.
  private var next: [Int] = []

  init(_ steps: [JSONPath.Step]) {
    self.steps = steps
    next = Self.reaching(0, of: steps, after: [])
  }

  /// Whether the steps so far match the whole path.
  var isWhole: Bool { next.last == steps.count }

  /// Whether the path can match a value further inside.
  var goesOn: Bool { next.contains { $0 < steps.count } }

  /// Moves from a value to one of its children.
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

  /// Returns the progress after moving from a value to one of its children.
  func gone(_ place: JSONPath.Step) -> JSONPathReach {
    var reach = self
    reach.go(place)
    return reach
  }

  /// Adds a step, and the following steps while the current one can match no step at all.
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
