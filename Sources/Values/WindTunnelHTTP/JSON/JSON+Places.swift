extension JSON {
  /// The positions of all string values. A position is a list of member or element indices from the
  /// top.
  package var stringPlaces: [[Int]] {
    if case .string = self { return [[]] }
    let children = elements + members.map(\.value)
    return children.enumerated().flatMap { index, child in child.stringPlaces.map { [index] + $0 } }
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
    var count = 0
    return changingParts { _, part in
      count += 1
      return count - 1 == index ? part.clearing(path.dropFirst()) : part
    }
  }
}
