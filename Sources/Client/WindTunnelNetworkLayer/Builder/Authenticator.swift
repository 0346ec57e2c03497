#if canImport(FoundationNetworking)
  internal import Dispatch
#else
  public import Foundation
#endif

/// A source of credentials for requests, which renews them if a server no longer accepts them.
public protocol Authenticator: Sendable {
  /// Adds the credential to a request before it is sent.
  func authorize(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest
  /// Returns whether a response rejects the credential; by default, whether its status is 401 (RFC
  /// 9110 §15.5.2).
  func isRefused(by answer: ServerResponse) -> Bool
  /// Renews the credential after a server refused this request, and returns whether to try again.
  ///
  /// The request is passed as it was sent. Calls that were refused the same `Authorization` at the
  /// same time share one renewal.
  func renew(after request: URLRequest) async -> Bool
}

extension Authenticator {
  /// Returns whether the response's status is 401.
  public func isRefused(by answer: ServerResponse) -> Bool { answer.status == 401 }
}

/// An authenticator that adds a bearer token (RFC 6750 §2.1) and fetches a new one if it is
/// refused.
///
/// If tokens are kept in a store, a new token is persisted before it is used. Only requests whose
/// token was refused wait for the disk.
public final class BearerTokens: Authenticator {
  private struct State {
    var token: String?
    /// The number of sign-outs so far. A token fetched before a sign-out is not used after it.
    var signOuts = 0
    /// The number of sign-outs when the stored token was fetched.
    var signOutsOfStored = 0
    var storeError: SealingError?
  }

  private let state: Locked<State>
  private let store: (@Sendable (String?) throws(SealingError) -> Void)?
  /// Serializes the store's changes, apart from the lock that each request takes.
  private let changes = DispatchQueue(label: "NetworkLayer.tokens")
  private let expiry: Expiry?
  private let fetch: @Sendable () async throws -> String

  /// Creates an authenticator with or without a first token.
  ///
  /// - Parameters:
  ///   - token: The first token; `nil` to send requests without one until one is refused.
  ///   - expiry: The codes in an envelope that mean an expired token, for any response status;
  ///     `nil` if only status 401 means that.
  ///   - fetch: Fetches a new token. It must not use the client that this authenticator belongs to.
  public convenience init(
    _ token: String? = nil,
    expiry: Expiry? = nil,
    fetch: @escaping @Sendable () async throws -> String
  ) {
    self.init(token, keeping: nil, expiry: expiry, fetch: fetch)
  }

  /// Creates an authenticator that passes new tokens to a store, and `nil` after a sign-out.
  package init(
    _ token: String?,
    keeping store: (@Sendable (String?) throws(SealingError) -> Void)?,
    expiry: Expiry?,
    fetch: @escaping @Sendable () async throws -> String
  ) {
    state = Locked(State(token: token))
    (self.store, self.expiry, self.fetch) = (store, expiry, fetch)
  }

  /// The error of the last change to the store; `nil` if it succeeded.
  ///
  /// A token that could not be stored is used, but lost when the process ends.
  public var storeError: SealingError? { state.withLock { $0.storeError } }

  /// The codes in a server's envelope that mean an expired token.
  public struct Expiry: Sendable, Hashable {
    /// The codes that mean an expired token, such as `40101`.
    public var codes: Set<String>
    /// The envelope that contains the code.
    public var envelope: Envelope

    /// Creates the expiry codes of an envelope.
    public init(codes: Set<String>, in envelope: Envelope = Envelope()) {
      (self.codes, self.envelope) = (codes, envelope)
    }
  }

  /// Returns whether a response refuses the token, by its status or by a code in its envelope.
  public func isRefused(by answer: ServerResponse) -> Bool {
    if answer.status == 401 { return true }
    guard let expiry, let code = expiry.envelope.words(in: answer.body)?.code else { return false }
    return expiry.codes.contains(code)
  }

  /// Removes the token immediately, then from the store, and waits until the store is done.
  ///
  /// Refused calls in flight fail, unless a new token can be fetched. A token requested before the
  /// sign-out is discarded.
  public func signOut() {
    let number = state.withLock { state in
      state.signOuts += 1
      state.token = nil
      return state.signOuts
    }
    changes.sync {
      // A token fetched after this sign-out must stay in the store.
      if state.withLock({ $0.signOutsOfStored }) < number { keep(nil) }
    }
  }

  /// Adds the token to a request.
  public func authorize(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    var request = request
    if let field { request.setValue(field, forHTTPHeaderField: "Authorization") }
    return request
  }

  /// Fetches a new token, unless the current one already differs from the refused one.
  public func renew(after request: URLRequest) async -> Bool {
    let refused = request.value(forHTTPHeaderField: "Authorization")
    if let field, field != refused { return true }
    let signOuts = state.withLock { $0.signOuts }
    // The fetch logs its own error; the call returns the 401.
    guard let new = try? await fetch(), !Task.isCancelled else { return false }
    return await withCheckedContinuation { done in
      changes.async { done.resume(returning: self.use(new, after: signOuts)) }
    }
  }

  /// Stores a token and uses it afterwards; `false` if there was a sign-out since the fetch began.
  private func use(_ token: String, after signOuts: Int) -> Bool {
    guard state.withLock({ $0.signOuts == signOuts }) else { return false }
    keep(token)
    return state.withLock { state in
      state.signOutsOfStored = signOuts
      // A sign-out at this point waits on the queue to empty the store.
      guard state.signOuts == signOuts else { return false }
      state.token = token
      return true
    }
  }

  /// Changes the store. Call it on the queue only.
  private func keep(_ token: String?) {
    guard let store else { return }
    var failure: SealingError?
    do throws(SealingError) { try store(token) } catch { failure = error }
    state.withLock { [failure] in $0.storeError = failure }
  }

  private var field: String? { state.withLock { $0.token }.map { "Bearer \($0)" } }
}
