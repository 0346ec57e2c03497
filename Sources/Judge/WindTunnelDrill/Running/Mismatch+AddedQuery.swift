extension Mismatch {
  /// The greatest number of added parameters that are named: with more the query is another one.
  private static let addedMax = 4
  /// The greatest length of such a name; a longer one is cut by nobody and named by nobody.
  private static let nameBytesMax = 80

  /// The parameters that a client adds to the query of a recorded request, where it asks for
  /// nothing else, and the flags that leave them out of the comparison; else `nil`.
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
      + "#\(nearest.number) \(nearest.request); \(flags) compares without "
      + "\(names.count == 1 ? "it" : "them")"
  }
}
