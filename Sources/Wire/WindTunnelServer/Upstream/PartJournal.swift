internal import WindTunnel

/// A journal of an exchange in parts while it lasts, so that most of it survives a kill.
///
/// Each part contains everything that has arrived and replaces the previous part, because the
/// search for secrets needs the whole text. It is larger by at least a quarter, so that all parts
/// of an exchange together have at most five times the size of the last. Use it on the loop's
/// thread only.
final class PartJournal {
  /// The number of bytes after a part that are journalled at once.
  static let bytesMin = 1 << 20
  /// The time after which fewer bytes are journalled, in nanoseconds.
  static let nanoseconds: Int64 = 1_000_000_000
  /// The size of an exchange beyond which no more parts are written, in bytes.
  static let bytesMax = 16 << 20

  /// Returns a closure that assembles the arrived part on any thread; `nil` if nothing has arrived.
  typealias Part = () -> (@Sendable () -> Interaction)?

  private let origins: OriginContext
  private let outcome: Outcome
  private let reactor: Reactor
  private let part: Part
  private var bytes = 0
  private var written = 0
  private var isWriting = false
  private var timer: Reactor.Timer?

  /// Begins without parts; `nil` if there is no journal.
  init?(of outcome: Outcome, _ origins: OriginContext, on reactor: Reactor, _ part: @escaping Part)
  {
    guard origins.deck.recordingJournal != nil else { return nil }
    (self.outcome, self.origins, self.reactor, self.part) = (outcome, origins, reactor, part)
  }

  deinit { if let timer { reactor.cancel(timer) } }

  /// Updates the number of bytes that have arrived of an unfinished exchange; its beginning counts
  /// as one.
  func grew(to bytes: Int) {
    self.bytes = bytes
    let new = bytes - written
    guard !isWriting, new > written / 4, bytes <= Self.bytesMax else { return }
    if new >= Self.bytesMin { return write() }
    guard timer == nil else { return }
    timer = reactor.schedule(after: Self.nanoseconds) { [weak self] _ in self?.write() }
  }

  private func write() {
    if let timer { reactor.cancel(timer) }
    timer = nil
    guard bytes <= Self.bytesMax, let part = part(),
      let write = origins.deck.journalPart(of: outcome, part)
    else { return }
    written = bytes
    guard let writer = origins.journal else { return write() }
    isWriting = true
    writer.write(bytes, isPart: true, write) { [weak self] in
      guard let self else { return }
      isWriting = false
      grew(to: self.bytes)
    }
  }
}
