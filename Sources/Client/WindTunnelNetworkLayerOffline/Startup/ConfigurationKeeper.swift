internal import Foundation
internal import WindTunnelNetworkLayer

/// The last good configuration on disk, encrypted for this version of app and layer.
///
/// The highest accepted versions are in the key store, so that an update does not lose them.
struct ConfigurationKeeper: Sendable {
  private let seal: VersionSeal
  private let keys: [Ed25519Key]
  private let file: URL
  private(set) var known: KnownVersions

  init(
    _ place: any KeyPlace,
    _ seal: VersionSeal,
    signedBy keys: [Data],
    in file: URL
  ) throws(SealingError) {
    (self.seal, self.file) = (seal, file)
    self.keys = try keys.map { key throws(SealingError) in try Ed25519Key(key) }
    known = try KnownVersions(at: place, of: keys)
  }

  /// Stores the current time, before which no later start may be.
  ///
  /// - Throws: The reason if it cannot be written.
  mutating func see(_ now: Date) throws(StorageFailure) {
    do throws(SealingError) { try known.see(now) } catch {
      throw StorageFailure("The time of the start cannot be stored: \(error)")
    }
  }

  /// Parses and verifies a received text.
  func read(_ text: Data, at now: Date) throws(FetchRefusal) -> SignedConfiguration {
    let signed = try SignedConfiguration(text, signedBy: keys)
    try known.check(signed, at: now)
    return signed
  }

  /// Returns the last good configuration, whose version is known afterwards; `nil` if there is
  /// none.
  ///
  /// - Throws: The reason if the stored one cannot be used.
  mutating func lastGood(at now: Date) throws(StorageFailure) -> SignedConfiguration? {
    let sealed: Data
    do {
      guard FileManager.default.fileExists(atPath: file.path) else { return nil }
      sealed = try file.beginning(Bootstrap.fetchedBytesMax * 2)
    } catch {
      throw StorageFailure("\(file.path) cannot be read: \(error.localizedDescription)")
    }
    // Encryption by another version and a changed file cannot be distinguished.
    guard let text = try? seal.open(sealed) else {
      throw StorageFailure(
        "\(file.path) is of another version of the app or the layer, or was changed."
      )
    }
    do throws(FetchRefusal) {
      let signed = try read(text, at: now)
      known.learn(signed, at: now)
      return signed
    } catch {
      throw StorageFailure(error.description)
    }
  }

  /// Stores a configuration for the next start, and its version permanently.
  ///
  /// - Throws: `FetchRefusal` if another start has stored a newer one meanwhile, or a different one
  ///   with this version. ``StorageFailure`` if it cannot be stored.
  func keep(_ signed: SignedConfiguration, at now: Date) throws {
    do {
      // The file is written first: a version without its file would refuse the existing one.
      try known.keep(signed, at: now) {
        try seal.seal(signed.text).write(to: file, options: .atomic)
      }
    } catch let error as FetchRefusal {
      throw error
    } catch {
      throw StorageFailure("The configuration cannot be stored: \(error)")
    }
  }
}

/// The reason why a stored configuration cannot be used, or one cannot be stored.
struct StorageFailure: Error {
  let text: String
  init(_ text: String) { self.text = text }
}
