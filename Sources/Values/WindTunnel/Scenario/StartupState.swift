/// The state of an app's storage when the app starts, in a scenario that is about starts.
///
/// Each call of a drill is such a start, on a cassette that has one.
public enum StartupState: String, Sendable, Hashable, CaseIterable {
  /// The first launch: nothing is stored.
  case cold
  /// An app that was launched before and has stored the first recorded configuration.
  case warm
  /// An app that has stored the last recorded configuration, so a server that sends the first one
  /// sends an older one.
  case ahead
}
