#if !canImport(Darwin)
  internal import Foundation

  /// What a `URLSession` makes of a request's time-out.
  enum SessionTimeout {
    /// The time-out in seconds that is honoured.
    ///
    /// The fraction would be cut off here, and what is below one second would fire at once; so it
    /// is rounded up.
    static func honoured(_ seconds: TimeInterval) -> TimeInterval { max(1, seconds.rounded(.up)) }
  }
#endif
