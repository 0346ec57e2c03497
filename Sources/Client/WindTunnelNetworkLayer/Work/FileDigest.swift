package import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#endif

extension Data {
  /// The SHA-256 of these bytes.
  package var sha256: Data { Data(SHA256.hash(data: self)) }
}

/// Digests of files, which are read piece by piece.
enum FileDigest {
  /// Returns the SHA-256 of a file in base64.
  static func sha256(of file: URL) throws -> String {
    var digest = SHA256()
    try file.read { digest.update(data: $0) }
    return Data(digest.finalize()).base64EncodedString()
  }
}

extension URL {
  private static let pieceBytes = 1 << 18

  /// Returns the beginning of a file, up to a number of bytes.
  package func beginning(_ bytes: Int) throws -> Data {
    let handle = try FileHandle(forReadingFrom: self)
    // Nothing was written that could be lost.
    defer { try? handle.close() }
    return try handle.read(upToCount: bytes) ?? Data()
  }

  /// Passes the bytes of a file on, piece by piece.
  func read(_ take: (Data) throws -> Void) throws {
    let handle = try FileHandle(forReadingFrom: self)
    // Nothing was written that could be lost.
    defer { try? handle.close() }
    while let piece = try handle.read(upToCount: Self.pieceBytes), !piece.isEmpty {
      try take(piece)
    }
  }
}
