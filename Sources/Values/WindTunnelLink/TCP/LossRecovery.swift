/// The state for undoing an unnecessary reduction.
struct Undo: Sendable, Hashable {
  /// The segment at which the reduction began; `nil` if there is none.
  private(set) var marker: Int?
  private(set) var window = 0
  private(set) var threshold = 0
  /// The number of repeats whose duplicates have not been reported; `nil` if there were none.
  private(set) var repeats: Int?
  /// The time at which the first repeat was sent.
  private var since: Int?

  mutating func begin(at first: Int, window: Int, threshold: Int, repeatsOut: Int) {
    (marker, self.window, self.threshold) = (first, window, threshold)
    repeats = repeatsOut > 0 ? repeatsOut : nil
  }

  mutating func repeated(at now: Int) {
    if since == nil { since = now }
    repeats = (repeats ?? 0) + 1
  }

  /// Records that a repeated segment has arrived twice.
  mutating func duplicated() { if let count = repeats, count > 0 { repeats = count - 1 } }

  /// Returns whether an acknowledgement is for a segment that was sent before the first repeat.
  func isEarly(_ echo: Int) -> Bool { since.map { echo < $0 } ?? false }

  func isDue(_ echo: Int) -> Bool { marker != nil && (repeats == 0 || isEarly(echo)) }

  mutating func forgetRepeats() { since = nil }
  mutating func end() { marker = nil }
}

/// The newest segment that has arrived, by the time of its sending (RFC 8985 §5.2).
struct RACKState: Sendable, Hashable {
  var (sentAt, segment) = (-1, -1)
  var roundTrip = 0
  var hasAdvanced = false
  var steps = 1

  func isAfter(_ sentAt: Int, _ segment: Int) -> Bool {
    self.sentAt > sentAt || self.sentAt == sentAt && self.segment > segment
  }
}

/// The number of segments that may leave during recovery (RFC 6937 §3.1).
///
/// It is proportional to the number of arrived segments, and to the reduction of the window.
struct RateReduction: Sendable, Hashable {
  var (before, arrived, out) = (0, 0, 0)

  mutating func window(inFlight: Int, threshold: Int, new: Int, isClean: Bool) -> Int {
    arrived += new
    let room = threshold - inFlight
    var allowed: Int
    if room < 0 {
      allowed = (threshold * arrived + before - 1) / max(1, before) - out
    } else {
      allowed = min(room, max(arrived - out, new) + (isClean ? 1 : 0))
    }
    allowed = max(allowed, out == 0 ? 1 : 0)
    return inFlight + allowed
  }
}
