#if !canImport(Darwin)
  internal import Foundation
  internal import FoundationNetworking

  /// Where the platforms' own protocols differ.
  enum Platform {
    /// libcurl's timer is told whole seconds, the rest is cut off: 1.9 fires after 1.0 s and 0.5 at
    /// once.
    static func idleTimeout(_ interval: TimeInterval) -> TimeInterval { interval.rounded(.down) }

    /// Tells whether a protocol finds no stored cookies in its request: here they are already set.
    static func leavesCookies(to request: URLRequest) -> Bool { false }
  }
#endif
