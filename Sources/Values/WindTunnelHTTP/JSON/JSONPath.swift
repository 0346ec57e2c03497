/// A path to values in a JSON text: `$.meta.timestamp`, `$.items[*].id`, `$..requestId`.
///
/// The type supports the part of RFC 9535 that an ignore list needs: names (`.name`,
/// `['any name']`), places (`[0]`), all children (`.*`, `[*]`) and descendants (`..name`).
public struct JSONPath: Sendable, Hashable, CustomStringConvertible {
  package enum Step: Sendable, Hashable {
    case name(String)
    case index(Int)
    case any
    /// Any number of steps.
    case descend
  }

  /// The text of the path, as it was written.
  public let description: String
  let steps: [Step]

  /// Parses a path; `nil` if the text is none.
  public init?(_ text: String) {
    guard let steps = JSONPathReader.steps(text) else { return nil }
    (description, self.steps) = (text, steps)
  }

  /// The path to one value, where each place in a list stands for all of them.
  package init(generalizing steps: [Step]) {
    self.steps = steps.map { if case .index = $0 { .any } else { $0 } }
    description = Self.spelled(self.steps)
  }

  /// Tells whether the path means a value or something that the value is within.
  package func covers(_ place: [Step]) -> Bool {
    var reach = JSONPathReach(steps)
    if reach.isWhole { return true }
    for step in place {
      reach.go(step)
      if reach.isWhole { return true }
    }
    return false
  }

  /// Tells whether the path means a value itself.
  package func leads(to place: [Step]) -> Bool {
    var reach = JSONPathReach(steps)
    for step in place { reach.go(step) }
    return reach.isWhole
  }

  /// Returns a path in the spelling of RFC 9535 §2.7, short where a name allows it.
  package static func spelled(_ steps: [Step]) -> String {
    steps.reduce("$") { text, step in
      switch step {
      case .index(let index): "\(text)[\(index)]"
      case .any: "\(text)[*]"
      case .descend: "\(text)."
      case .name(let name) where JSONPathReader.isShort(name): "\(text).\(name)"
      case .name(let name): "\(text)['\(JSONPathReader.escaped(name))']"
      }
    }
  }
}

extension JSONPath: ExpressibleByStringLiteral {
  /// Makes a path from a literal. Without a leading `$` it is the name of a top-level member:
  /// `"timestamp"` is `$.timestamp`. A literal that begins with `$` and is not a path is a
  /// programming error and stops the program: ignored, it would let through what it is meant to
  /// exclude.
  public init(stringLiteral value: String) {
    guard let path = JSONPath(value) else {
      precondition(!value.hasPrefix("$"), "\"\(value)\" is no path into JSON")
      self = JSONPath(generalizing: [.name(value)])
      return
    }
    self = path
  }
}
