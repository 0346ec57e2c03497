/// The time that the end of a connection waits for its peer, checked at intervals of
/// ``Limits/lingerSeconds``.
///
/// If one side closes while the peer still sends, the peer may lose the last response (RFC 9112
/// §9.6). So progress prolongs the wait: bytes that the peer accepts, without limit, and bytes that
/// it sends, for as long as a request may take.
struct Lingering {
  private let listensFor: Int64
  private var takenBytes: Int
  private var heardBytes: Int
  /// The last time at which the peer accepted bytes, or the beginning of the end.
  private var start: Moment

  /// Creates the state of an end.
  ///
  /// - Parameters:
  ///   - taken: The number of bytes that the peer's system has received so far.
  ///   - heard: The number of bytes that it has sent so far and that were discarded.
  ///   - now: The current time.
  ///   - limits: The limits of the waiting time.
  package init(taken: Int, heard: Int, at now: Moment, _ limits: Limits) {
    (takenBytes, heardBytes, start) = (taken, heard, now)
    listensFor = Int64(nanosecondsOf: limits.requestSeconds)
  }

  /// Whether the wait is over.
  package mutating func isOver(taken: Int, heard: Int, at now: Moment) -> Bool {
    defer { (takenBytes, heardBytes) = (taken, heard) }
    if taken != takenBytes {
      start = now
      return false
    }
    return heard == heardBytes || now - start >= listensFor
  }
}
