internal import Foundation
package import WindTunnel

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The one server that the requests of a test on the wire may go to.
package struct NetworkGuard: Sendable {
  /// The address that it listens at: `http://127.0.0.1:8080`.
  let origin: String
  /// The same, taken apart.
  private let own: RequestURL
  /// Tells whether a request is none of the deck's affair.
  let ignores: @Sendable (RequestURL) -> Bool

  /// Lets requests go to a server's origin; hosts that a deck ignores are asked, too.
  package init(allowing origin: String, ignoring ignores: @escaping @Sendable (RequestURL) -> Bool)
  {
    (self.origin, self.ignores) = (origin, ignores)
    own = Self.asHTTP(RequestURL(origin))
  }

  /// Returns a protocol class that refuses what does not go there.
  package func makeProtocolClass() -> AnyClass { ProtocolClassPool.take(for: self) }

  func letsThrough(_ request: URLRequest) -> Bool {
    guard SharedSession.reachesTheNetwork(request) else { return true }
    guard let text = request.url?.absoluteString else { return false }
    let url = RequestURL(text)
    return isOwn(url) || ignores(url)
  }

  /// However it is spelled: `localhost`, or a WebSocket that begins at the same port.
  private func isOwn(_ url: RequestURL) -> Bool {
    let url = Self.asHTTP(url)
    guard let host = url.host, url.scheme == own.scheme, url.effectivePort == own.effectivePort
    else { return false }
    return host == own.host
      || (Self.names.contains(host) && own.host.map(Self.names.contains) == true)
  }

  /// The names of a server that listens at 127.0.0.1; at `[::1]` another may listen.
  private static let names: Set<String> = ["127.0.0.1", "localhost"]

  /// A WebSocket begins as a request (RFC 6455, section 3).
  private static func asHTTP(_ url: RequestURL) -> RequestURL {
    var url = url
    switch url.scheme {
    case "ws": url.scheme = "http"
    case "wss": url.scheme = "https"
    default: break
    }
    return url
  }

  /// Returns the reason why a request is not sent, as an error.
  func refusal(of request: URLRequest, through session: String = "") -> HarnessError {
    let url = request.url?.absoluteString ?? "a request without a URL"
    return HarnessError(
      "\(url)\(session) would leave the tunnel. On the wire, ask \(origin), which is "
        + "Deck.current.url."
    )
  }
}

/// The interceptor of a session that has a guard: it carries nothing, and refuses what the platform
/// must not carry.
final class GuardInterceptor<Digits>: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool {
    // Given back: then nothing is let through.
    guard let networkGuard = ProtocolClassPool.networkGuard(of: self) else {
      return SharedSession.reachesTheNetwork(request)
    }
    return !networkGuard.letsThrough(request)
  }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    let refusal =
      ProtocolClassPool.networkGuard(of: type(of: self))?.refusal(of: request)
      ?? HarnessError("The test of this session is over, and its server with it.")
    client?.urlProtocol(self, didFailWithError: refusal)
  }

  override func stopLoading() {}
}
