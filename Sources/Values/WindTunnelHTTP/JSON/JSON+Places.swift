extension JSON {
  /// The positions of all string values. A position is a list of member or element indices from the
  /// top.
  package var stringPlaces: [[Int]] {
    switch self {
    case .null, .bool, .number: []
    case .string: [[]]
    case .array(let elements): Self.nested(elements)
    case .object(let members): Self.nested(members.map(\.value))
    }
  }

  private static func nested(_ children: [JSON]) -> [[Int]] {
    children.enumerated().flatMap { index, child in child.stringPlaces.map { [index] + $0 } }
  }

  /// The value of a string, or the spelling of any other scalar; `nil` for lists and objects.
  package var scalarText: String? {
    switch self {
    case .string(let text): text.value
    case .number, .bool, .null: description
    case .array, .object: nil
    }
  }

  /// The value at a position; `nil` if there is none.
  package subscript(path path: ArraySlice<Int>) -> JSON? {
    guard let index = path.first else { return self }
    switch self {
    case .array(let elements) where elements.indices.contains(index):
      return elements[index][path: path.dropFirst()]
    case .object(let members) where members.indices.contains(index):
      return members[index].value[path: path.dropFirst()]
    case .null, .bool, .number, .string, .array, .object: return nil
    }
  }

  /// Returns the value with one value replaced by a placeholder.
  package func clearing(_ path: ArraySlice<Int>) -> JSON {
    guard let index = path.first else { return .text("\0") }
    switch self {
    case .array(var elements) where elements.indices.contains(index):
      elements[index] = elements[index].clearing(path.dropFirst())
      return .array(elements)
    case .object(var members) where members.indices.contains(index):
      members[index].value = members[index].value.clearing(path.dropFirst())
      return .object(members)
    case .null, .bool, .number, .string, .array, .object: return self
    }
  }
}
