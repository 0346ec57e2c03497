internal import Dispatch
internal import Foundation
internal import WindTunnel
internal import WindTunnelServer
internal import WindTunnelSymptoms

/// Makes one subject's calls in one scenario and tells of each: the inside of a drill, in a process
/// of the subject's own or in that of a test.
struct CallRunner: Sendable {
  let itinerary: Itinerary
  private let subject: any Subject
  private let scenario: Scenario
  private let site: any Site
  private let deck: Deck
  private let seesAttempts: Bool
  private let deadline: Duration
  private let attemptTimeout: Duration
  private let tell: @Sendable (Telegram) -> Void
  private let seed: UInt64
  private let attempts: AttemptTeller
  private let bodies: RecordedBodies
  private let epoch: DispatchTime
  private let authorityFile: URL?
  private let alarms: (hanging: Alarm, givingUp: Alarm)

  /// Sets the stage up.
  init(
    _ subject: any Subject,
    _ stand: Stand,
    deadline: Duration,
    attemptTimeout: Duration,
    epoch: DispatchTime = .now(),
    _ tell: @escaping @Sendable (Telegram) -> Void
  ) async throws {
    if subject.needsSockets, stand.stage == .inProcess {
      throw DrillError.plan("A program cannot be flown in process: it is another process.")
    }
    self.subject = subject
    self.deadline = deadline
    self.attemptTimeout = attemptTimeout
    self.tell = tell
    (scenario, seed) = (stand.scenario, stand.seed)
    itinerary = Itinerary(
      stand.cassette,
      mix: stand.mix,
      seed: stand.seed,
      matcher: .pathAndQuery
    )
    bodies = RecordedBodies(stand.cassette, matcher: .pathAndQuery)
    self.epoch = epoch
    let attempts = AttemptTeller(stand.cassette, on: stand.stage, epoch: epoch, tell)
    self.attempts = attempts
    let isNamed =
      subject.needsSockets && stand.stage == .onTheWire && Sites.needsNames(stand.scenario)
    let names =
      isNamed
      ? try await LateNames(after: stand.scenario.link?.dnsDelay ?? .zero) {
        attempts.askedForName(of: $0, until: $1)
      } : nil
    deck = Deck(
      stand.cassette,
      // What is waited for at the name server is not waited for again.
      scenario: names == nil ? stand.scenario : stand.scenario.withoutLookUps,
      seed: stand.seed,
      options: PlaybackOptions(
        matcher: .pathAndQuery,
        then: .repeat
      ),
      observe: { attempts.began($0) },
      follow: { attempts.followed($0, $1) }
    )
    if let elapsed = stand.elapsed { deck.begin(aged: elapsed) }
    seesAttempts = Sites.seesAttempts(in: stand.scenario, on: stand.stage)
    (authorityFile, alarms) = (stand.authority?.file, (stand.hanging, stand.givingUp))
    site = try await Sites.site(
      stand.stage,
      deck,
      stand.scenario,
      stand.errors,
      stand.authority?.issuer,
      names
    )
  }

  /// The longest a harness waits for a call before it declares a hang: a client that keeps to its
  /// deadline gets some time to return.
  static func patience(_ deadline: Duration) -> Duration { deadline + deadline / 2 + .seconds(1) }

  /// Makes these calls. Once the task is cancelled no further one begins, and those in the air are
  /// abandoned.
  func run(_ calls: [Int], load: Load) async {
    switch load {
    case .closedLoop(let concurrency): await run(calls, atOnce: concurrency)
    case .openLoop(let rate):
      let count = (calls.max() ?? -1) + 1
      await run(calls, Departures(seed: seed, callsPerSecond: rate, count: count))
    }
  }

  /// Each begins at its moment, counted from that of the first: what a process that fell has left
  /// over is not late because of it.
  private func run(_ calls: [Int], _ departures: Departures) async {
    guard let first = calls.first.map(departures.offset) else { return }
    let start = ContinuousClock.now
    await withTaskGroup(of: Void.self) { group in
      for (count, number) in calls.enumerated() {
        let due = start + (departures.offset(of: number) - first)
        // Only a cancellation ends it early, and the loop sees that.
        try? await Task.sleep(until: due, tolerance: .zero, clock: .continuous)
        if count >= Load.inAirMax { await group.next() }
        if Task.isCancelled { return }
        group.addTask { await fly(number, due: due) }
      }
    }
  }

