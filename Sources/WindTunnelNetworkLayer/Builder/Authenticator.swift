#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Puts a credential on requests, and gets a new one where a server no longer takes it.
public protocol Authenticator: Sendable {
  /// Puts the credential on a request that is about to be sent.
  func authorize(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest
  /// A server answered 401 (RFC 9110 §15.5.2) to this request as it was sent; true where another
  /// try may go better.
  ///
  /// Called once for all calls that were refused the same `Authorization` at the same time.
  func renew(after request: URLRequest) async -> Bool
}

/// Puts a bearer token (RFC 6750 §2.1) on requests, and fetches a new one where a server refuses
/// it.
public final class BearerTokens: Authenticator {
  private let token: Locked<String?>
  private let fetch: @Sendable () async throws -> String

  /// Begins with a token, or without one.
  ///
  /// - Parameters:
  ///   - token: The token to begin with; `nil`: requests go without, until one is refused.
  ///   - fetch: Brings a new token; must not call by the client that this belongs to.
  public init(_ token: String? = nil, fetch: @escaping @Sendable () async throws -> String) {
    self.token = Locked(token)
    self.fetch = fetch
  }

  /// Forgets the token; calls in flight fail if they are refused, unless a new one can be had.
  public func signOut() { token.withLock { $0 = nil } }

  /// Puts the token on a request.
  public func authorize(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    var request = request
    if let field { request.setValue(field, forHTTPHeaderField: "Authorization") }
    return request
  }

  /// Fetches a token, unless there is another one by now than was refused.
  public func renew(after request: URLRequest) async -> Bool {
    let refused = request.value(forHTTPHeaderField: "Authorization")
    if let field, field != refused { return true }
    // Why there is none is the fetch's to log; the call gets the 401.
    guard let new = try? await fetch(), !Task.isCancelled else { return false }
    token.withLock { $0 = new }
    return true
  }

  private var field: String? { token.withLock { $0 }.map { "Bearer \($0)" } }
}
