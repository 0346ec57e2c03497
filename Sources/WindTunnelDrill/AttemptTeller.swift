internal import Dispatch
internal import Symptoms
internal import WindTunnel

/// Tells of attempts: of each before anything of it can happen, and again when it is over.
final class AttemptTeller: Sendable {
  /// What was seen of one call.
  struct Seen: Sendable {
    var count = 0
    /// Whether the server answered something else on purpose, and in good form.
    var hasMutation = false
  }

  private struct State: Sendable {
    var calls: [Int: Seen] = [:]
    /// Which attempt of which call a decision is, by its number.
    var open: [Int: (call: Int, place: Int)] = [:]
  }

  private let cassette: Cassette
  private let epoch: DispatchTime
  private let tell: @Sendable (Telegram) -> Void
  private let state = Locked(State())

  init(_ cassette: Cassette, epoch: DispatchTime, _ tell: @escaping @Sendable (Telegram) -> Void) {
    (self.cassette, self.epoch, self.tell) = (cassette, epoch, tell)
  }

  /// A decision was made. A connection that goes on is no attempt; its request will be.
  func began(_ entry: Journal.Entry) {
    if entry.take == .connection, !entry.decision.failsConnection { return }
    guard let call = entry.decision.lane.name.split(separator: "/").last.flatMap({ Int($0) })
    else { return }
    let isMutated = entry.decision.faults.contains {
      switch $0 {
      case .mutate, .answer, .alter, .malformed: true
      default: false
      }
    }
    state.withLock { state in
      let place = state.calls[call]?.count ?? 0
      state.calls[call, default: Seen()].count += 1
      if isMutated { state.calls[call]?.hasMutation = true }
      if entry.take != .connection { state.open[entry.id] = (call, place) }
    }
    tell(.attempt(call: call, attempt(entry)))
  }

  /// What came of a decision was carried to its end.
  func ended(_ id: Int) {
    guard let (call, place) = state.withLock({ $0.open.removeValue(forKey: id) }) else { return }
    tell(.attemptEnded(call: call, place: place, at: epoch.elapsed))
  }

  /// What was seen of a call that is over; it is forgotten.
  func take(_ call: Int) -> Seen { state.withLock { $0.calls.removeValue(forKey: call) ?? Seen() } }

  private func attempt(_ entry: Journal.Entry) -> Observation.Attempt {
    var attempt = Observation.Attempt(decision: entry.decision.line, take: entry.take.words)
    attempt.start = epoch.elapsed
    guard entry.take != .connection else {
      attempt.end = attempt.start
      attempt.error = Dealt(entry.decision.faults, recorded: nil).symptom?.rawValue
      return attempt
    }
    attempt.isRepeatable = entry.isRepeatable
    let dealt = Dealt(entry.decision.faults, recorded: interaction(entry.take))
    attempt.status = dealt.status
    attempt.bytes = dealt.bytes
    attempt.error = dealt.symptom?.rawValue
    attempt.retryAfter = dealt.retryAfter
    return attempt
  }

  private func interaction(_ take: Journal.Take) -> Interaction? {
    switch take {
    case .recording(let place), .withheld(let place):
      cassette.interactions.indices.contains(place) ? cassette.interactions[place] : nil
    case .computed, .forwarded, .unmatched, .connection: nil
    }
  }
}

extension DispatchTime {
  /// How long ago this was, in whole microseconds.
  var elapsed: Duration {
    let now = DispatchTime.now().uptimeNanoseconds
    return .microseconds(Int64(now > uptimeNanoseconds ? (now - uptimeNanoseconds) / 1000 : 0))
  }
}

extension Duration {
  /// Without what a report does not keep.
  var inWholeMicroseconds: Duration { .microseconds(wholeMicroseconds) }
}
