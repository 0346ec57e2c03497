/// The names under which a program that is started for each call is told of it: in braces in its
/// words, and as `WINDTUNNEL_…` in its environment.
enum CallPlaceholders {
  /// All of them; `ca` is not one, since every call of a scenario has the same.
  static let names = ["url", "base", "origins", "kept", "method", "body", "call"]

  /// Whether a word has a placeholder, or names the variable of one as a script does.
  static func isIn(_ word: String) -> Bool { names.contains { has(word, $0) } }

  /// Whether a word names the method of the call.
  static func namesMethod(_ word: String) -> Bool { has(word, "method") }

  /// Tells whether a word names the file of the configuration that an app has kept.
  static func namesKept(_ word: String) -> Bool { has(word, "kept") }

  private static func has(_ word: String, _ name: String) -> Bool {
    word.contains("{\(name)}") || word.contains("WINDTUNNEL_\(name.uppercased())")
  }
}

extension [String] {
  /// Tells whether the words start a program that lives from call to call: no word is about one
  /// call.
  var isService: Bool { !isEmpty && !contains(where: CallPlaceholders.isIn) }
}
