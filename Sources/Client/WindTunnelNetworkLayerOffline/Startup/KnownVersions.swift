internal import Foundation
internal import WindTunnelNetworkLayer

/// The highest accepted versions of configurations in a key store, one for each signing key.
///
/// An attacker with a leaked key can sign the highest possible version, after which no version of
/// that key is newer. Therefore each key has its own versions, and the keys are ordered. A
/// configuration of a later key outranks all of earlier keys, which are retired on a device that
/// has accepted it. Similarly, clients of The Update Framework forget known versions when keys are
/// replaced, to recover from such a fast-forward attack.
///
/// The system clock can be set back, which would make an expired configuration valid again.
/// Therefore the latest known time is stored with each version, but not beyond the configuration's
/// expiry. A clock that was years ahead invalidates the known configuration, but none that expires
/// later.
struct KnownVersions: Sendable {
  /// One of the highest versions: a line with its numbers, and the digest of the signed text.
  struct Known: Sendable, Hashable {
    var version: Int
    var digest: String
    /// The expiry time, in whole seconds since 1970.
    var expires: Int
    /// The latest time seen, up to the expiry.
    var seen: Int

    init(_ signed: SignedConfiguration, seen: Int) {
      (version, digest, expires) = (signed.version, signed.digest, signed.expires)
      self.seen = min(seen, expires)
    }

    /// Parses the result of ``data``; `nil` for anything else.
    init?(_ data: Data) {
      let parts = String(decoding: data, as: UTF8.self).split(separator: " ")
      guard parts.count == 4, let version = Int(parts[0]), let expires = Int(parts[2]),
        let seen = Int(parts[3])
      else { return nil }
      (self.version, digest, self.expires, self.seen) = (version, String(parts[1]), expires, seen)
    }

    var data: Data { Data("\(version) \(digest) \(expires) \(seen)".utf8) }

    func isOf(_ signed: SignedConfiguration) -> Bool {
      version == signed.version && digest == signed.digest
    }
  }

  /// The minimum progress of time in seconds before it is written, because each write is slow.
  private static let leastStep = 3600
  /// Locked while a version is compared and written. Of two concurrent starts, the older stores
  /// nothing.
  private static let writing = Locked(())

  private let place: any KeyPlace
  private let names: [String]
  private var known: [Known?]

  /// Reads the known versions of these keys, in their order, from a key store.
  init(at place: any KeyPlace, of keys: [Data]) throws(SealingError) {
    self.place = place
    names = keys.map { key in
      let word = key.sha256.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
      return "configuration-version-\(word.bigEndian.hex)"
    }
    known = try names.map { name throws(SealingError) in try Self.read(name, at: place) }
  }

  private static func read(_ name: String, at place: any KeyPlace) throws(SealingError) -> Known? {
    guard let data = try place.read(name) else { return nil }
    guard let known = Known(data) else {
      throw .place("The stored value \"\(name)\" is not a version; remove it.")
    }
    return known
  }

  /// Throws the reason if a signed configuration must not be applied.
  func check(_ signed: SignedConfiguration, at now: Date) throws(FetchRefusal) {
    guard now < signed.expiryDate, latest(with: .distantPast) < signed.expires else {
      throw .expired(signed.expiryDate)
    }
    if let last = known.lastIndex(where: { $0 != nil }), signed.key < last { throw .retired }
    guard let known = known[signed.key] else { return }
    if signed.version < known.version || signed.version == known.version && !known.isOf(signed) {
      throw .replayed(version: signed.version, known: known.version)
    }
  }

  /// Records the version of a stored file, which may not have been written together with it.
  mutating func learn(_ signed: SignedConfiguration, at now: Date) {
    if known[signed.key]?.isOf(signed) != true {
      known[signed.key] = Known(signed, seen: latest(with: now))
    }
  }

  /// Returns the latest known time, including this one.
  private func latest(with now: Date) -> Int {
    known.compactMap { $0?.seen }.reduce(Self.seconds(now), max)
  }

  /// Stores the current time, which can make known configurations expire.
  mutating func see(_ now: Date) throws(SealingError) {
    let seconds = Self.seconds(now)
    for place in known.indices {
      guard let old = known[place] else { continue }
      let seen = min(seconds, old.expires)
      guard seen > old.seen else { continue }
      known[place]?.seen = seen
      guard seen == old.expires || seen - old.seen >= Self.leastStep else { continue }
      try Self.writing.withLock { _ throws(SealingError) in
        guard var written = try Self.read(names[place], at: self.place) else { return }
        let seen = min(seconds, written.expires)
        guard seen > written.seen else { return }
        written.seen = seen
        try self.place.write(written.data, as: names[place])
      }
    }
  }

  /// Returns whether a version differs from the stored one.
  func lacks(_ signed: SignedConfiguration) -> Bool {
    // A version that cannot be read is written again, which reports the reason.
    let written = try? Self.read(names[signed.key], at: place)
    return written?.isOf(signed) != true
  }

  /// Writes a version, after `first` has written the rest.
  ///
  /// - Throws: `FetchRefusal` if another start has accepted a newer one meanwhile, or the error of
  ///   the write that failed.
  func keep(_ signed: SignedConfiguration, at now: Date, after first: () throws -> Void) throws {
    try Self.writing.withLock { _ in
      let written = try names.map { name in try Self.read(name, at: place) }
      var others = self
      others.known = written
      try others.check(signed, at: now)
      try first()
      if written[signed.key]?.isOf(signed) != true {
        let new = Known(signed, seen: others.latest(with: now))
        try place.write(new.data, as: names[signed.key])
      }
    }
  }

  /// Returns whole seconds since 1970, for any date.
  private static func seconds(_ date: Date) -> Int {
    Int(max(-1e15, min(1e15, date.timeIntervalSince1970.rounded(.down))))
  }
}
