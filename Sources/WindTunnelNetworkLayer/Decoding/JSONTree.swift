internal import Foundation

/// A JSON text as far as rules look into it: which fields are there.
indirect enum JSONTree: Decodable {
  case null
  case leaf
  case array([JSONTree])
  case object([String: JSONTree])

  init(from decoder: any Decoder) throws {
    if let fields = try? decoder.container(keyedBy: FieldName.self) {
      // What is no object is seen by that failing; what it is instead, by the next questions.
      self = .object(
        try fields.allKeys.reduce(into: [:]) { tree, key in
          tree[key.stringValue] = try fields.decode(JSONTree.self, forKey: key)
        }
      )
    } else if var items = try? decoder.unkeyedContainer() {
      var tree: [JSONTree] = []
      while !items.isAtEnd { tree.append(try items.decode(JSONTree.self)) }
      self = .array(tree)
    } else {
      self = try decoder.singleValueContainer().decodeNil() ? .null : .leaf
    }
  }

  /// The first place of a path, as in `data.items.*.id`, where nothing or null is; `nil` where all
  /// is there. A `*` stands for every item of an array or field of an object.
  func firstGap(in path: String) -> String? {
    gap(in: path.split(separator: ".").map(String.init)[...], passed: [])
  }

  private func gap(in path: ArraySlice<String>, passed: [String]) -> String? {
    if case .null = self { return passed.joined(separator: ".") }
    guard let name = path.first else { return nil }
    for (name, child) in children(named: name) {
      let passed = passed + [name]
      guard let child else { return passed.joined(separator: ".") }
      if let gap = child.gap(in: path.dropFirst(), passed: passed) { return gap }
    }
    return nil
  }

  private func children(named name: String) -> [(String, JSONTree?)] {
    switch self {
    case .object(let fields):
      if name != "*" { return [(name, fields[name])] }
      return fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    case .array(let items):
      if name == "*" { return items.enumerated().map { (String($0), $1) } }
      return [(name, Int(name).flatMap { items.indices.contains($0) ? items[$0] : nil })]
    case .null, .leaf: return [(name, nil)]
    }
  }
}

/// The name of any field.
struct FieldName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
