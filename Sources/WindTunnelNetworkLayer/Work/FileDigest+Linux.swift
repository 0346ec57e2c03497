#if !canImport(Darwin)
  internal import CWindTunnelSystem
  internal import Foundation

  /// Digests of files, which are read piece by piece.
  enum FileDigest {
    private static let pieceBytes = 1 << 18

    /// Returns the SHA-256 of a file in base64.
    static func sha256(of file: URL) throws -> String {
      let handle = try FileHandle(forReadingFrom: file)
      // Nothing was written that could be lost.
      defer { try? handle.close() }
      var digest = wt_sha256()
      wt_sha256_begin(&digest)
      while let piece = try handle.read(upToCount: pieceBytes), !piece.isEmpty {
        piece.withUnsafeBytes { bytes in
          wt_sha256_update(&digest, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
      }
      var sum = [UInt8](repeating: 0, count: 32)
      wt_sha256_end(&digest, &sum)
      return Data(sum).base64EncodedString()
    }
  }
#endif
