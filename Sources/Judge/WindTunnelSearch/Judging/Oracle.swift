internal import WindTunnelSymptoms

/// Judges runs of a flow by comparing them with its run without faults.
struct Oracle: Sendable {
  let calm: FlowRun
  /// Whether the flow returns the same result each time without faults, so that results can be
  /// compared.
  let comparesResults: Bool
  let invariants: [Invariant]
  /// The time that a call may take.
  let deadline: Duration
  /// The rules that may be broken.
  let allowed: Set<String>
  /// The number of calls with each key without faults.
  private let calmCalls: [String: Int]
  /// The maximum number of concurrent requests with each key without faults.
  private let calmAtOnce: [String: Int]

  /// Runs a flow without faults, and again with another seed. Its results are compared only if both
  /// are the same.
  ///
  /// - Throws: `DrillError.plan` if the flow fails without faults.
  init(
    of flight: FlowFlight,
    upon scenario: Scenario,
    _ invariants: [Invariant],
    allowing allowed: Set<String>
  ) async throws {
    (self.invariants, self.allowed) = (invariants, allowed)
    deadline = flight.plan.deadline(in: scenario)
    calm = try await flight.run(FaultSet(scenario), hangingAfter: FlowFlight.longest)
    if let refusal = calm.refusal { throw DrillError.plan(refusal) }
    let otherwise = try await flight.run(
      FaultSet(scenario),
      seed: flight.plan.seed &+ 1,
      hangingAfter: FlowFlight.longest
    )
    comparesResults = calm.ending == otherwise.ending
    (calmCalls, calmAtOnce) = (calm.counts, calm.mostAtOnce)
  }

  /// Returns the violations of a run, the most severe first.
  func violations(of run: FlowRun, in faultSet: FaultSet) -> [Violation] {
    var violations: [Violation] = []
    switch run.ending {
    case .returned, .failed: break
    case .hung:
      let words = "It had not ended after \(Words.time(run.observation.latency)); \(run.lastWords)."
      violations.append(Violation("hangs", of: run.places.last?.key, words))
    case .crashed(let signal):
      let words = "It crashed (\(signal)); \(run.lastWords)."
      violations.append(Violation("crashes", of: run.places.last?.key, words))
    }
    violations += run.issues.map { Violation(Violation.expectation, $0) }
    violations += run.broken
    let origin = Invariant.Origin(run)
    for invariant in invariants {
      if let problem = invariant.problem(origin) {
        var violation = Violation(invariant.name, problem)
        violation.invariant = invariant.code
        violations.append(violation)
      }
    }
    violations += findings(of: run, in: faultSet)
    violations += twiceAtOnce(in: run)
    let ofWhole = [anotherResult(of: run, in: faultSet), blankPage(of: run, in: faultSet)]
    violations += ofWhole.compactMap(\.self)
    var known: Set<Violation.Identity> = []
    return violations.filter { !allowed.contains($0.rule) && known.insert($0.identity).inserted }
  }

  /// Returns the violations that another task order causes without faults.
  func changes(of run: FlowRun) -> [Violation] {
    var violations: [Violation] = []
    if case .failed(let reason) = run.ending {
      violations.append(Violation("order-of-turns", "In calm the flow failed: \(reason)."))
    }
    let (before, after) = (calm.counts, run.counts)
    let more = after.filter { $0.value > before[$0.key] ?? 0 }.sorted { $0.key < $1.key }
    violations += more.map { key, count in
      let words = "\(before[key] ?? 0) in another task order"
      return Violation("order-of-turns", of: key, "\(key) was sent \(count) times, and \(words).")
    }
    return violations.filter { !allowed.contains($0.rule) }
  }

  /// Returns the POSTs with more concurrent requests than without faults, such as two renewals of
  /// one token.
  private func twiceAtOnce(in run: FlowRun) -> [Violation] {
    run.mostAtOnce.sorted { $0.key < $1.key }.compactMap { key, most in
      guard key.hasPrefix("POST "), most > max(1, calmAtOnce[key] ?? 0) else { return nil }
      return Violation("twice-at-once", of: key, "\(key) was open \(most) times at once.")
    }
  }

