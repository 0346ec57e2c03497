#if canImport(Darwin)
  internal import Foundation

  /// What a `URLSession` makes of a request's time-out.
  enum SessionTimeout {
    /// The time-out in seconds that is honoured: any.
    static func honoured(_ seconds: TimeInterval) -> TimeInterval { seconds }
  }
#endif
