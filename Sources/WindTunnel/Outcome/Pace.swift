/// The speed of a recorded answer, next to the day it was recorded.
///
/// The pieces of a streamed body stay pieces at any pace.
public enum Pace: Sendable, Hashable {
  /// Nothing is waited for.
  case immediately
  /// So many times as fast as it was recorded: its first byte and each of its pieces come in a
  /// share of their time. A factor below one is slower; one that is no positive number waits for
  /// nothing.
  case times(Double)

  /// In the time that it took.
  public static let asRecorded = Pace.times(1)

  /// Returns the wait where the recording waited so long; a time that ran backwards is none.
  func wait(_ recorded: Duration) -> Duration {
    guard case .times(let factor) = self, factor > 0, recorded > .zero else { return .zero }
    // Slower than this is not a wait but the end.
    return Duration(milliseconds: min(recorded.inMilliseconds / factor, Self.longestMilliseconds))
  }

  /// A day.
  private static let longestMilliseconds = 86_400_000.0
}
