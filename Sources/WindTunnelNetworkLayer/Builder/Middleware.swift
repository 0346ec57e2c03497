#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Sees what goes out and what comes back: signs, seals, opens, rewrites.
///
/// Each attempt goes through all of them, the first first on the way out and last on the way back.
/// They start from the request as it was built, so that a second attempt is not signed twice.
public protocol Middleware: Sendable {
  /// Changes what is sent.
  func outgoing(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest
  /// Changes what came, whatever the status.
  func incoming(
    _ answer: HTTPAnswer,
    to request: URLRequest
  ) async throws(MiddlewareError) -> HTTPAnswer
  /// What records call the environment that this moves requests to; `nil`: it moves none.
  var environment: String? { get }
}

extension Middleware {
  /// Changes nothing.
  public func outgoing(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    request
  }

  /// Changes nothing.
  public func incoming(
    _ answer: HTTPAnswer,
    to request: URLRequest
  ) async throws(MiddlewareError) -> HTTPAnswer { answer }

  /// It moves none.
  public var environment: String? { nil }
}

/// Why a middleware lets a call through no further, in words for a log.
public struct MiddlewareError: Error, Sendable, Hashable {
  /// What is wrong and what to do about it.
  public var text: String

  /// Makes one of its words.
  public init(_ text: String) { self.text = text }
}

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
