#if canImport(FoundationNetworking)
  internal import Dispatch
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A source of credentials for requests, with a new one where a server no longer accepts the old.
public protocol Authenticator: Sendable {
  /// Adds the credential to a request that is about to be sent.
  func authorize(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest
  /// Tells whether an answer says that the credential is not good any more; by default one of
  /// status 401 (RFC 9110 §15.5.2).
  func isRefused(by answer: ServerResponse) -> Bool
  /// Renews the credential after a server refused this request, as it was sent; returns true where
  /// another attempt may succeed.
  ///
  /// Called once for all calls that were refused the same `Authorization` at the same time.
  func renew(after request: URLRequest) async -> Bool
}

extension Authenticator {
  /// Tells whether the answer's status is 401.
  public func isRefused(by answer: ServerResponse) -> Bool { answer.status == 401 }
}

/// An authenticator that adds a bearer token (RFC 6750 §2.1) to requests, and fetches a new one
/// where a server refuses it.
///
/// A new token that a store keeps is there for good before it is used. No request waits for the
/// disk meanwhile, but those that were refused the last one.
public final class BearerTokens: Authenticator {
  private struct State {
    var token: String?
    /// The number of times that somebody has signed out: what was fetched before is not for after.
    var signOuts = 0
    /// That number when the token in the store was fetched.
    var signOutsOfStored = 0
    var storeError: SealingError?
  }

  private let state: Locked<State>
  private let store: (@Sendable (String?) throws(SealingError) -> Void)?
  /// The store's changes, one after the other, beside the lock that each request takes.
  private let changes = DispatchQueue(label: "NetworkLayer.tokens")
  private let expiry: Expiry?
  private let fetch: @Sendable () async throws -> String

  /// Makes an authenticator with a token, or without one.
  ///
  /// - Parameters:
  ///   - token: The first token; `nil`: requests are sent without one until one is refused.
  ///   - expiry: The codes by which an envelope says that the token is not good any more, whatever
  ///     the answer's status; `nil`: status 401 alone says it.
  ///   - fetch: Fetches a new token. It must not use the client that the authenticator belongs to.
  public convenience init(
    _ token: String? = nil,
    expiry: Expiry? = nil,
    fetch: @escaping @Sendable () async throws -> String
  ) {
    self.init(token, keeping: nil, expiry: expiry, fetch: fetch)
  }

  /// Creates an authenticator whose new tokens are stored by a closure, `nil` after a sign-out.
  package init(
    _ token: String?,
    keeping store: (@Sendable (String?) throws(SealingError) -> Void)?,
    expiry: Expiry?,
    fetch: @escaping @Sendable () async throws -> String
  ) {
    state = Locked(State(token: token))
    (self.store, self.expiry, self.fetch) = (store, expiry, fetch)
  }

  /// The error of the last change that the store did not take; `nil` where it took it. A token that
  /// was not kept is used and gone with the process.
  public var storeError: SealingError? { state.withLock { $0.storeError } }

  /// The codes by which a server says within an envelope that a token is not good any more.
  public struct Expiry: Sendable, Hashable {
    /// The codes, such as `40101`.
    public var codes: Set<String>
    /// The envelope that they stand in.
    public var envelope: Envelope

    /// Makes codes of an envelope.
    public init(codes: Set<String>, in envelope: Envelope = Envelope()) {
      (self.codes, self.envelope) = (codes, envelope)
    }
  }

  /// Tells whether an answer refuses the token, by its status or by a code in its envelope.
  public func isRefused(by answer: ServerResponse) -> Bool {
    if answer.status == 401 { return true }
    guard let expiry, let code = expiry.envelope.words(in: answer.body)?.code else { return false }
    return expiry.codes.contains(code)
  }

  /// Removes the token at once, and then from the store, for which it waits. Calls in flight that
  /// are refused fail, unless a new token can be fetched; one that was asked for before is thrown
  /// away.
  public func signOut() {
    let number = state.withLock { state in
      state.signOuts += 1
      state.token = nil
      return state.signOuts
    }
    changes.sync {
      // A token that was fetched since is not the one that is to go.
      if state.withLock({ $0.signOutsOfStored }) < number { keep(nil) }
    }
  }

  /// Adds the token to a request.
  public func authorize(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    var request = request
    if let field { request.setValue(field, forHTTPHeaderField: "Authorization") }
    return request
  }

  /// Fetches a token, unless another one than the refused has arrived meanwhile.
  public func renew(after request: URLRequest) async -> Bool {
    let refused = request.value(forHTTPHeaderField: "Authorization")
    if let field, field != refused { return true }
    let signOuts = state.withLock { $0.signOuts }
    // Why there is none is the fetch's to log; the call gets the 401.
    guard let new = try? await fetch(), !Task.isCancelled else { return false }
    return await withCheckedContinuation { done in
      changes.async { done.resume(returning: self.use(new, after: signOuts)) }
    }
  }

  /// Keeps a token and uses it from then on; false where somebody has signed out since.
  private func use(_ token: String, after signOuts: Int) -> Bool {
    guard state.withLock({ $0.signOuts == signOuts }) else { return false }
    keep(token)
    return state.withLock { state in
      state.signOutsOfStored = signOuts
      // Who signs out now waits to empty the store.
      guard state.signOuts == signOuts else { return false }
      state.token = token
      return true
    }
  }

  /// Changes the store, while nobody else does.
  private func keep(_ token: String?) {
    guard let store else { return }
    var failure: SealingError?
    do throws(SealingError) { try store(token) } catch { failure = error }
    state.withLock { [failure] in $0.storeError = failure }
  }

  private var field: String? { state.withLock { $0.token }.map { "Bearer \($0)" } }
}
