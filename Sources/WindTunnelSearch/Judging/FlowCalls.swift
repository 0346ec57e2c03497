internal import WindTunnel
internal import WindTunnelDrill

extension Voyage {
  /// The calls of the flow: each is a request with the attempts that were made for it. A request of
  /// the same key is another call when the one before was answered, and when a user has come back
  /// or a process has started anew in between.
  var calls: [Observation] {
    var calls: [Observation] = []
    var last: [String: Int] = [:]
    for (place, attempt) in zip(places, attempts) {
      if let open = last[place.key], goesOn(calls[open], attempt) {
        calls[open].attempts.append(attempt)
        continue
      }
      last[place.key] = calls.count
      var call = Observation(
        call: calls.count,
        endpoint: place.key,
        isCritical: false,
        ending: .succeeded,
        showed: true,
        latency: .zero,
        attemptCount: 0,
        attempts: [attempt]
      )
      call.start = attempt.start
      calls.append(call)
    }
    for place in calls.indices { calls[place].conclude() }
    return calls
  }

  private func goesOn(_ call: Observation, _ next: Observation.Attempt) -> Bool {
    guard let before = call.attempts.last, before.isFailed else { return false }
    guard let anew, let start = before.start, let again = next.start else { return true }
    return start >= anew || again < anew
  }
}

extension Observation {
  fileprivate mutating func conclude() {
    attemptCount = attempts.count
    guard let last = attempts.last else { return }
    if let start, let end = attempts.compactMap(\.end).max() { latency = max(.zero, end - start) }
    if last.isFailed {
      ending = .failed(last.error ?? last.status.map { "status \($0)" } ?? "unknown")
      showed = false
    }
  }
}
