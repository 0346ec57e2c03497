internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer
internal import WindTunnelSymptoms
internal import WindTunnelURLSession

/// A runner of one client's calls in one scenario. It reports each call. It is
/// the core of a drill, in the client's own process or in a test's process.
struct CallRunner: Sendable {
  /// The cassette, scenario and stage of a run.
  struct Setup: Sendable {
    var cassette: Cassette
    var scenario: Scenario
    var mix = Mix()
    /// The number of calls that make each request at least once; `nil` in a scenario with faults.
    var coveringCalls: Int?
    /// The parts by which requests are compared.
    var matcher = Matcher.pathAndQuery
    var seed: UInt64
    var stage: Stage
    var errors: Symptom.Platform
    /// The versions of HTTP that servers speak.
    var httpVersions = HTTPVersions.any
    /// The age of the scenario at the first attempt, for rules with a window of time.
    var elapsed: Duration?
    /// The authority that issues the certificates, and its file, if the client receives it.
    var authority: (issuer: CertificateAuthority, file: URL)?
    /// The time after which a call counts as hung. `nil` means a time derived from the deadline.
    var patience: Duration?
    /// The alarm for calls that hang.
    var hanging = Alarm.byOneTimer()
    /// The alarm at which callers cancel their calls.
    var givingUp = Alarm.clock
  }

  let workload: Workload
  private let subject: any Subject
  private let setup: Setup
  private let target: any Target
  private let deck: Deck
  private let deadline: Duration
  private let attemptTimeout: Duration
  private let emit: @Sendable (WorkerMessage) -> Void
  private let attempts: AttemptTracker
  private let bodies: RecordedBodies
  private let texts: RecordedTexts
  /// The keys of the requests whose calls must show content.
  private let critical: Set<RequestKey>
  private let epoch: DispatchTime
  /// The start of an app on the cassette, or `nil` if it has none.
  private let startWatch: StartWatch?
  /// The number of calls so far.
  private let begun = Locked(0)

  private var scenario: Scenario { setup.scenario }
  private var seesAttempts: Bool { Targets.seesAttempts(in: scenario, on: setup.stage) }

  /// Creates a runner and sets up its stage.
  init(
    _ subject: any Subject,
    _ setup: Setup,
    deadline: Duration,
    attemptTimeout: Duration,
    epoch: DispatchTime = .now(),
    _ emit: @escaping @Sendable (WorkerMessage) -> Void
  ) async throws {
    if subject.needsSockets, setup.stage == .inProcess {
      throw DrillError.plan("A program cannot run in process: it is another process.")
    }
    (self.subject, self.setup, self.emit, self.epoch) = (subject, setup, emit, epoch)
    (self.deadline, self.attemptTimeout) = (deadline, attemptTimeout)
    workload = Workload(
      setup.cassette,
      mix: setup.mix,
      seed: setup.seed,
      matcher: setup.matcher,
      holdingConversations: subject.holdsConversations(on: setup.stage),
      coveringAllBy: setup.coveringCalls
    )
    bodies = RecordedBodies(setup.cassette, matcher: setup.matcher)
    texts = RecordedTexts(setup.cassette, matcher: setup.matcher)
    critical = Set(
      workload.all.filter { setup.scenario.isCritical($0) }.map { setup.matcher.key($0) }
    )
    let attempts = AttemptTracker(
      setup.cassette,
      streams: texts.streamPlaces,
      starts: StartRequests(keys: workload.startKeys, startup: workload.startup) { [workload] in
        workload.key(of: $0).text
      },
      on: setup.stage,
      epoch: epoch,
      emit
    )
    self.attempts = attempts
    let isLate =
      subject.needsSockets && setup.stage == .onTheWire && Targets.needsNames(setup.scenario)
    let delay = setup.scenario.link?.dnsDelay ?? .zero
    let names =
      isLate
      ? try await LateNames(after: delay) { attempts.askedForName(of: $0, until: $1) } : nil
    deck = Deck(
      setup.cassette,
      // The delay of DNS responses is not added a second time.
      scenario: names == nil ? setup.scenario : setup.scenario.withoutLookUps,
      seed: setup.seed,
      options: Self.options(setup, servers: workload.startup?.servers ?? []),
      observe: { attempts.observe($0) }
    )
    target = try await Targets.target(
      setup.stage,
      deck,
      setup.scenario,
      setup.errors,
      setup.authority?.issuer,
      names,
      speaking: setup.httpVersions,
      servers: workload.startup?.servers ?? []
    )
    startWatch = workload.startup.map { StartWatch($0, in: setup.scenario, subject) }
  }

