/// One value that differs between two JSON texts; members are compared by name, elements by place.
struct JSONChange: Hashable {
  /// Such as `.users[0].name`.
  var path: String
  /// What stood there; `nil` where there was nothing.
  var old: JSON?
  /// What stands there; `nil` where there is nothing.
  var new: JSON?

  /// Every difference, in the order of the old text and then of what is new.
  static func of(_ old: JSON, _ new: JSON, path: String = "") -> [JSONChange] {
    guard old != new else { return [] }
    switch (old, new) {
    case (.object(let there), .object(let here)):
      let before = named(there)
      let after = named(here)
      var seen: Set<String> = []
      let names = (there + here).map(\.name.value).filter { seen.insert($0).inserted }
      return names.flatMap { name in
        pair(before[name] ?? [], after[name] ?? [], path: "\(path).\(name)")
      }
    case (.array(let there), .array(let here)):
      return (0..<max(there.count, here.count)).flatMap { index in
        pair(there.at(index), here.at(index), path: "\(path)[\(index)]")
      }
    case (.string(let there), .string(let here)) where there.value == here.value: return []
    default: return [JSONChange(path: path, old: old, new: new)]
    }
  }

  /// A name may stand in an object more than once.
  private static func named(_ members: [JSON.Member]) -> [String: [JSON]] {
    Dictionary(grouping: members, by: \.name.value).mapValues { $0.map(\.value) }
  }

  private static func pair(_ old: [JSON], _ new: [JSON], path: String) -> [JSONChange] {
    (0..<max(old.count, new.count)).flatMap { index in
      pair(old.at(index), new.at(index), path: path)
    }
  }

  private static func pair(_ old: JSON?, _ new: JSON?, path: String) -> [JSONChange] {
    guard let old, let new else { return [JSONChange(path: path, old: old, new: new)] }
    return of(old, new, path: path)
  }
}

extension [JSON] {
  /// The element at a place. A bare `nil` would be JSON's null here.
  fileprivate func at(_ index: Int) -> JSON? { index < count ? .some(self[index]) : .none }
}
