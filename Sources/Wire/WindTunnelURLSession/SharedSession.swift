#if canImport(FoundationNetworking)
  internal import Foundation
  internal import FoundationNetworking
#else
  internal import Foundation
#endif

/// The shared use of `URLSession.shared` by tests, for code that does not accept a session.
///
/// The platforms differ in how a request is known to be a test's, and so in how many tests can have
/// the session at once; that is in the files beside this one.
package enum SharedSession {
  /// The destination of a test's requests.
  package enum Destination: Sendable {
    /// The requests are answered in process.
    case deck(ProtocolRegistration)
    /// The requests go to a server; all others are refused.
    case server(NetworkGuard)

    /// Returns the answer to a request that is not let through.
    func registration(for request: URLRequest) -> Result<ProtocolRegistration, HarnessError> {
      let url = request.url?.absoluteString ?? "a request without a URL"
      switch self {
      case .deck(let registration):
        // What is no HTTP is on no tape, and must not find another way.
        guard Interceptor.canInit(with: request) else {
          return .failure(
            HarnessError("\(url) through URLSession.shared is no HTTP, and no cassette plays it.")
          )
        }
        return .success(registration)
      case .server(let networkGuard):
        return .failure(networkGuard.refusal(of: request, through: " through URLSession.shared"))
      }
    }

    /// Tells whether a request is none of the tunnel's affair.
    func letsThrough(_ request: URLRequest) -> Bool {
      guard case .server(let networkGuard) = self else { return false }
      return networkGuard.letsThrough(request)
    }
  }

  /// The destination of the test that runs here.
  @TaskLocal static var destination: Destination?

  /// Tells whether the platform itself sends requests of this scheme.
  static func reachesTheNetwork(_ request: URLRequest) -> Bool {
    ["http", "https", "ws", "wss", "ftp", "ftps", "sftp"]
      .contains(request.url?.scheme?.lowercased())
  }
}
