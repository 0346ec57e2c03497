internal import Foundation
public import WindTunnelNetworkLayer

/// A store of an app's token at a place of keys, so that it survives a relaunch.
public struct TokenStore: Sendable {
  private let place: any KeyPlace
  private let name: String

  /// Makes a store at a place, under a name.
  public init(_ place: any KeyPlace, name: String = "token") {
    (self.place, self.name) = (place, name)
  }

  /// Reads the token; `nil` where none is kept.
  ///
  /// - Throws: `SealingError.place(_:)` where the place cannot be read or must not be trusted.
  public func token() throws(SealingError) -> String? {
    guard let data = try place.read(name) else { return nil }
    guard let token = String(data: data, encoding: .utf8), !token.isEmpty else {
      throw .place("What is kept as \"\(name)\" is no token; remove it.")
    }
    return token
  }

  /// Keeps a token in place of the last; `nil` removes it.
  public func keep(_ token: String?) throws(SealingError) {
    guard let token, !token.isEmpty else { return try place.remove(name) }
    try place.write(Data(token.utf8), as: name)
  }
}

extension BearerTokens {
  /// Makes an authenticator with the token that a store holds, where each new one is kept.
  ///
  /// - Parameters:
  ///   - store: The store; where it holds no token requests are sent without one until one is
  ///     refused.
  ///   - expiry: The codes by which an envelope says that the token is not good any more.
  ///   - fetch: Fetches a new token. It must not use the client that the authenticator belongs to.
  /// - Throws: `SealingError` where the store cannot be read or must not be trusted.
  public convenience init(
    in store: TokenStore,
    expiry: Expiry? = nil,
    fetch: @escaping @Sendable () async throws -> String
  ) throws(SealingError) {
    self.init(try store.token(), keeping: store.keep, expiry: expiry, fetch: fetch)
  }
}
