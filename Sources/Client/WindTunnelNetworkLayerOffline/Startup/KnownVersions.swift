internal import Foundation
internal import WindTunnelNetworkLayer

/// The highest versions of configurations that were ever taken at a place, one for each key that
/// has signed them.
///
/// A key that leaked can sign the highest number that there is, and under that key nothing is ever
/// newer. So each key has a number of its own, and the keys follow each other: what a later one has
/// signed goes before all of an earlier one, which is retired on a device that has taken it. In The
/// Update Framework a client likewise forgets the versions that it knows when their keys are
/// replaced, to recover from such a fast-forward attack.
///
/// The time of day can be set back, and would make what has expired good again. So the latest time
/// at which a configuration was looked at is remembered with it, though no later one than it
/// expires at: a clock that ran ahead by years costs the configuration that is known, and none that
/// comes and expires later.
struct KnownVersions: Sendable {
  /// One of the highest versions: a line with its numbers, and the digest of what was signed.
  struct Known: Sendable, Hashable {
    var version: Int
    var digest: String
    /// The time until which it is good, in whole seconds since 1970.
    var expires: Int
    /// The latest time of day that was seen, up to that.
    var seen: Int

    init(_ signed: SignedConfiguration, seen: Int) {
      (version, digest, expires) = (signed.version, signed.digest, signed.expires)
      self.seen = min(seen, expires)
    }

    /// Reads what ``data`` wrote; `nil` for anything else.
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

  /// The seconds by which the time has to go on to be written, since each write waits for the disk.
  private static let leastStep = 3600
  /// Held while a version is compared and written: of two starts at once the older keeps nothing.
  private static let writing = Locked(())

  private let place: any KeyPlace
  private let names: [String]
  private var known: [Known?]

  /// Reads what is known at a place of these keys, in their order.
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
      throw .place("What is kept as \"\(name)\" is no version; remove it.")
    }
    return known
  }

  /// Throws the reason for which a signed configuration changes nothing.
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

  /// Notes what a file shows that was kept, whose version may not have been written with it.
  mutating func learn(_ signed: SignedConfiguration, at now: Date) {
    if known[signed.key]?.isOf(signed) != true {
      known[signed.key] = Known(signed, seen: latest(with: now))
    }
  }

  /// Returns the latest time of day that is known, this one included.
  private func latest(with now: Date) -> Int {
    known.compactMap { $0?.seen }.reduce(Self.seconds(now), max)
  }

  /// Remembers the time of day, by which what is known grows old.
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

  /// Tells whether a version is not the one that is written.
  func lacks(_ signed: SignedConfiguration) -> Bool {
    // What cannot be read is written anew, which tells the reason.
    let written = try? Self.read(names[signed.key], at: place)
    return written?.isOf(signed) != true
  }

  /// Writes a version, with whatever else is to be kept before it.
  ///
  /// - Throws: `FetchRefusal` where another start has taken a newer one meanwhile, and the error
  ///   of whatever is not written.
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

  /// Whole seconds since 1970, of any date.
  private static func seconds(_ date: Date) -> Int {
    Int(max(-1e15, min(1e15, date.timeIntervalSince1970.rounded(.down))))
  }
}
