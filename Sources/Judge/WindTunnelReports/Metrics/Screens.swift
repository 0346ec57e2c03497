/// The calls that count as screens, which a person looks at.
public enum Screens: String, Sendable, Hashable, CaseIterable {
  /// The GET and HEAD calls of critical endpoints, which the cassette, the scenario or the plan
  /// names.
  case named
  /// Every GET and HEAD call, because no endpoint is called critical. No gate fails by them.
  case byDefault = "default"
}
