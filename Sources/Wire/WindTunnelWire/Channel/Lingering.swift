/// The time that the end of a connection waits for its peer, looked at whenever
/// ``Limits/lingerSeconds`` have gone by.
///
/// RFC 9112 §9.6: who closes while the peer still sends has it lose what was said before the end.
/// So whatever moves prolongs it: bytes that the peer takes, for as long as it takes any, and bytes
/// that it sends, for as long as a request may take.
struct Lingering {
  private let listensFor: Int64
  private var takenBytes: Int
  private var heardBytes: Int
  /// The time at which the peer took something last, or the end began.
  private var start: Moment

  /// Begins an end.
  ///
  /// - Parameters:
  ///   - taken: The bytes that the peer's system has so far.
  ///   - heard: The bytes that it has sent so far and that were thrown away.
  ///   - now: The time.
  ///   - limits: How long it may last.
  package init(taken: Int, heard: Int, at now: Moment, _ limits: Limits) {
    (takenBytes, heardBytes, start) = (taken, heard, now)
    listensFor = Int64(nanosecondsOf: limits.requestSeconds)
  }

  /// Tells whether nothing is waited for any more.
  package mutating func isOver(taken: Int, heard: Int, at now: Moment) -> Bool {
    defer { (takenBytes, heardBytes) = (taken, heard) }
    if taken != takenBytes {
      start = now
      return false
    }
    return heard == heardBytes || now - start >= listensFor
  }
}
