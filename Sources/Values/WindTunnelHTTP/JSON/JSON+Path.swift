extension JSON {
  /// Returns the first value that a path means, in the order of the text; `nil`: none is there.
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

  /// Returns the value with a change made to each value that a path means.
  package func replacing(at path: JSONPath, _ change: (JSON) -> JSON) -> JSON {
    replacing(JSONPathReach(path.steps), change)
  }

  private func replacing(_ reach: JSONPathReach, _ change: (JSON) -> JSON) -> JSON {
    if reach.isWhole { return change(self) }
    guard reach.goesOn else { return self }
    switch self {
    case .null, .bool, .number, .string: return self
    case .array(let elements):
      return .array(elements.enumerated().map { $1.replacing(reach.gone(.index($0)), change) })
    case .object(let members):
      return .object(
        members.map { member in
          JSON.Member(
            member.name,
            member.value.replacing(reach.gone(.name(member.name.value)), change)
          )
        }
      )
    }
  }
}

extension JSONPathReach {
  /// Returns the progress from a value to one within it.
  fileprivate func gone(_ place: JSONPath.Step) -> JSONPathReach {
    var reach = self
    reach.go(place)
    return reach
  }
}
