internal import Foundation
public import WindTunnelNetworkLayer

/// A store that keeps an app's token in a key store, so that it survives a relaunch.
public struct TokenStore: Sendable {
  private let place: any KeyPlace
  private let name: String

  /// Creates a store in a key store, with a name for the token.
  public init(_ place: any KeyPlace, name: String = "token") {
    (self.place, self.name) = (place, name)
  }

  /// Reads the token; `nil` if there is none.
  ///
  /// - Throws: `SealingError.place(_:)` if the key store cannot be read or must not be trusted.
  public func token() throws(SealingError) -> String? {
    guard let data = try place.read(name) else { return nil }
    guard let token = String(data: data, encoding: .utf8), !token.isEmpty else {
      throw .place("The stored value \"\(name)\" is not a token; remove it.")
    }
    return token
  }

  /// Stores a token in place of the previous one; `nil` removes it.
  public func keep(_ token: String?) throws(SealingError) {
    guard let token, !token.isEmpty else { return try place.remove(name) }
    try place.write(Data(token.utf8), as: name)
  }
}

extension BearerTokens {
  /// Creates an authenticator with a stored token, which also stores each new one.
  ///
  /// - Parameters:
  ///   - store: The store. If it contains no token, requests are sent without one until one is
  ///     refused.
  ///   - expiry: The codes in an envelope that mean an expired token.
  ///   - fetch: Fetches a new token. It must not use the client that this authenticator belongs to.
  /// - Throws: `SealingError` if the store cannot be read or must not be trusted.
  public convenience init(
    in store: TokenStore,
    expiry: Expiry? = nil,
    fetch: @escaping @Sendable () async throws -> String
  ) throws(SealingError) {
    self.init(try store.token(), keeping: store.keep, expiry: expiry, fetch: fetch)
  }
}
