extension Mismatch {
  /// The maximum number of added parameters. A query with more of them counts as another query.
  private static let addedMax = 4
  /// The maximum length of a parameter's name. A longer name is neither shortened nor reported.
  private static let nameBytesMax = 80

  /// The parameters that a client adds to the query of a recorded request, and the flags that
  /// exclude them from the comparison. `nil` if the request differs in any other way.
  var addedQueryWords: String? {
    guard let nearest, let differences = candidates.first?.differences, !differences.isEmpty,
      differences.allSatisfy({ $0.name.hasPrefix("query ") && $0.recorded == nil })
    else { return nil }
    let names = differences.compactMap(\.at).reduce(into: [String]()) { names, name in
      if !names.contains(name) { names.append(name) }
    }
    guard !names.isEmpty, names.count <= Self.addedMax,
      names.allSatisfy({ $0.utf8.count <= Self.nameBytesMax })
    else { return nil }
    let flags = names.map { "--ignore-query \($0.asShellWord)" }.joined(separator: " ")
    return "\(names.map { "\"\($0)\"" }.joined(separator: " and ")) added to the query of "
      + "#\(nearest.number) \(nearest.request); \(flags) ignores "
      + "\(names.count == 1 ? "it" : "them")"
  }
}
