internal import Foundation

/// A body in the pieces that it is sent in, and what is waited between them.
struct Pieces {
  /// The wait before the head.
  private(set) var firstWait = Duration.zero
  /// The wait after the last piece.
  private(set) var lastWait = Duration.zero
  private(set) var breaks: [Break] = []
  /// Tells whether it came in pieces of its origin's.
  private(set) var isStream = false

  /// Tells whether all of it comes in one piece, and at once.
  var isOne: Bool {
    !isStream && firstWait == .zero && lastWait == .zero
      && breaks.allSatisfy { $0.offset == 0 && $0.wait == .zero }
  }

  struct Break {
    /// Bytes of the body in front of it.
    var offset: Int
    var wait: Duration
  }

  /// One piece, at once.
  init() {}

  /// The pieces and times of a recording. A body of another length than the pieces' is cut at the
  /// same places as far as it goes.
  init(_ timing: Timing, _ pace: Pace) {
    firstWait = pace.wait(timing.firstByte)
    isStream = timing.chunks.count > 1
    var (offset, last) = (0, timing.firstByte)
    for chunk in timing.chunks {
      breaks.append(Break(offset: offset, wait: pace.wait(chunk.offset - last)))
      offset = offset.adding(bytes: chunk.bytes)
      last = max(last, chunk.offset)
    }
    // What is known of a body in one piece is when it was whole.
    if timing.chunks.isEmpty {
      breaks = [Break(offset: 0, wait: pace.wait(timing.lastByte - last))]
    } else {
      lastWait = pace.wait(timing.lastByte - last)
    }
  }

  /// The time of a failure that came instead of an answer.
  init(failure timing: Timing, _ pace: Pace) {
    firstWait = pace.wait(max(timing.firstByte, timing.lastByte))
  }

  /// Sends a body that is not the recorded one in one piece, when that one's last would have come.
  mutating func join() {
    let total = breaks.reduce(.zero) { $0 + $1.wait }
    breaks = [Break(offset: 0, wait: total)]
    isStream = false
  }

  /// Sends a body with edits, in the order of their places, in the pieces that it came in.
  mutating func follow(_ edits: [Edit]) {
    var (next, growth) = (0, 0)
    for index in breaks.indices where breaks[index].offset > 0 {
      let offset = breaks[index].offset
      while next < edits.count, edits[next].range.upperBound <= offset {
        growth += edits[next].bytes.count - edits[next].range.count
        next += 1
      }
      // One within what is replaced comes in front of it.
      let place = next < edits.count ? min(offset, edits[next].range.lowerBound) : offset
      breaks[index].offset = place + growth
    }
  }

  /// A body is dribbled in at most so many pieces; what is left comes with the last.
  static let dribbledPiecesMax = 1 << 16

  /// Sends a body of a length so many bytes at a time, each piece but the first so much later.
  mutating func dribble(_ count: Int, every interval: Duration, of length: Int) {
    let offsets = stride(from: count, to: length, by: count).prefix(Self.dribbledPiecesMax - 1)
    add(offsets.map { Break(offset: $0, wait: interval) })
  }

  /// Waits at further places.
  mutating func add(_ more: [Break]) {
    breaks += more
    // A stable order: what the origin waited comes before what the way costs.
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
