#if canImport(Darwin)
  internal import Foundation

  /// Where the platforms' own protocols differ.
  enum Platform {
    /// Taken as it is.
    static func idleTimeout(_ interval: TimeInterval) -> TimeInterval { interval }
  }
#endif
