#if canImport(Darwin)
  internal import Foundation
  internal import WindTunnel

  /// Makes the platform's responses.
  enum Responses {
    static func response(_ head: ResponseHead, at url: URL) -> HTTPURLResponse? {
      HTTPURLResponse(
        url: url,
        statusCode: head.status,
        httpVersion: "HTTP/1.1",
        headerFields: Courier.dictionary(head.headers)
      )
    }

    /// Runs the terminal call of a response.
    static func finishing(_ response: HTTPURLResponse, _ body: () -> Void) { body() }
  }
#endif
