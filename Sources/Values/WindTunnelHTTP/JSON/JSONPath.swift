/// A path to values in a JSON text: `$.meta.timestamp`, `$.items[*].id`, `$..requestId`.
///
/// The type supports the subset of RFC 9535 that ignore lists need: names (`.name`,
/// `['any name']`), indices (`[0]`), all children (`.*`, `[*]`) and descendants (`..name`).
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

  /// Parses a path; `nil` if the text is not a path.
  public init?(_ text: String) {
    guard let steps = JSONPathReader.steps(text) else { return nil }
    (description, self.steps) = (text, steps)
  }

  /// Creates the path to a value. Each list index is replaced by `[*]`.
  package init(generalizing steps: [Step]) {
    self.steps = steps.map { if case .index = $0 { .any } else { $0 } }
    description = Self.spelled(self.steps)
  }

  /// Whether the path matches a value or one of its ancestors.
  package func covers(_ place: [Step]) -> Bool {
    var reach = JSONPathReach(steps)
    if reach.isWhole { return true }
    for step in place {
      reach.go(step)
      if reach.isWhole { return true }
    }
    return false
  }

  /// Whether the path matches exactly this value.
  package func leads(to place: [Step]) -> Bool {
    var reach = JSONPathReach(steps)
    for step in place { reach.go(step) }
    return reach.isWhole
  }

  /// Returns a path in the notation of RFC 9535 §2.7; names use the dot notation if possible.
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
  /// Creates a path from a literal. Without a leading `$`, the literal is the name of a top-level
  /// member: `"timestamp"` is `$.timestamp`.
  ///
  /// A literal that begins with `$` and is not a path stops the program, because an ignored path
  /// would compare values that it should exclude.
  public init(stringLiteral value: String) {
    guard let path = JSONPath(value) else {
      precondition(!value.hasPrefix("$"), "\"\(value)\" is not a path into JSON")
      self = JSONPath(generalizing: [.name(value)])
      return
    }
    self = path
  }
}
