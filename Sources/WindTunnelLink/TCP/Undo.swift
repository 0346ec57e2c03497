/// What it takes to take a reduction back that was in vain.
struct Undo: Sendable, Hashable {
  /// The episode has begun here.
  var marker: Int?
  private(set) var window = 0
  private(set) var threshold = 0
  /// Repeats whose duplicates have not been reported; `nil`: there was none.
  private(set) var repeats: Int?
  /// When the first of them was sent.
  private(set) var since: Int?

  mutating func begin(at first: Int, window: Int, threshold: Int, repeatsOut: Int) {
    (marker, self.window, self.threshold) = (first, window, threshold)
    repeats = repeatsOut > 0 ? repeatsOut : nil
  }

  mutating func repeated(at now: Int) {
    if since == nil { since = now }
    repeats = (repeats ?? 0) + 1
  }

  /// Something that was sent again has come twice.
  mutating func duplicated() { if let count = repeats, count > 0 { repeats = count - 1 } }

  /// The acknowledgement is of something that was sent before the first repeat.
  func isEarly(_ echo: Int) -> Bool { since.map { echo < $0 } ?? false }

  func isDue(_ echo: Int) -> Bool { marker != nil && (repeats == 0 || isEarly(echo)) }

  mutating func forgetRepeats() { since = nil }
  mutating func end() { marker = nil }
}
