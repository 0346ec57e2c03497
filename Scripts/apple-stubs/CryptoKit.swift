// The one digest that the project takes from CryptoKit.
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