  private func run(_ calls: [Int], atOnce concurrency: Int) async {
    let queue = CallQueue(calls)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<max(1, min(concurrency, calls.count)) {
        group.addTask {
          while !Task.isCancelled, let number = queue.next() { await fly(number, due: nil) }
        }
      }
    }
  }

  /// How long what a client does after its calls were given up is watched.
  static let watchAfterCancels = Duration.seconds(1)

  /// Clears the stage. Where calls were given up, what their client still sends is seen first.
  func close() async {
    // Whoever is cancelled meanwhile waits no longer.
    if scenario.cancellation != nil { try? await Task.sleep(for: Self.watchAfterCancels) }
    await site.close()
  }

  /// Makes a call; its latency counts from when it is due, or else from its first step.
  private func fly(_ number: Int, due: ContinuousClock.Instant?) async {
    tell(.began(number))
    let request = itinerary.request(of: number)
    let way: Way
    do {
      way = try await site.enter(Itinerary.lane(scenario.name, number))
    } catch {
      return tell(.refused("\(error)"))
    }
    let call = DrillCall(
      index: number,
      request: request,
      baseURL: way.baseURL,
      session: way.session,
      configure: way.configure,
      attemptTimeout: attemptTimeout,
      deadline: deadline,
      authorityFile: authorityFile,
      network: way.network
    )
    let start = epoch.elapsed
    let intended = due.map { max(.zero, start - (ContinuousClock.now - $0)).inWholeMicroseconds }
    let end = await Landed.first(
      within: Self.patience(deadline),
      due: due,
      cancelledAfter: scenario.cancellation(
        seed: seed,
        lane: Itinerary.lane(scenario.name, number)
      ),
      number: number,
      alarms: alarms
    ) { [subject] in await subject.fly(call) }
    site.leave(way, isHung: end.landing == nil)
    let seen = attempts.take(number, since: start)
    let startUp = startUp(of: call, seen)
    var observation = Observation(
      call: number,
      endpoint: itinerary.endpoint(of: number),
      isCritical: scenario.isCritical(request),
      ending: end.landing?.ending ?? .hung,
      showed: call.said ?? end.landing.map { showed($0, request) } ?? false,
      latency: max(.zero, end.latency - (startUp ?? .zero)).inWholeMicroseconds,
      attemptCount: seesAttempts ? seen.count : nil
    )
    (observation.intendedStart, observation.start) = (intended, start)
    observation.startUp = startUp
    observation.clientAttempts = end.landing?.attempts
    observation.isStale = call.saidStale
    if let window = scenario.lastWindowEnd, let now = deck.elapsed(at: Date()), now >= window {
      observation.afterWindow = (now - window).inWholeMicroseconds
    }
    // Whatever came of it later, nobody waited for it any more.
    if let moment = end.cancelled, end.landing != nil, observation.ending != .crashed,
      observation.ending != .hung
    {
      observation.cancellation = Observation.Cancellation(
        after: moment.inWholeMicroseconds,
        toReturn: max(.zero, end.latency - moment).inWholeMicroseconds,
        attemptsAfter: seesAttempts ? 0 : nil
      )
    }
    if observation.ending != .crashed, observation.ending != .hung,
      seen.count > 0 || seesAttempts && observation.ending != .succeeded
    {
      observation.notOnCassette = seen.notOnCassette
    }
    // What the server changed on purpose no client can tell.
    if let landing = end.landing, landing.ending == .succeeded, !seen.hasMutation {
      observation.bodyMatches = bodies.match(landing, request)
      observation.printed = bodies.printed(landing, request)
    }
    tell(.ended(observation))
  }

  /// Returns how long a call's program took from its start to its first sign.
  private func startUp(of call: DrillCall, _ seen: AttemptTeller.Seen) -> Duration? {
    guard let begun = call.programStart.withLock({ $0 }), let sign = seen.firstSign else {
      return nil
    }
    let before = begun.uptimeNanoseconds - min(epoch.uptimeNanoseconds, begun.uptimeNanoseconds)
    return max(.zero, sign - .nanoseconds(Int64(before))).inWholeMicroseconds
  }

  /// Whether a call has something to show: a body that is not empty and decodes.
  private func showed(_ landing: Landing, _ request: Request) -> Bool {
    landing.showed && (landing.isShown != nil || bodies.decodes(landing, request))
  }
}
