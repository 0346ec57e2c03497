extension Int {
  /// The number with a noun, which has an `s` unless there is one of it: `1 call`, `2 calls`.
  package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
