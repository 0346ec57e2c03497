/// How many segments may leave during recovery: about as many for each that arrived as the window
/// shrinks (RFC 6937 §3.1).
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
