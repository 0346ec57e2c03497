/// The placeholders that pass a call to a program started for it. They appear in braces in the
/// command's words, and as `WINDTUNNEL_…` in the environment.
enum CallPlaceholders {
  /// All placeholders of a call. `ca` is not one of them, because it is the same for every call of
  /// a scenario.
  static let names = ["url", "base", "origins", "kept", "method", "body", "call"]

  /// Returns whether a word contains a placeholder, or the name of its environment variable, as a
  /// script does.
  static func isIn(_ word: String) -> Bool { names.contains { has(word, $0) } }

  /// Returns whether a word contains this placeholder.
  static func has(_ word: String, _ name: String) -> Bool {
    word.contains("{\(name)}") || word.contains("WINDTUNNEL_\(name.uppercased())")
  }
}

extension [String] {
  /// Whether the command starts a program that runs for many calls: no word depends on a call.
  var isService: Bool { !isEmpty && !contains(where: CallPlaceholders.isIn) }
}
