internal import Foundation
internal import WindTunnel

/// A sender of repeated requests from a console to its server.
final class ConsoleRepeats: Sendable {
  /// The timeout of each request, so that an endless response does not occupy a place.
  private static let seconds = 60.0

  /// The maximum number of requests in progress.
  static let underWayMax = 64

  private let base: RequestURL
  private let isProxy: Bool
  private let client: HTTPClient
  /// The number of requests in progress.
  private let underWay = ConnectionLimit()

  /// Creates a sender to a server at a URL, or through it if it is a proxy.
  init(to url: String, isProxy: Bool) throws(DialFailure) {
    (base, self.isProxy) = (RequestURL(url), isProxy)
    var limits = HTTPClient.Limits()
    limits.connectionsPerServer = Self.underWayMax
    client = try HTTPClient(limits)
  }

  /// Sends a request; returns `false` if the maximum number is in progress.
  func send(_ request: Request) -> Bool {
    guard underWay.enter(atMost: Self.underWayMax) else { return false }
    var request = request
    if !isProxy {
      (request.url.scheme, request.url.host, request.url.port) = (base.scheme, base.host, base.port)
    }
    request.url.userInfo = nil
    for name in ["Host", "Content-Length", "Connection", "Transfer-Encoding"] {
      request.headers[name] = nil
    }
    var question = HTTPClient.Question(request, silenceSeconds: Self.seconds)
    if isProxy { question.proxy = base }
    let exchange = client.send(question) { [underWay] event in
      switch event {
      case .end, .unreadable, .failed: underWay.leave()
      case .sent, .head, .content: break
      }
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.seconds) { [weak exchange] in
      exchange?.cancel()
    }
    return true
  }
}
