extension JSON {
  /// Returns the first value at a path, in the order of the text; `nil` if there is none.
  package func first(at path: JSONPath) -> JSON? { first(JSONPathReach(path.steps)) }

  private func first(_ reach: JSONPathReach) -> JSON? {
    if reach.isWhole { return self }
    guard reach.goesOn else { return nil }
    switch self {
    case .null, .bool, .number, .string: return nil
    case .array(let elements):
      return elements.enumerated().lazy.compactMap { index, element in
        element.first(reach.gone(.index(index)))
      }.first
    case .object(let members):
      return members.lazy.compactMap { member in
        member.value.first(reach.gone(.name(member.name.value)))
      }.first
    }
  }

  /// Returns the value with a change applied to each value at a path.
  package func replacing(at path: JSONPath, _ change: (JSON) -> JSON) -> JSON {
    replacing(JSONPathReach(path.steps), change)
  }

  private func replacing(_ reach: JSONPathReach, _ change: (JSON) -> JSON) -> JSON {
    if reach.isWhole { return change(self) }
    guard reach.goesOn else { return self }
    return changingParts { step, part in part.replacing(reach.gone(step), change) }
  }

  /// Returns a list or an object with each of its parts changed, and any other value unchanged.
  package func changingParts(_ change: (JSONPath.Step, JSON) -> JSON) -> JSON {
    switch self {
    case .null, .bool, .number, .string: self
    case .array(let elements): .array(elements.enumerated().map { change(.index($0), $1) })
    case .object(let members):
      .object(members.map { Member($0.name, change(.name($0.name.value), $0.value)) })
    }
  }
}
