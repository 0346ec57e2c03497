/// The names under which a program that is started for each call is told of it: in braces in its
/// words, and as `WINDTUNNEL_…` in its environment.
enum CallPlaceholders {
  /// All of them; `ca` is not one, since every call of a scenario has the same.
  static let names = ["url", "base", "origins", "method", "body", "call"]

  /// Tells whether a word has one, or names the variable of one as a script does.
  static func isIn(_ word: String) -> Bool {
    names.contains { name in
      word.contains("{\(name)}") || word.contains("WINDTUNNEL_\(name.uppercased())")
    }
  }
}

extension [String] {
  /// Tells whether the words start a program that lives from call to call: no word is about one
  /// call.
  var isService: Bool { !isEmpty && !contains(where: CallPlaceholders.isIn) }
}
