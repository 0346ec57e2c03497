#if canImport(Darwin)
  internal import Foundation

  /// Where the platforms' own protocols differ.
  enum Platform {
    /// Taken as it is.
    static func idleTimeout(_ interval: TimeInterval) -> TimeInterval { interval }

    /// Whether a protocol finds no stored cookies in its request: the system's own puts them in, and
    /// only where the request wants that and has none of its own.
    static func leavesCookies(to request: URLRequest) -> Bool {
      request.httpShouldHandleCookies && request.value(forHTTPHeaderField: "Cookie") == nil
    }
  }
#endif
