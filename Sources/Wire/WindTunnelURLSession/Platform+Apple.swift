#if canImport(Darwin)
  internal import Foundation
  internal import WindTunnel

  /// The differences between the platforms' own protocols.
  enum Platform {
    /// Returns the effective idle timeout: any value is supported.
    static func idleTimeout(_ interval: TimeInterval) -> TimeInterval { interval }

    /// Returns whether a request lacks the stored cookies when it reaches a protocol.
    ///
    /// The system's own protocol adds them, if the request allows that and has none of its own.
    static func leavesCookies(to request: URLRequest) -> Bool {
      request.httpShouldHandleCookies && request.value(forHTTPHeaderField: "Cookie") == nil
    }
  }

  /// The creation of the platform's responses.
  enum Responses {
    static func response(_ head: ResponseHead, at url: URL) -> HTTPURLResponse? {
      HTTPURLResponse(head, at: url)
    }

    /// Runs the terminal call of a response.
    static func finishing(_ response: HTTPURLResponse, _ body: () -> Void) { body() }
  }
#endif
