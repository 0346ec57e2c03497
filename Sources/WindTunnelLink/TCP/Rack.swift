/// The newest segment that has arrived, by the time of its sending (RFC 8985 §5.2).
struct Rack: Sendable, Hashable {
  var (sentAt, segment) = (-1, -1)
  var roundTrip = 0
  var hasAdvanced = false
  var steps = 1

  func isAfter(_ sentAt: Int, _ segment: Int) -> Bool {
    self.sentAt > sentAt || self.sentAt == sentAt && self.segment > segment
  }
}
