@_spi(WindTunnel) internal import WindTunnelCore

/// What the calls of one endpoint come to: sums, extremes and distributions, from which every figure
/// is worked out.
///
/// Nothing in it depends on the order of the calls or on how they were divided, so tallies of parts
/// merge to the tally of the whole.
struct Tally: Sendable, Hashable {
  private(set) var firstCall = Int.max
  private(set) var ends = EndTally()
  private(set) var retries = RetryTally()
  private(set) var manners = RetryAfterTally()
  private(set) var weather = WeatherTally()
  private(set) var cancels = CancelTally()
  private(set) var stages = StageTally()
  private(set) var recovery = RecoveryTally()
  /// From the intended start, of calls that succeeded and of those that did not.
  private(set) var succeeded = Distribution()
  private(set) var failed = Distribution()
  /// How much later than it was to each call began: the harness' own delay, not the client's.
  private(set) var startDelay = Distribution(exactMax: 10_000)
  /// The time that programs took to start.
  private(set) var startUp = Distribution(exactMax: 10_000)

  mutating func add(_ observation: Observation, _ names: inout FaultNames) {
    firstCall = min(firstCall, observation.call)
    if observation.notOnCassette != nil { return ends.addNotOnCassette() }
    ends.add(observation)
    retries.add(observation)
    if observation.attempts.count > 0 {
      manners.add(observation)
      // By place: the rest of an attempt need not be copied.
      for place in observation.attempts.indices {
        if let seen = observation.attempts[place].seenStages { stages.add(seen.value) }
      }
    }
    if observation.afterWindow != nil { recovery.add(observation) }
    weather.add(observation, &names)
    if let cancellation = observation.cancellation { cancels.add(cancellation) }
    if let intended = observation.intendedStart, let start = observation.start {
      startDelay.add(start - intended)
    }
    if let length = observation.startUp { startUp.add(length) }
    if observation.wasGivenUp { return }
    if observation.ending == .succeeded {
      succeeded.add(observation.latency)
    } else {
      failed.add(observation.latency)
    }
  }

  mutating func merge(_ other: Tally) {
    firstCall = min(firstCall, other.firstCall)
    ends.merge(other.ends)
    retries.merge(other.retries)
    manners.merge(other.manners)
    weather.merge(other.weather)
    cancels.merge(other.cancels)
    stages.merge(other.stages)
    recovery.merge(other.recovery)
    succeeded.merge(other.succeeded)
    failed.merge(other.failed)
    startDelay.merge(other.startDelay)
    startUp.merge(other.startUp)
  }

  /// All latencies together.
  var latency: Distribution {
    var all = succeeded
    all.merge(failed)
    return all
  }
}

/// How calls ended and what there was to show.
struct EndTally: Sendable, Hashable {
  var calls = 0
  var succeeded = 0
  var givenUp = 0
  var notOnCassette = 0
  var crashes = 0
  var hangs = 0
  var critical = 0
  var blank = 0
  var staleSeen = 0
  var stale = 0
  var bodiesCompared = 0
  var bodiesWrong = 0

  mutating func add(_ call: Observation) {
    calls += 1
    if call.wasGivenUp {
      givenUp += 1
      // Nobody waits for a page any more.
      return
    }
    switch call.ending {
    case .succeeded: succeeded += 1
    case .failed: break
    case .crashed: crashes += 1
    case .hung: hangs += 1
    }
    if let isStale = call.isStale {
      staleSeen += 1
      if isStale { stale += 1 }
    }
    if call.ending == .succeeded, let matches = call.bodyMatches {
      bodiesCompared += 1
      if !matches { bodiesWrong += 1 }
    }
    guard call.isCritical else { return }
    critical += 1
    if !call.showed { blank += 1 }
  }

  /// Counts a call that asked for what is not on the cassette: its outcome was not the client's
  /// doing.
  mutating func addNotOnCassette() {
    calls += 1
    notOnCassette += 1
  }

  mutating func merge(_ other: EndTally) {
    calls += other.calls
    notOnCassette += other.notOnCassette
    succeeded += other.succeeded
    givenUp += other.givenUp
    crashes += other.crashes
    hangs += other.hangs
    critical += other.critical
    blank += other.blank
    staleSeen += other.staleSeen
    stale += other.stale
    bodiesCompared += other.bodiesCompared
    bodiesWrong += other.bodiesWrong
  }
}

/// What became of the calls that their caller gave up.
struct CancelTally: Sendable, Hashable {
  var calls = 0
  var attemptsAfter = 0
  /// Of so many calls it was not seen.
  var unseen = 0
  var toReturn = Distribution(exactMax: 10_000)

  mutating func add(_ cancellation: Observation.Cancellation) {
    calls += 1
    toReturn.add(cancellation.toReturn)
    if let after = cancellation.attemptsAfter { attemptsAfter += after } else { unseen += 1 }
  }

  mutating func merge(_ other: CancelTally) {
    calls += other.calls
    attemptsAfter += other.attemptsAfter
    unseen += other.unseen
    toReturn.merge(other.toReturn)
  }
}
