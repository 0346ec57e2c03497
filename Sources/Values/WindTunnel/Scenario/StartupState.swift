/// The state in which the start of an app finds what it has kept of earlier launches, in a scenario
/// that is about starts: each call of a drill is one there, on a cassette that has a start.
public enum StartupState: String, Sendable, Hashable, CaseIterable {
  /// The first launch of all: nothing is kept.
  case cold
  /// An app that was launched before, and has kept the first recorded configuration.
  case warm
  /// An app that has kept the last recorded configuration: whoever serves it the first serves an
  /// old one again.
  case ahead
}
