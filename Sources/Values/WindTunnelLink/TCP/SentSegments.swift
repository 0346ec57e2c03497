/// The part of a stream that has been sent and is not known to have arrived in order, segment by
/// segment, with the counts that a sender's decisions are made of.
struct SentSegments: Sendable, Hashable {
  struct Segment: Sendable, Hashable {
    /// The bytes of the stream up to its end, and how many are its own.
    var (end, length): (Int, Int)
    /// The moment at which it was last sent.
    var sentAt: Int
    /// Tells whether it was ever sent again, so that nobody knows which copy an acknowledgement is
    /// for.
    var wasRepeated = false
    /// A copy is on its way that counts as in flight.
    var isRepeatOut = false
    var isSelected = false
    var isLost = false
  }

  private var segments: [Segment] = []
  private var base = 0
  /// The first that is not acknowledged.
  private(set) var first = 0
  private(set) var (selected, lost, repeatsOut) = (0, 0, 0)
  /// The number of times that a segment was found to be lost.
  private(set) var losses = 0
  /// No lost one that waits to be sent again lies before this.
  private var repeatHint = 0

  /// The number of the next new one.
  var next: Int { base + segments.count }
  /// The number of those that are sent and not acknowledged.
  var count: Int { next - first }
  var isEmpty: Bool { count == 0 }
  /// The number of those that are on their way: sent, neither arrived nor lost, and the repeats of
  /// lost ones.
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

  /// Marks as lost; a repeat that was out is lost as well.
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

  /// Sends again; a probe does not count as in flight.
  mutating func send(again number: Int, at now: Int, isProbe: Bool) {
    let index = number - base
    segments[index].sentAt = now
    segments[index].wasRepeated = true
    guard !isProbe, !segments[index].isRepeatOut else { return }
    segments[index].isRepeatOut = true
    repeatsOut += 1
  }

  /// A copy that turned out to be one too many is on its way no more.
  mutating func settleRepeat(_ number: Int) {
    let index = number - base
    guard number >= first, index < segments.count, segments[index].isRepeatOut else { return }
    segments[index].isRepeatOut = false
    repeatsOut -= 1
  }

  /// Nothing counts as lost any more.
  mutating func findLost() {
    for index in (first - base)..<segments.count { segments[index].isLost = false }
    lost = 0
  }

  /// Returns the first lost one that waits to be sent again.
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

  /// Drops the first one, which has arrived, and answers it.
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
