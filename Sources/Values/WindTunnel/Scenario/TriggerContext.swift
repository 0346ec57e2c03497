/// The facts that triggers can test and a seed cannot decide: the time, and a request's header
/// fields.
struct TriggerContext: Sendable {
  /// The time since the scenario began.
  var elapsed = Duration.zero
  /// The header fields of the request.
  var headers: HeaderFields = [:]
  /// The indices of the rules whose header field has changed since the lane's first request.
  var changed: Set<Int> = []
  /// Whether the request has an expired credential.
  var hasExpired = true
  /// The number of the recording that the request will receive; `nil` if it receives none.
  var recording: Int?

  func allows(_ trigger: Trigger, at place: Int) -> Bool {
    if let window = trigger.window, !window.contains(elapsed) { return false }
    if let header = trigger.header, !header.holds(headers) { return false }
    if trigger.credential == .expired, !hasExpired { return false }
    if let recording = trigger.recording, recording != self.recording { return false }
    return trigger.untilHeaderChanges == nil || !changed.contains(place)
  }
}