  /// Returns the options for playing a cassette to a client.
  private static func options(_ setup: Setup, servers: [RequestURL]) -> PlaybackOptions {
    var options = PlaybackOptions(matcher: setup.matcher, then: .repeat, keepsRequests: false)
    // The call's own address stands for the nearest of several servers.
    options.origin = servers.first
    if VirtualWorld.isHere.withLock({ $0 }) { options.exchangeTime = VirtualWorld.exchangeTime }
    return options
  }

  /// Makes these calls. After the task is cancelled, no further call begins, and the running calls
  /// are abandoned.
  func run(_ calls: [Int], load: Load) async {
    await prepare(calls)
    // If one response can fill the memory, concurrent calls would need a multiple of it.
    if scenario.hasUnboundedBodies { return await run(calls, atOnce: 1) }
    switch load.atMost(scenario.callsPerSecond) {
    case .closedLoop(let concurrency): await run(calls, atOnce: concurrency)
    case .openLoop(let rate):
      let count = (calls.max() ?? -1) + 1
      await begin(calls, ArrivalProcess(seed: setup.seed, callsPerSecond: rate, count: count))
    }
  }

  /// Makes these calls, each at its own time, counted from that of the first. Calls that are left
  /// over from a crashed process are therefore not late.
  func run(_ calls: [Int], _ arrivals: ArrivalProcess) async {
    await prepare(calls)
    await begin(calls, arrivals)
  }

  /// Warms the client up without faults, and then starts the scenario.
  private func prepare(_ calls: [Int]) async {
    let state = scenario.startup ?? .warm
    await subject.warmUp(
      WarmUp(calls: calls, workload: workload, cassette: setup.cassette, startupState: state)
    )
    if let age = setup.elapsed { deck.begin(aged: age) }
  }

  private func begin(_ calls: [Int], _ arrivals: ArrivalProcess) async {
    guard let first = calls.first.map(arrivals.offset) else { return }
    let start = ContinuousClock.now
    await withTaskGroup(of: Void.self) { group in
      for (count, number) in calls.enumerated() {
        let due = start + (arrivals.offset(of: number) - first)
        // Only a cancellation ends the wait early, and the loop checks for it.
        try? await Task.sleep(until: due, tolerance: .zero, clock: .continuous)
        if count >= Load.inAirMax { await group.next() }
        if Task.isCancelled { return }
        group.addTask { await run(number, due: due) }
      }
    }
  }

  private func run(_ calls: [Int], atOnce concurrency: Int) async {
    let pace = Pace(callsPerSecond: scenario.callsPerSecond)
    // Only a cancellation ends it early.
    _ = try? await calls.flown(by: max(1, concurrency)) { number in
      try Task.checkCancellation()
      await pace.wait()
      try Task.checkCancellation()
      await run(number, due: nil)
    }
  }

  /// The time for which a client is observed after its calls were cancelled.
  private static let watchAfterCancels = Duration.seconds(1)

  /// Closes the stage. If calls were cancelled, the client's remaining traffic is observed first.
  func close() async {
    // A cancellation ends this wait early.
    if scenario.cancellation != nil { try? await Task.sleep(for: Self.watchAfterCancels) }
    if scenario.keepsConnections {
      let calls = begun.withLock { $0 }
      let seen = await target.settled(after: calls, unread: scenario.sendsLargeBodies)
      if let seen { emit(.connections(seen)) }
    }
    await subject.close()
    await target.close()
  }

  /// Runs a call. Its latency counts from the time when it is due, or from its first step if it has
  /// no such time.
  private func run(_ number: Int, due: ContinuousClock.Instant?) async {
    begun.withLock { $0 += 1 }
    emit(.began(number, at: epoch.elapsed))
    let key = workload.key(of: number)
    let lane = Workload.lane(scenario.name, number)
    let route: CallRoute
    do {
      route = try await target.open(lane)
    } catch {
      return emit(.refused("\(error)"))
    }
    let kept: TemporaryFolder?
    do { kept = try startWatch?.keptFolder() } catch {
      return emit(.refused("The app's stored files cannot be written: \(error)"))
    }
    defer { kept?.remove() }
    let call = DrillCall(
      index: number,
      request: workload.request(of: number),
      isCritical: critical.contains(key),
      route: route,
      attemptTimeout: attemptTimeout,
      deadline: deadline,
      authorityFile: setup.authority?.file,
      conversation: workload.conversation(of: number),
      kept: kept.map(StartWatch.configuration),
      watchesMemory: scenario.hasUnboundedBodies
    )
    watch(call)
    let start = epoch.elapsed
    let intended = due.map { max(.zero, start - (ContinuousClock.now - $0)).inWholeMicroseconds }
    let end = await CallCompletion.first(
      within: subject.needsSockets ? nil : setup.patience ?? DrillCall.patience(deadline),
      due: due,
      cancelledAfter: scenario.cancellation(seed: setup.seed, lane: lane),
      number: number,
      alarms: (setup.hanging, setup.givingUp)
    ) { [subject] in await subject.run(call) }
    route.close(isHung: end.result == nil)
    // A hung call sends nothing more while other calls run.
    if end.result == nil { route.exchange?.die() }
    let seen = attempts.take(number, since: start)
    var observation = observation(of: call, key, end, seen)
    (observation.intendedStart, observation.start) = (intended, start)
    emit(.ended(observation))
  }

