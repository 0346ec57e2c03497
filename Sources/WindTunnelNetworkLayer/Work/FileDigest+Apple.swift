#if canImport(Darwin)
  internal import CryptoKit
  internal import Foundation

  /// Digests of files, which are read piece by piece.
  enum FileDigest {
    private static let pieceBytes = 1 << 18

    /// Returns the SHA-256 of a file in base64.
    static func sha256(of file: URL) throws -> String {
      let handle = try FileHandle(forReadingFrom: file)
      // Nothing was written that could be lost.
      defer { try? handle.close() }
      var digest = SHA256()
      while let piece = try handle.read(upToCount: pieceBytes), !piece.isEmpty {
        digest.update(data: piece)
      }
      return Data(digest.finalize()).base64EncodedString()
    }
  }
#endif
