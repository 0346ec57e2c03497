internal import Foundation
package import WindTunnel

/// The only server to which a test on the wire may send requests.
package struct NetworkGuard: Sendable {
  /// The origin of the server, such as `http://127.0.0.1:8080`.
  let origin: String
  /// The parsed URL of ``origin``.
  private let own: RequestURL
  /// Returns whether a request bypasses the deck.
  let ignores: @Sendable (RequestURL) -> Bool

  /// Creates a guard that allows requests to a server's origin and to hosts that a deck ignores.
  package init(allowing origin: String, ignoring ignores: @escaping @Sendable (RequestURL) -> Bool)
  {
    (self.origin, self.ignores) = (origin, ignores)
    own = Self.asHTTP(RequestURL(origin))
  }

  /// Returns a protocol class that refuses all other requests.
  package func makeProtocolClass() -> AnyClass { ProtocolClassPool.take(for: self) }

  func letsThrough(_ request: URLRequest) -> Bool {
    guard SharedSession.reachesTheNetwork(request) else { return true }
    guard let text = request.url?.absoluteString else { return false }
    let url = RequestURL(text)
    return isOwn(url) || ignores(url)
  }

  /// Returns whether a URL is the server's, including `localhost` and WebSockets on the same port.
  private func isOwn(_ url: RequestURL) -> Bool {
    let url = Self.asHTTP(url)
    guard let host = url.host, url.scheme == own.scheme, url.effectivePort == own.effectivePort
    else { return false }
    return host == own.host
      || (Self.names.contains(host) && own.host.map(Self.names.contains) == true)
  }

  /// The names of a server on 127.0.0.1. On `[::1]` another server may listen.
  private static let names: Set<String> = ["127.0.0.1", "localhost"]

  /// Returns a URL with an HTTP scheme: a WebSocket begins as an HTTP request (RFC 6455, section
  /// 3).
  private static func asHTTP(_ url: RequestURL) -> RequestURL {
    var url = url
    switch url.scheme {
    case "ws": url.scheme = "http"
    case "wss": url.scheme = "https"
    default: break
    }
    return url
  }

  /// Returns the error that explains why a request is not sent.
  func refusal(of request: URLRequest, through session: String = "") -> HarnessError {
    let url = request.url?.absoluteString ?? "a request without a URL"
    return HarnessError(
      "\(url)\(session) would reach the network. On the wire, use \(origin), which is "
        + "Deck.current.url."
    )
  }
}

/// The interceptor of a session with a guard. It sends nothing, and fails the refused requests.
final class GuardInterceptor<Digits>: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool {
    // Without a guard, nothing is allowed.
    guard let networkGuard = ProtocolClassPool.networkGuard(of: self) else {
      return SharedSession.reachesTheNetwork(request)
    }
    return !networkGuard.letsThrough(request)
  }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    let refusal =
      ProtocolClassPool.networkGuard(of: type(of: self))?.refusal(of: request)
      ?? HarnessError("The test of this session has ended, and its server has stopped.")
    client?.urlProtocol(self, didFailWithError: refusal)
  }

  override func stopLoading() {}
}