  private func findings(of run: FlowRun, in faultSet: FaultSet) -> [Violation] {
    // If all requests succeeded at their first attempt, there cannot be a finding.
    guard run.attempts.contains(where: \.isHit) || run.observation.wasGivenUp else { return [] }
    let calls = run.calls(within: deadline, calm: calmCalls)
    let flight = ClientRun(of: .library, on: .inProcess, calls, in: faultSet.scenario)
    var standings = flight.held()
    if run.observation.wasGivenUp {
      let whole = ClientRun(of: .library, on: .inProcess, [run.observation], in: faultSet.scenario)
      standings += whole.held().filter { $0.rule == "goes-on-after-cancel" }
    }
    return standings.compactMap(\.finding).filter { $0.severity == .error }.map {
      Violation($0.rule, of: $0.endpoint, $0.seen)
    }
  }

  private func anotherResult(of run: FlowRun, in faultSet: FaultSet) -> Violation? {
    guard comparesResults, case .returned(let mark) = run.ending,
      case .returned(let expected) = calm.ending, mark != expected,
      run.observation.showed == calm.observation.showed,
      run.observation.isStale != true, !run.observation.wasGivenUp, !faultSet.changesAnswers
    else { return nil }
    return Violation(
      "another-result",
      "It returned without an error, but with a different result than in calm."
    )
  }

  private func blankPage(of run: FlowRun, in faultSet: FaultSet) -> Violation? {
    switch run.ending {
    case .hung, .crashed: return nil
    case .returned: if run.observation.showed || !calm.observation.showed { return nil }
    case .failed: break
    }
    guard !run.observation.wasGivenUp, !faultSet.changesAnswers, run.hasNoReasonToRefuse else {
      return nil
    }
    var example: (call: Observation, last: Observation.Attempt)?
    for call in run.calls(within: deadline, calm: calmCalls) {
      guard let last = call.attempts.last, last.isFailed, last.error != Symptom.cancelled.rawValue
      else { continue }
      // A client may give up if it was informed that a retry cannot succeed.
      guard retryWouldHelp(call, last, run, faultSet) else { return nil }
      example = example ?? (call, last)
    }
    guard let (call, last) = example else { return nil }
    let what = last.error ?? last.status.map { "status \($0)" } ?? "no response"
    let times = call.attempts.count
    return Violation(
      "blank-page",
      of: call.endpoint,
      "After \(what) at \(times == 1 ? "its only attempt" : "the last of \(times) attempts") the "
        + "flow gave up; the next attempt would have succeeded."
    )
  }

  /// Returns whether the next attempt of a call would have succeeded in time.
  private func retryWouldHelp(
    _ call: Observation,
    _ last: Observation.Attempt,
    _ run: FlowRun,
    _ faultSet: FaultSet
  ) -> Bool {
    guard last.isRepeatable == true || last.status == 401, let place = last.place,
      let start = call.start,
      let end = last.end
    else { return false }
    let wait: Duration
    switch last.status {
    case 429?, 503?:
      // No client is blamed for a wait that is a date, invalid or endless.
      for case .status(_, let told?) in last.decision.faults {
        guard case .seconds = told else { return false }
      }
      wait = last.retryAfter ?? .zero
    case 401?:
      // A new credential would have been accepted, and the client had received one.
      guard faultSet.asksForRenewal(at: place) else { return false }
      return run.isRenewed(between: start, and: last.start ?? end)
    default:
      guard last.mayPass else { return false }
      wait = .zero
    }
    let next = end + wait
    guard next - start + .seconds(1) < deadline else { return false }
    return !faultSet.meets(
      FlowRun.RequestPosition(key: place.key, ordinal: place.ordinal + 1),
      at: max(next, run.end) - run.start
    )
  }
}

