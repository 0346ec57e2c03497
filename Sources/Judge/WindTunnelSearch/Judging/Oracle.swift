internal import WindTunnelSymptoms

/// Tells what is broken of a run, by what the same flow does in calm.
struct Oracle: Sendable {
  let calm: FlowRun
  /// Tells whether the flow returns the same each time in calm, so that it can be compared.
  let comparesResults: Bool
  let invariants: [Invariant]
  /// The time that a call may take.
  let deadline: Duration
  /// The rules that may be broken.
  let allowed: Set<String>
  /// The number of calls of each key in calm.
  private let calmCalls: [String: Int]
  /// The most requests of each key at once in calm.
  private let calmAtOnce: [String: Int]

  /// Flies a flow in calm, and again with another seed: what it returns is compared only if it is
  /// the same each time.
  ///
  /// - Throws: `DrillError.plan` if the flow fails in calm.
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

  /// Returns what is broken, the gravest first.
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

  /// Returns what another order of turns changes in calm.
  func changes(of run: FlowRun) -> [Violation] {
    var violations: [Violation] = []
    if case .failed(let reason) = run.ending {
      violations.append(Violation("order-of-turns", "In calm the flow failed: \(reason)."))
    }
    let (before, after) = (calm.counts, run.counts)
    let more = after.filter { $0.value > before[$0.key] ?? 0 }.sorted { $0.key < $1.key }
    violations += more.map { key, count in
      let words = "\(before[key] ?? 0) in another order of turns"
      return Violation("order-of-turns", of: key, "\(key) was sent \(count) times, and \(words).")
    }
    return violations.filter { !allowed.contains($0.rule) }
  }

  /// Returns the POSTs that were under way more often at once than in calm: two who renew one
  /// token.
  private func twiceAtOnce(in run: FlowRun) -> [Violation] {
    run.mostAtOnce.sorted { $0.key < $1.key }.compactMap { key, most in
      guard key.hasPrefix("POST "), most > max(1, calmAtOnce[key] ?? 0) else { return nil }
      return Violation("twice-at-once", of: key, "\(key) was under way \(most) times at once.")
    }
  }

  private func findings(of run: FlowRun, in faultSet: FaultSet) -> [Violation] {
    // Of a flow whose requests all went well at once there is nothing to be found.
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
      "It returned without an error, and something else than in calm."
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
      // Nobody is to blame who was told that it is no use.
      guard retryWouldHelp(call, last, run, faultSet) else { return nil }
      example = example ?? (call, last)
    }
    guard let (call, last) = example else { return nil }
    let what = last.error ?? last.status.map { "status \($0)" } ?? "no answer"
    let times = call.attempts.count
    return Violation(
      "blank-page",
      of: call.endpoint,
      "After \(what) at \(times == 1 ? "its only attempt" : "the last of \(times) attempts") the "
        + "flow gave up; the next attempt would have had its answer."
    )
  }

  /// Tells whether the next attempt of a call would have got its answer, in time.
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
      // A wait until a date, or one that is none or endless, need not be understood.
      for case .status(_, let told?) in last.decision.faults {
        guard case .seconds = told else { return false }
      }
      wait = last.retryAfter ?? .zero
    case 401?:
      // A new credential would have been taken, and the client had got one.
      guard faultSet.asksForRenewal(at: place) else { return false }
      return run.isRenewed(between: start, and: last.start ?? end)
    default:
      guard last.mayPass else { return false }
      wait = .zero
    }
    let next = end + wait
    guard next - start + .seconds(1) < deadline else { return false }
    return !faultSet.meets(
      FlowRun.Place(key: place.key, ordinal: place.ordinal + 1),
      at: max(next, run.end) - run.start
    )
  }
}

extension FlowRun {
  /// The number of failures after which a circuit breaker may be open, and the time for which.
  private static let breaker = (failures: 4, time: Duration.seconds(60))

  /// Tells whether too few requests met a fault for a circuit breaker to open, or for a client to
  /// have tried often enough, or so long ago that it should be closed again. One whose answer was
  /// late may have been given up by the client.
  fileprivate var hasNoReasonToRefuse: Bool {
    let failed = attempts.filter(\.isHit)
    guard failed.count >= Self.breaker.failures, let last = failed.compactMap(\.end).max() else {
      return true
    }
    return end - last >= Self.breaker.time
  }

  /// The most POSTs of each key that were under way at once.
  fileprivate var mostAtOnce: [String: Int] {
    var most: [String: Int] = [:]
    var ends: [String: [Duration]] = [:]
    for (place, attempt) in zip(places, attempts) where place.key.hasPrefix("POST ") {
      // What a process began that is no more is no other's.
      guard let start = attempt.start, anew.map({ start >= $0 }) ?? true else { continue }
      let open = (ends[place.key] ?? []).filter { $0 > start }
      ends[place.key] = open + [attempt.end ?? .seconds(Int64.max / 2)]
      most[place.key] = max(most[place.key] ?? 0, open.count + 1)
    }
    return most
  }

  /// The time at which it ended.
  var end: Duration { start + observation.latency }

  /// Tells whether a POST was answered in a time, by which a credential may be renewed.
  fileprivate func isRenewed(between start: Duration, and end: Duration) -> Bool {
    zip(places, attempts).contains { place, attempt in
      guard let moment = attempt.end else { return false }
      return place.key.hasPrefix("POST ") && attempt.isAnswered && moment > start && moment <= end
    }
  }

  /// The last request, in words.
  fileprivate var lastWords: String {
    guard let place = places.last, let last = attempts.last else { return "it had sent nothing" }
    let came = last.error ?? last.status.map { "status \($0)" } ?? "no answer"
    return "its last request was \(place.key), with \(came)"
  }
}

extension Observation.Attempt {
  /// The failures that the next attempt need not meet: a certificate or a name stays as it is.
  private static let passing = Set(
    [Symptom.connectionRefused, .connectionLost, .emptyAnswer, .truncated, .timedOut].map(
      \.rawValue
    )
  )

  /// Tells whether what it met may pass at once.
  fileprivate var mayPass: Bool {
    if let error { return Self.passing.contains(error) }
    return status == 502 || status == 504
  }
}

extension FaultSet {
  /// Tells whether an answer was changed on purpose, which a client has to take for what it is.
  fileprivate var changesAnswers: Bool {
    scenario.rules.contains { $0.faults.contains(where: \.changesAnswer) }
  }

  /// Tells whether a request is refused until its credential is another, and by nothing else.
  fileprivate func asksForRenewal(at place: FlowRun.Place) -> Bool {
    var renewing = self
    renewing.scenario.rules.removeAll { $0.trigger.untilHeaderChanges == nil }
    var others = self
    others.scenario.rules.removeAll { $0.trigger.untilHeaderChanges != nil }
    return renewing.meets(place, at: .zero) && !others.meets(place, at: .zero)
  }

  /// Tells whether a request meets a fault.
  func meets(_ place: FlowRun.Place, at time: Duration) -> Bool {
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
