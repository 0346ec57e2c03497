// The digest, the cipher and the signatures that the project takes from CryptoKit.
import Foundation

public struct SHA256Digest: Sequence, Sendable {
  public func makeIterator() -> Array<UInt8>.Iterator { [UInt8]().makeIterator() }
}

public struct SHA256: Sendable {
  public init() {}
  public mutating func update<Bytes: DataProtocol>(data: Bytes) {}
  public func finalize() -> SHA256Digest { SHA256Digest() }
  public static func hash<Bytes: DataProtocol>(data: Bytes) -> SHA256Digest { SHA256Digest() }
}

public struct SymmetricKey: Sendable {
  public init<Bytes: ContiguousBytes>(data: Bytes) {}
}

public enum AES {
  public enum GCM {
    public struct Nonce: Sendable {
      public init<Bytes: DataProtocol>(data: Bytes) throws {}
    }

    public struct SealedBox: Sendable {
      public var ciphertext: Data { Data() }
      public var tag: Data { Data() }
      public init<Text: DataProtocol, Tag: DataProtocol>(
        nonce: Nonce,
        ciphertext: Text,
        tag: Tag
      ) throws {}
    }

    public static func seal<Text: DataProtocol, Context: DataProtocol>(
      _ message: Text,
      using key: SymmetricKey,
      nonce: Nonce? = nil,
      authenticating context: Context
    ) throws -> SealedBox {
      try SealedBox(nonce: Nonce(data: Data()), ciphertext: Data(), tag: Data())
    }

    public static func open<Context: DataProtocol>(
      _ box: SealedBox,
      using key: SymmetricKey,
      authenticating context: Context
    ) throws -> Data { Data() }
  }
}

public enum Curve25519 {
  public enum Signing {
    public struct PublicKey: Sendable {
      public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws {}
      public var rawRepresentation: Data { Data() }
      public func isValidSignature<Signature: DataProtocol, Message: DataProtocol>(
        _ signature: Signature,
        for message: Message
      ) -> Bool { false }
    }

    public struct PrivateKey: Sendable {
      public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws {}
      public var publicKey: PublicKey {
        get { fatalError("A stub has no keys.") }
      }
      public func signature<Message: DataProtocol>(for message: Message) throws -> Data { Data() }
    }
  }
}