extension FlowRun {
  /// The number of failures after which a circuit breaker may be open, and the time for which it
  /// stays open.
  private static let breaker = (failures: 4, time: Duration.seconds(60))

  /// Whether a client has no reason to reject a request by itself. Too few requests may have met a
  /// fault to open a circuit breaker or to exhaust retries. Or the last one was so long ago that
  /// the breaker should be closed. A request with a late response counts, because the client may
  /// have abandoned it.
  fileprivate var hasNoReasonToRefuse: Bool {
    let failed = attempts.filter(\.isHit)
    guard failed.count >= Self.breaker.failures, let last = failed.compactMap(\.end).max() else {
      return true
    }
    return end - last >= Self.breaker.time
  }

  /// The maximum number of concurrent POSTs with each key.
  fileprivate var mostAtOnce: [String: Int] {
    var most: [String: Int] = [:]
    var ends: [String: [Duration]] = [:]
    for (place, attempt) in zip(places, attempts) where place.key.hasPrefix("POST ") {
      // Requests of an ended process do not count.
      guard let start = attempt.start, anew.map({ start >= $0 }) ?? true else { continue }
      let open = (ends[place.key] ?? []).filter { $0 > start }
      ends[place.key] = open + [attempt.end ?? .seconds(Int64.max / 2)]
      most[place.key] = max(most[place.key] ?? 0, open.count + 1)
    }
    return most
  }

  /// The time at which the flow ended.
  var end: Duration { start + observation.latency }

  /// Returns whether a POST succeeded in a time range, which may renew a credential.
  fileprivate func isRenewed(between start: Duration, and end: Duration) -> Bool {
    zip(places, attempts).contains { place, attempt in
      guard let moment = attempt.end else { return false }
      return place.key.hasPrefix("POST ") && attempt.isAnswered && moment > start && moment <= end
    }
  }

  /// The last request, as text.
  fileprivate var lastWords: String {
    guard let place = places.last, let last = attempts.last else { return "it had sent no request" }
    let came = last.error ?? last.status.map { "status \($0)" } ?? "no response"
    return "its last request was \(place.key), with \(came)"
  }
}

extension Observation.Attempt {
  /// The failures that the next attempt may not meet. An invalid certificate or an unknown name
  /// does not change.
  private static let passing = Set(
    [Symptom.connectionRefused, .connectionLost, .emptyAnswer, .truncated, .timedOut].map(
      \.rawValue
    )
  )

  /// Whether the failure may be temporary.
  fileprivate var mayPass: Bool {
    if let error { return Self.passing.contains(error) }
    return status == 502 || status == 504
  }
}

extension FaultSet {
  /// Whether a response was intentionally changed, which a client must accept as it is.
  fileprivate var changesAnswers: Bool {
    scenario.rules.contains { $0.faults.contains(where: \.changesAnswer) }
  }

  /// Returns whether only an expired credential is the reason why a request is rejected.
  fileprivate func asksForRenewal(at place: FlowRun.RequestPosition) -> Bool {
    var renewing = self
    renewing.scenario.rules.removeAll { $0.trigger.untilHeaderChanges == nil }
    var others = self
    others.scenario.rules.removeAll { $0.trigger.untilHeaderChanges != nil }
    return renewing.meets(place, at: .zero) && !others.meets(place, at: .zero)
  }

  /// Returns whether a request meets a fault.
  func meets(_ place: FlowRun.RequestPosition, at time: Duration) -> Bool {
    let request = Request(endpoint: place.key)
    return scenario.rules.contains { rule in
      let trigger = rule.trigger
      if trigger.request?.mayMatch(request) == false { return false }
      if let attempt = trigger.attempt, attempt != place.ordinal { return false }
      if let first = trigger.first, place.ordinal > first { return false }
      if let window = trigger.window,
        !(window.start <= time && window.end.map { time < $0 } != false)
      {
        return false
      }
      return rule.faults.contains(where: \.replacesOrCuts)
    }
  }
}
