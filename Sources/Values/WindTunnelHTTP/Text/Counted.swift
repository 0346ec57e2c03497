extension Int {
  /// Returns the number with a noun, in the plural unless the number is 1: `1 call`, `2 calls`.
  package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