  /// Notifies the call's program start of its first sign, and of unbounded attempts.
  private func watch(_ call: DrillCall) {
    if subject.needsSockets {
      attempts.tellFirstSign(of: call.index) { [epoch, start = call.programStart] moment in
        start.isSeen(at: epoch + moment)
      }
    }
    if VirtualWorld.isHere.withLock({ $0 }) {
      attempts.tell(of: call.index, after: VirtualWorld.attemptsMax) {
        [start = call.programStart] in
        start.isEndless()
      }
    }
  }

  /// Returns the observation of a call that has ended, without the times of its beginning.
  private func observation(
    of call: DrillCall,
    _ key: RequestKey,
    _ end: CallCompletion.CallOutcome,
    _ seen: CallFacts
  ) -> Observation {
    let startUp = startUp(of: call, seen)
    var observation = Observation(
      call: call.index,
      endpoint: workload.endpoint(of: call.index),
      isCritical: call.isCritical,
      ending: end.result?.ending ?? .hung,
      showed: call.said ?? end.result.map { shows($0, call.index, key, seen) } ?? false,
      latency: max(.zero, end.latency - (startUp ?? .zero)).inWholeMicroseconds,
      attemptCount: seesAttempts ? seen.count - seen.start.count : nil
    )
    observation.startUp = startUp
    observation.clientAttempts = end.result?.attempts
    let ended = ended(call, end.result, key, seen)
    observation.bodyMatches = ended.bodyMatches
    for row in FindingRule.evidence { row.probe(ended, into: &observation) }
    // The caller had cancelled the call and did not wait for its result.
    if let moment = end.cancelled, end.result != nil, !observation.ending.isFall {
      observation.cancellation = Observation.Cancellation(
        after: moment.inWholeMicroseconds,
        toReturn: max(.zero, end.latency - moment).inWholeMicroseconds,
        attemptsAfter: seesAttempts ? 0 : nil
      )
    }
    // Assigning `nil` takes time as well once a call has any facts, so it is avoided.
    if let words = seen.notOnCassette, !observation.ending.isFall,
      seen.count > 0 || seesAttempts && observation.ending != .succeeded
    {
      observation.notOnCassette = words
    }
    return observation
  }

  /// Returns the observations of a call at its end. The rules take their evidence from them.
  private func ended(
    _ call: DrillCall,
    _ result: CallResult?,
    _ key: RequestKey,
    _ seen: CallFacts
  ) -> EndedCall {
    // Comparing bodies takes time, so the clock is read first.
    let now = scenario.lastWindowEnd == nil ? nil : deck.elapsed(at: Date())
    var ended = EndedCall(result, of: key, against: bodies, texts, hasMutation: seen.hasMutation)
    (ended.requests, ended.versions) = (seen.requests, seen.versions)
    (ended.cut, ended.endsInErrorEvent) = (seen.cut, seen.endsInErrorEvent)
    (ended.isStale, ended.received) = (call.saidStale, call.saidReceived(since: epoch))
    if let window = scenario.lastWindowEnd, let now, now >= window {
      ended.afterWindow = (now - window).inWholeMicroseconds
    }
    if let startWatch {
      (ended.rogues, ended.failedProbes) = (startWatch.rogues, seen.start.failedProbes)
      ended.configuration = startWatch.configuration(of: seen)
    }
    return ended
  }

  /// Returns whether a call shows content. For a conversation any content is enough, because its
  /// messages are not a single text.
  private func shows(_ result: CallResult, _ number: Int, _ key: RequestKey, _ seen: CallFacts)
    -> Bool
  {
    workload.conversation(of: number) != nil
      ? result.hasContent : bodies.shows(result, key, isServed: seen.isServed || seen.hasMutation)
  }

  /// Returns the time from the start of a call's program to its first sign. If one program serves
  /// several calls, the sign may belong to another call.
  private func startUp(of call: DrillCall, _ seen: CallFacts) -> Duration? {
    guard let begun = call.programStart.due, let sign = seen.firstSign else { return nil }
    func sinceEpoch(_ moment: DispatchTime) -> Duration {
      let before = min(epoch.uptimeNanoseconds, moment.uptimeNanoseconds)
      return .nanoseconds(Int64(moment.uptimeNanoseconds - before))
    }
    let there = call.programStart.there.map { min(sinceEpoch($0), sign) } ?? sign
    return max(.zero, there - sinceEpoch(begun)).inWholeMicroseconds
  }
}
