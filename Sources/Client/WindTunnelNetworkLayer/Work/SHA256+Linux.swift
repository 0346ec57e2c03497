#if !canImport(Darwin)
  internal import CWindTunnelSystem
  internal import Foundation

  /// SHA-256 with the interface of CryptoKit, which is missing on this platform.
  struct SHA256 {
    private var state = wt_sha256()

    init() { wt_sha256_begin(&state) }

    static func hash(data: Data) -> [UInt8] {
      var digest = SHA256()
      digest.update(data: data)
      return digest.finalize()
    }

    mutating func update(data: Data) {
      data.withUnsafeBytes { bytes in
        wt_sha256_update(&state, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
      }
    }

    mutating func finalize() -> [UInt8] {
      var sum = [UInt8](repeating: 0, count: 32)
      wt_sha256_end(&state, &sum)
      return sum
    }
  }
#endif
