#if canImport(Darwin)
  internal import Foundation

  /// Where the platforms' own protocols differ.
  enum Platform {
    /// Taken as it is.
    static func idleTimeout(_ interval: TimeInterval) -> TimeInterval { interval }

    /// Tells whether a protocol finds no stored cookies in its request: the system's own protocol
    /// puts them in, and only where the request wants that and has none of its own.
    static func leavesCookies(to request: URLRequest) -> Bool {
      request.httpShouldHandleCookies && request.value(forHTTPHeaderField: "Cookie") == nil
    }
  }
#endif
