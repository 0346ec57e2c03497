/// A place in a JSON text that a rule names: `$.user.code`, `$.items[*].key`, `$..hint`.
struct JSONPlace {
  private enum Step: Equatable {
    case name(String)
    case index(Int)
    case any
    case descend
  }

  /// A step on the way to a value.
  enum Turn {
    case name(String)
    case index(Int)
  }

  private let steps: [Step]

  /// Reads a path of names behind dots and places in brackets; `nil` if it is none.
  init?(_ text: String) {
    guard text.first == "$" else { return nil }
    var rest = text.dropFirst()
    var steps: [Step] = []
    while let first = rest.first {
      if first == "[" {
        guard let end = rest.firstIndex(of: "]") else { return nil }
        let inner = rest[rest.index(after: rest.startIndex)..<end]
        if inner == "*" {
          steps.append(.any)
        } else if let index = Int(inner) {
          steps.append(.index(index))
        } else if inner.count >= 2, let quote = inner.first, quote == inner.last,
          "'\"".contains(quote)
        {
          steps.append(.name(String(inner.dropFirst().dropLast())))
        } else {
          return nil
        }
        rest = rest[rest.index(after: end)...]
      } else {
        guard first == "." else { return nil }
        rest = rest.dropFirst()
        if rest.first == "." {
          steps.append(.descend)
          rest = rest.dropFirst()
        }
        let name = rest.prefix { $0 != "." && $0 != "[" }
        rest = rest.dropFirst(name.count)
        if name.isEmpty, rest.first == "[", steps.last == .descend { continue }
        guard !name.isEmpty else { return nil }
        steps.append(name == "*" ? .any : .name(String(name)))
      }
    }
    guard !steps.isEmpty else { return nil }
    self.steps = steps
  }

  /// Whether the way leads to the place.
  func isReached(by way: [Turn]) -> Bool { Self.leads(way[...], steps[...]) }

  private static func leads(_ way: ArraySlice<Turn>, _ steps: ArraySlice<Step>) -> Bool {
    guard let step = steps.first else { return way.isEmpty }
    if step == .descend {
      return (way.startIndex...way.endIndex).contains { leads(way[$0...], steps.dropFirst()) }
    }
    guard let turn = way.first else { return false }
    let fits =
      switch (step, turn) {
      case (.any, _): true
      case (.name(let name), .name(let other)): name == other
      case (.index(let index), .index(let other)): index == other
      default: false
      }
    return fits && leads(way.dropFirst(), steps.dropFirst())
  }
}
