internal import Foundation
internal import WindTunnelNetworkLayer

/// The last good configuration on disk: sealed for this version of app and layer, with the highest
/// versions that were ever taken beside the key, where an update does not forget them.
struct ConfigurationKeeper: Sendable {
  private let seal: VersionSeal
  private let keys: [Ed25519Key]
  private let file: URL
  private var known: KnownVersions

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

  /// Remembers the time of day, which no later start may go behind.
  ///
  /// - Throws: The reason for which that cannot be written.
  mutating func see(_ now: Date) throws(KeptFault) {
    do throws(SealingError) { try known.see(now) } catch {
      throw KeptFault("The time of the start cannot be kept: \(error)")
    }
  }

  /// Reads a text that came.
  func read(_ text: Data, at now: Date) throws(FetchRefusal) -> SignedConfiguration {
    let signed = try SignedConfiguration(text, signedBy: keys)
    try known.check(signed, at: now)
    return signed
  }

  /// Returns the last good one, whose version is known from now on; `nil` where there is none.
  ///
  /// - Throws: The reason for which the one that there is cannot be used.
  mutating func lastGood(at now: Date) throws(KeptFault) -> SignedConfiguration? {
    let sealed: Data
    do {
      guard FileManager.default.fileExists(atPath: file.path) else { return nil }
      sealed = try file.beginning(Bootstrap.fetchedBytesMax * 2)
    } catch {
      throw KeptFault("\(file.path) cannot be read: \(error.localizedDescription)")
    }
    // Another version's seal and a changed file cannot be told apart.
    guard let text = try? seal.open(sealed) else {
      throw KeptFault("\(file.path) is of another version of the app or the layer, or was changed.")
    }
    do throws(FetchRefusal) {
      let signed = try read(text, at: now)
      known.learn(signed, at: now)
      return signed
    } catch {
      throw KeptFault(error.description)
    }
  }

  /// Keeps one for the next start, and its version for ever.
  ///
  /// - Throws: `FetchRefusal` where another start has kept a newer one meanwhile, or another one
  ///   of this version, or a ``KeptFault`` where it cannot be kept.
  func keep(_ signed: SignedConfiguration, at now: Date) throws {
    do {
      // In this order: a version without its file would refuse the one that is there.
      try known.keep(signed, at: now) {
        try seal.seal(signed.text).write(to: file, options: .atomic)
      }
    } catch let error as FetchRefusal {
      throw error
    } catch {
      throw KeptFault("The configuration cannot be kept: \(error)")
    }
  }

  /// Tells whether the file or the version is another than this one.
  func lacks(_ signed: SignedConfiguration, besides kept: SignedConfiguration?) -> Bool {
    kept?.digest != signed.digest || known.lacks(signed)
  }
}

/// The reason for which something kept cannot be used, or kept.
struct KeptFault: Error {
  let text: String
  init(_ text: String) { self.text = text }
}
