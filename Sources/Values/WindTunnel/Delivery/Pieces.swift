internal import Foundation

/// The parts in which a body is sent, and the waits between them.
struct Pieces {
  /// The wait before the head.
  private(set) var firstWait = Duration.zero
  /// The wait after the last part.
  private(set) var lastWait = Duration.zero
  private(set) var breaks: [Break] = []
  /// Whether the origin sent the body in several parts.
  private(set) var isStream = false

  /// Whether the whole body is sent in one part without a wait.
  var isOne: Bool {
    !isStream && firstWait == .zero && lastWait == .zero
      && breaks.allSatisfy { $0.offset == 0 && $0.wait == .zero }
  }

  struct Break {
    /// The number of bytes of the body before the break.
    var offset: Int
    var wait: Duration
  }

  /// Creates one part without waits.
  init() {}

  /// Creates the parts and waits of a recording. A body of another length is split at the same
  /// offsets.
  init(_ timing: Timing, _ pace: Pace) {
    firstWait = pace.wait(timing.firstByte)
    isStream = timing.chunks.count > 1
    var (offset, last) = (0, timing.firstByte)
    for chunk in timing.chunks {
      breaks.append(Break(offset: offset, wait: pace.wait(chunk.offset - last)))
      offset = offset.adding(bytes: chunk.bytes)
      last = max(last, chunk.offset)
    }
    // For a body in one part, only the time of its end is known.
    if timing.chunks.isEmpty {
      breaks = [Break(offset: 0, wait: pace.wait(timing.lastByte - last))]
    } else {
      lastWait = pace.wait(timing.lastByte - last)
    }
  }

  /// Creates the wait before a failure that was recorded instead of a response.
  init(failure timing: Timing, _ pace: Pace) {
    firstWait = pace.wait(max(timing.firstByte, timing.lastByte))
  }

  /// Sends a body that is not the recorded one as one part, at the time of the recorded last part.
  mutating func join() {
    let total = breaks.reduce(.zero) { $0 + $1.wait }
    breaks = [Break(offset: 0, wait: total)]
    isStream = false
  }

  /// Adapts the parts to a body with edits, which are in the order of their offsets.
  mutating func follow(_ edits: [Edit]) {
    var (next, growth) = (0, 0)
    for index in breaks.indices where breaks[index].offset > 0 {
      let offset = breaks[index].offset
      while next < edits.count, edits[next].range.upperBound <= offset {
        growth += edits[next].bytes.count - edits[next].range.count
        next += 1
      }
      // A break within a replaced range is moved before it.
      let place = next < edits.count ? min(offset, edits[next].range.lowerBound) : offset
      breaks[index].offset = place + growth
    }
  }

  /// The maximum number of parts of a dribbled body; the last part contains the rest.
  static let dribbledPiecesMax = 1 << 16

  /// Splits a body into parts of a number of bytes, with an interval before each part except the
  /// first.
  mutating func dribble(_ count: Int, every interval: Duration, of length: Int) {
    let offsets = stride(from: count, to: length, by: count).prefix(Self.dribbledPiecesMax - 1)
    add(offsets.map { Break(offset: $0, wait: interval) })
  }

  /// Adds waits at further offsets.
  mutating func add(_ more: [Break]) {
    breaks += more
    // A stable order: the origin's waits precede the waits of faults.
    breaks = breaks.stablySorted { $0.offset < $1.offset }
  }

  /// Returns the steps that send a body or its beginning.
  func steps(_ body: Data) -> [Delivery.Step] {
    var steps: [Delivery.Step] = []
    var start = 0
    for pause in breaks where pause.offset < body.count {
      if pause.offset > start {
        let piece = body[body.startIndex + start..<body.startIndex + pause.offset]
        steps.append(.bytes(.data(piece)))
        start = pause.offset
      }
      if pause.wait > .zero { steps.append(.wait(pause.wait)) }
    }
    if start < body.count { steps.append(.bytes(.data(body.dropFirst(start)))) }
    return steps
  }
}
