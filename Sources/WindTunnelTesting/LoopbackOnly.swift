internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Refuses every request that would leave the machine.
///
/// A test on the wire asks the loopback server by `Deck.current.url`; whatever asks elsewhere has
/// forgotten to, and must not go live silently.
final class LoopbackOnly: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool {
    guard let host = request.url?.host else { return false }
    return !(host == "localhost" || host == "::1" || host == "[::1]" || host.hasPrefix("127."))
  }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    let url = request.url?.absoluteString ?? "a request without a URL"
    client?.urlProtocol(
      self,
      didFailWithError: CassetteProblem(
        "\(url) would leave the tunnel. On the wire, ask by Deck.current.url."
      )
    )
  }

  override func stopLoading() {}
}
