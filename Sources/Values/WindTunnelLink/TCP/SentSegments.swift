/// The part of a stream that has been sent and is not known to have arrived in order.
///
/// It stores each segment, and the counts on which a sender's decisions depend.
struct SentSegments: Sendable, Hashable {
  struct Segment: Sendable, Hashable {
    /// The number of bytes of the stream up to the segment's end, and the number of its own bytes.
    var (end, length): (Int, Int)
    /// The exchange whose draws decide whether the segment is lost.
    var owner: Int
    /// The time at which it was last sent.
    var sentAt: Int
    /// Whether it was ever sent again, so that it is unknown which copy is acknowledged.
    var wasRepeated = false
    /// Whether a repeated copy counts as in flight.
    var isRepeatOut = false
    var isSelected = false
    var isLost = false
  }

  private var segments: [Segment] = []
  private var base = 0
  /// The first segment that is not acknowledged.
  private(set) var first = 0
  private(set) var (selected, lost, repeatsOut) = (0, 0, 0)
  /// The number of times that a segment was marked as lost.
  private(set) var losses = 0
  /// A lower bound of the first lost segment that must be sent again.
  private var repeatHint = 0

  /// The number of the next new segment.
  var next: Int { base + segments.count }
  /// The number of segments that are sent and not acknowledged.
  var count: Int { next - first }
  var isEmpty: Bool { count == 0 }
  /// The number of segments in flight: sent, neither arrived nor lost, and repeated copies of lost
  /// ones.
  var inFlight: Int { count - selected - lost + repeatsOut }

  subscript(number: Int) -> Segment { segments[number - base] }

  mutating func append(_ segment: Segment) { segments.append(segment) }

  mutating func selectSegment(_ number: Int) {
    let index = number - base
    if segments[index].isLost {
      segments[index].isLost = false
      lost -= 1
      settleRepeat(number)
    }
    segments[index].isSelected = true
    selected += 1
  }

  /// Marks a segment as lost; a repeated copy in flight is lost as well.
  mutating func lose(_ number: Int) {
    let index = number - base
    guard !segments[index].isSelected else { return }
    repeatHint = min(repeatHint, number)
    if segments[index].isLost {
      guard segments[index].isRepeatOut else { return }
      settleRepeat(number)
    } else {
      segments[index].isLost = true
      lost += 1
    }
    losses += 1
  }

  /// Records that a segment is sent again; a probe does not count as in flight.
  mutating func send(again number: Int, at now: Int, isProbe: Bool) {
    let index = number - base
    segments[index].sentAt = now
    segments[index].wasRepeated = true
    guard !isProbe, !segments[index].isRepeatOut else { return }
    segments[index].isRepeatOut = true
    repeatsOut += 1
  }

  /// Records that an unnecessary copy is no longer in flight.
  mutating func settleRepeat(_ number: Int) {
    let index = number - base
    guard number >= first, index < segments.count, segments[index].isRepeatOut else { return }
    segments[index].isRepeatOut = false
    repeatsOut -= 1
  }

  /// Removes all marks of lost segments.
  mutating func findLost() {
    for index in (first - base)..<segments.count { segments[index].isLost = false }
    lost = 0
  }

  /// Returns the first lost segment that must be sent again; `nil` if there is none.
  mutating func nextToRepeat() -> Int? {
    guard lost > repeatsOut else { return nil }
    var number = max(first, repeatHint)
    while number < next {
      let segment = segments[number - base]
      if segment.isLost, !segment.isRepeatOut, !segment.isSelected {
        repeatHint = number
        return number
      }
      number += 1
    }
    return nil
  }

  /// Removes the first segment, which has arrived, and returns it.
  mutating func acknowledgeFirst() -> Segment {
    let segment = segments[first - base]
    if segment.isSelected { selected -= 1 }
    if segment.isLost { lost -= 1 }
    if segment.isRepeatOut { repeatsOut -= 1 }
    first += 1
    if first - base > 512 {
      segments.removeSubrange(..<(first - base))
      base = first
    }
    return segment
  }
}
