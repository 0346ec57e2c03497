#if canImport(FoundationNetworking)
  internal import Foundation
#else
  internal import Foundation
#endif

/// The shared use of `URLSession.shared` by tests, for code that does not accept a session.
///
/// The platforms differ in how a request is attributed to a test, and so in how many tests can use
/// the session at once. The platform files with the same name contain that.
package enum SharedSession {
  /// The destination of a test's requests.
  package enum Destination: Sendable {
    /// A deck in the same process provides the responses.
    case deck(ProtocolRegistration)
    /// The requests are sent to a server; all others are refused.
    case server(NetworkGuard)

    /// Returns the registration for a request, or the error if it is refused.
    func registration(for request: URLRequest) -> Result<ProtocolRegistration, HarnessError> {
      let url = request.url?.absoluteString ?? "a request without a URL"
      switch self {
      case .deck(let registration):
        // A request other than HTTP is on no cassette, and must not reach the network.
        guard Interceptor.canInit(with: request) else {
          return .failure(
            HarnessError("\(url) through URLSession.shared is not HTTP; no cassette plays it.")
          )
        }
        return .success(registration)
      case .server(let networkGuard):
        return .failure(networkGuard.refusal(of: request, through: " through URLSession.shared"))
      }
    }

    /// Returns whether a request bypasses the deck.
    func letsThrough(_ request: URLRequest) -> Bool {
      guard case .server(let networkGuard) = self else { return false }
      return networkGuard.letsThrough(request)
    }
  }

  /// The destination of the current test.
  @TaskLocal static var destination: Destination?

  /// Returns whether the platform itself sends requests with this scheme.
  static func reachesTheNetwork(_ request: URLRequest) -> Bool {
    ["http", "https", "ws", "wss", "ftp", "ftps", "sftp"]
      .contains(request.url?.scheme?.lowercased())
  }
}
