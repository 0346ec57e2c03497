#if canImport(Darwin)
  internal import Foundation
  internal import WindTunnel

  /// The differences between the platforms' own protocols.
  enum Platform {
    /// Taken as it is.
    static func idleTimeout(_ interval: TimeInterval) -> TimeInterval { interval }

    /// Tells whether a protocol finds no stored cookies in its request: the system's own protocol
    /// puts them in, and only where the request wants that and has none of its own.
    static func leavesCookies(to request: URLRequest) -> Bool {
      request.httpShouldHandleCookies && request.value(forHTTPHeaderField: "Cookie") == nil
    }
  }

  /// The construction of the platform's responses.
  enum Responses {
    static func response(_ head: ResponseHead, at url: URL) -> HTTPURLResponse? {
      HTTPURLResponse(head, at: url)
    }

    /// Runs the terminal call of a response.
    static func finishing(_ response: HTTPURLResponse, _ body: () -> Void) { body() }
  }
#endif
