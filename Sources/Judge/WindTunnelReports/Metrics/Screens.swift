/// The calls that count as screens, which a user looks at.
public enum Screens: String, Sendable, Hashable, CaseIterable {
  /// The GET and HEAD calls of critical endpoints, as the cassette, the scenario or the plan marks
  /// them.
  case named
  /// Every GET and HEAD call, because no endpoint is marked as critical. Gates cannot fail because
  /// of them.
  case byDefault = "default"
}
