/// The facts that a rule may ask for and no seed knows: how late it is, and what a request's fields
/// say.
struct TriggerContext: Sendable {
  /// Since the scenario began.
  var elapsed = Duration.zero
  /// The header fields of the request.
  var headers: HeaderFields = [:]
  /// The places of the rules whose field is another by now than it was at first.
  var changed: Set<Int> = []
  /// Tells whether the request bears a credential that has expired.
  var hasExpired = true
  /// The number of the recording that the request is about to get; `nil` if it gets none.
  var recording: Int?

  func allows(_ trigger: Trigger, at place: Int) -> Bool {
    if let window = trigger.window, !window.contains(elapsed) { return false }
    if let header = trigger.header, !header.holds(headers) { return false }
    if trigger.credential == .expired, !hasExpired { return false }
    if let recording = trigger.recording, recording != self.recording { return false }
    return trigger.untilHeaderChanges == nil || !changed.contains(place)
  }
}
