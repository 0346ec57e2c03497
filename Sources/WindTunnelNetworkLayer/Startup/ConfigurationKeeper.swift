internal import Foundation

/// The last good configuration on disk: sealed for this version of app and layer, with the highest
/// version that was ever taken beside the key, where an update does not forget it.
struct ConfigurationKeeper: Sendable {
  /// The name of the highest version at the place of keys.
  private static let versionName = "configuration-version"

  private let place: any KeyPlace
  private let seal: VersionSeal
  private let keys: [Ed25519Key]
  private let file: URL
  /// The highest version that was taken before; `nil`: none was.
  private(set) var known: KnownVersion?
  /// Held while a version is compared and written: of two starts at once the older keeps nothing.
  private static let keeping = Locked(())

  init(
    _ place: any KeyPlace,
    _ seal: VersionSeal,
    signedBy keys: [Data],
    in file: URL
  ) throws(SealingError) {
    (self.place, self.seal, self.file) = (place, seal, file)
    var read: [Ed25519Key] = []
    for key in keys { read.append(try Ed25519Key(key)) }
    self.keys = read
    known = try Self.known(at: place)
  }

  private static func known(at place: any KeyPlace) throws(SealingError) -> KnownVersion? {
    guard let data = try place.read(versionName) else { return nil }
    guard let known = KnownVersion(data) else {
      throw .place("What is kept as \"\(versionName)\" is no version; remove it.")
    }
    return known
  }

  /// Reads a text that came.
  func read(_ text: Data, at now: Date) throws(FetchRefusal) -> SignedConfiguration {
    try SignedConfiguration(text, signedBy: keys, at: now, known: known)
  }

  /// Returns the last good one, whose version is known from now on; `nil` where there is none.
  ///
  /// - Throws: The reason for which the one that there is cannot be used.
  mutating func lastGood(at now: Date) throws(KeptFault) -> SignedConfiguration? {
    let sealed: Data
    do {
      guard FileManager.default.fileExists(atPath: file.path) else { return nil }
      let handle = try FileHandle(forReadingFrom: file)
      // Nothing was written that could be lost.
      defer { try? handle.close() }
      sealed = try handle.read(upToCount: Bootstrap.fetchedBytesMax * 2) ?? Data()
    } catch {
      throw KeptFault("\(file.path) cannot be read: \(error.localizedDescription)")
    }
    // Another version's seal and a changed file cannot be told apart.
    guard let text = try? seal.open(sealed) else {
      throw KeptFault("\(file.path) is of another version of the app or the layer, or was changed.")
    }
    do throws(FetchRefusal) {
      let signed = try read(text, at: now)
      // The version may not have been written when the file was.
      known = KnownVersion(signed)
      return signed
    } catch {
      throw KeptFault(error.description)
    }
  }

  /// Keeps one for the next start, and its version for ever.
  ///
  /// - Throws: ``FetchRefusal/replayed(version:known:)`` where another start has kept a newer one
  ///   meanwhile, or a ``KeptFault`` where it cannot be kept.
  func keep(_ signed: SignedConfiguration) throws {
    let end = Self.keeping.withLock { _ in
      Result {
        let version = KnownVersion(signed)
        let now = try Self.known(at: place)
        if let now, now.version > version.version {
          throw FetchRefusal.replayed(version: version.version, known: now.version)
        }
        // In this order: a version without its file would refuse the one that is there.
        try seal.seal(signed.text).write(to: file, options: .atomic)
        if version != now { try place.write(version.data, as: Self.versionName) }
      }
    }
    do { try end.get() } catch let error as FetchRefusal {
      throw error
    } catch {
      throw KeptFault("The configuration cannot be kept: \(error)")
    }
  }

  /// Tells whether the file or the version is another than this one.
  func lacks(_ signed: SignedConfiguration, besides kept: SignedConfiguration?) -> Bool {
    // What cannot be read is written anew, which tells the reason.
    let written = try? Self.known(at: place)
    return kept?.digest != signed.digest || written != KnownVersion(signed)
  }
}

/// The reason for which something kept cannot be used, or kept.
struct KeptFault: Error {
  let text: String
  init(_ text: String) { self.text = text }
}
