internal import WindTunnel

/// Has an exchange journalled in parts while it lasts, so that a kill leaves most of it.
///
/// Each part holds all that arrived, since secrets can be searched for in nothing less, and
/// replaces the part before. It is larger by a quarter at least, so that all parts of an exchange
/// together have at most five times the bytes of the last. On the loop's thread only.
final class PartJournal {
  /// The bytes behind a part that are journalled at once.
  static let bytesMin = 1 << 20
  /// The time until fewer are journalled.
  static let nanoseconds: Int64 = 1_000_000_000
  /// The size of an exchange from which on no further parts of it are written.
  static let bytesMax = 16 << 20

  /// Returns the part that arrived, put together on any thread; `nil` if there is nothing.
  typealias Part = () -> (@Sendable () -> Interaction)?

  private let origins: OriginContext
  private let outcome: Outcome
  private let reactor: Reactor
  private let part: Part
  private var bytes = 0
  private var written = 0
  private var isWriting = false
  private var timer: Reactor.Timer?

  /// Begins with nothing; `nil` if there is no journal.
  init?(of outcome: Outcome, _ origins: OriginContext, on reactor: Reactor, _ part: @escaping Part)
  {
    guard origins.deck.recordingJournal != nil else { return nil }
    (self.outcome, self.origins, self.reactor, self.part) = (outcome, origins, reactor, part)
  }

  deinit { if let timer { reactor.cancel(timer) } }

  /// Notes how many bytes arrived of an exchange that goes on; its beginning counts as one.
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
