public import Foundation

#if canImport(Darwin)
  internal import CryptoKit
#endif

/// A signer as whoever publishes configurations has one; the layer itself only verifies.
public struct Ed25519Signer: Sendable {
  struct NoSigner: Error {}

  private let seed: [UInt8]
  /// The public key, of 32 bytes.
  public let publicKey: Data

  #if canImport(Darwin)
    /// Makes a signer of a private key of 32 bytes.
    public init(seed: Data) throws {
      self.seed = Array(seed)
      publicKey = try Curve25519.Signing.PrivateKey(rawRepresentation: seed).publicKey
        .rawRepresentation
    }

    /// Returns the signature of 64 bytes (RFC 8032).
    public func sign(_ message: Data) throws -> Data {
      try Curve25519.Signing.PrivateKey(rawRepresentation: Data(seed)).signature(for: message)
    }
  #else
    private typealias P = OpaquePointer?
    private typealias Bytes = UnsafePointer<UInt8>
    private typealias Output = UnsafeMutablePointer<UInt8>
    private typealias Count = UnsafeMutablePointer<Int>

    /// Makes a signer of a private key of 32 bytes.
    public init(seed: Data) throws {
      self.seed = Array(seed)
      let read: @convention(c) (P, Output?, Count) -> Int32 = try Self.function(
        "EVP_PKEY_get_raw_public_key"
      )
      var (bytes, count) = ([UInt8](repeating: 0, count: 32), 32)
      let key = try Self.key(self.seed)
      guard read(key, &bytes, &count) == 1 else { throw NoSigner() }
      publicKey = Data(bytes)
    }

    /// Returns the signature of 64 bytes (RFC 8032).
    public func sign(_ message: Data) throws -> Data {
      let make: @convention(c) () -> P = try Self.function("EVP_MD_CTX_new")
      let free: @convention(c) (P) -> Void = try Self.function("EVP_MD_CTX_free")
      let begin: @convention(c) (P, OpaquePointer?, P, P, P) -> Int32 = try Self.function(
        "EVP_DigestSignInit"
      )
      let sign: @convention(c) (P, Output?, Count, Bytes?, Int) -> Int32 = try Self.function(
        "EVP_DigestSign"
      )
      let context = make()
      defer { free(context) }
      var (signature, count) = ([UInt8](repeating: 0, count: 64), 64)
      guard begin(context, nil, nil, nil, try Self.key(seed)) == 1,
        sign(context, &signature, &count, [UInt8](message), message.count) == 1
      else { throw NoSigner() }
      return Data(signature)
    }

    /// A key that the process keeps: there are few.
    private static func key(_ seed: [UInt8]) throws -> P {
      let make: @convention(c) (Int32, P, Bytes?, Int) -> P = try function(
        "EVP_PKEY_new_raw_private_key"
      )
      return make(1087, nil, seed, seed.count)
    }

    private static func function<Function>(_ name: String) throws -> Function {
      guard let library = dlopen("libcrypto.so.3", RTLD_NOW), let symbol = dlsym(library, name)
      else { throw NoSigner() }
      return unsafeBitCast(symbol, to: Function.self)
    }
  #endif
}
