@_spi(WindTunnel) internal import WindTunnelCore

/// The sums of the calls of one endpoint: counts, extremes and distributions. All figures are
/// calculated from them.
///
/// They do not depend on the order of the calls or on how these were divided. The tallies of parts
/// therefore merge to the tally of the whole drill.
struct Tally: Sendable, Hashable {
  private(set) var firstCall = Int.max
  fileprivate private(set) var ends = EndTally()
  fileprivate private(set) var retries = RetryTally()
  fileprivate private(set) var manners = RetryAfterTally()
  fileprivate private(set) var weather = WeatherTally()
  fileprivate private(set) var cancels = CancelTally()
  fileprivate private(set) var stages = StageTally()
  fileprivate private(set) var recovery = RecoveryTally()
  fileprivate private(set) var conversations = ConversationTally()
  /// The latencies from the intended start, of successful and of failed calls.
  fileprivate private(set) var succeeded = Distribution()
  fileprivate private(set) var failed = Distribution()
  /// The delay with which each call began, which is caused by the harness and not by the client.
  fileprivate private(set) var startDelay = Distribution(exactMax: 10_000)
  /// The time that programs took to start.
  fileprivate private(set) var startUp = Distribution(exactMax: 10_000)

  mutating func add(_ observation: Observation, _ screens: Screens = .named) {
    firstCall = min(firstCall, observation.call)
    if observation.notOnCassette != nil { return ends.addNotOnCassette() }
    ends.add(observation, screens)
    retries.add(observation)
    if observation.attempts.count > 0 {
      manners.add(observation)
      // By index, so that the rest of an attempt is not copied.
      for place in observation.attempts.indices {
        if let seen = observation.attempts[place].seenStages { stages.add(seen.value) }
      }
      conversations.add(observation)
    }
    if observation.afterWindow != nil { recovery.add(observation) }
    weather.add(observation)
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
    conversations.merge(other.conversations)
    succeeded.merge(other.succeeded)
    failed.merge(other.failed)
    startDelay.merge(other.startDelay)
    startUp.merge(other.startUp)
  }

  /// The latencies of all calls.
  fileprivate var latency: Distribution {
    var all = succeeded
    all.merge(failed)
    return all
  }
}

/// The endings of calls, and whether they showed content.
private struct EndTally: Sendable, Hashable {
  private(set) var calls = 0
  private(set) var succeeded = 0
  private(set) var givenUp = 0
  private(set) var notOnCassette = 0
  private(set) var crashes = 0
  private(set) var hangs = 0
  private(set) var criticalReads = 0
  private(set) var blank = 0
  private(set) var criticalActions = 0
  private(set) var failedActions = 0
  private(set) var staleSeen = 0
  private(set) var stale = 0
  private(set) var bodiesCompared = 0
  private(set) var bodiesWrong = 0

  mutating func add(_ call: Observation, _ screens: Screens) {
    calls += 1
    if call.wasGivenUp {
      givenUp += 1
      // The user has left the screen.
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
    guard call.isCritical || screens == .byDefault && call.isRead else { return }
    if call.isRead { criticalReads += 1 } else { criticalActions += 1 }
    if call.showed { return }
    if call.isRead { blank += 1 } else { failedActions += 1 }
  }

  /// Counts a call with a request that is not on the cassette. Its result was not caused by the
  /// client.
  mutating func addNotOnCassette() {
    calls += 1
    notOnCassette += 1
  }

  mutating func merge(_ other: EndTally) {
    for count in Self.counts { self[keyPath: count] += other[keyPath: count] }
  }

  private static let counts: [any WritableKeyPath<EndTally, Int> & Sendable] = [
    \.calls, \.notOnCassette, \.succeeded, \.givenUp, \.crashes, \.hangs, \.criticalReads,
    \.blank, \.criticalActions, \.failedActions, \.staleSeen, \.stale, \.bodiesCompared,
    \.bodiesWrong,
  ]
}

/// The results of the calls that their callers cancelled.
private struct CancelTally: Sendable, Hashable {
  private(set) var calls = 0
  private(set) var attemptsAfter = 0
  /// The number of calls for which this was not observed.
  private(set) var unseen = 0
  private(set) var toReturn = Distribution(exactMax: 10_000)

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

/// The durations of the stages of attempts, separately for each stage.
private struct StageTally: Sendable, Hashable {
  /// The stages in the order in which they happen. A stage that was never observed has no values.
  private var stages = Array(
    repeating: Distribution(exactMax: 10_000),
    count: ExchangeStages.names.count
  )

  mutating func add(_ seen: ExchangeStages) {
    // Without an array, because this runs for each of millions of attempts.
    add(seen.dns, 0)
    add(seen.connect, 1)
    add(seen.tls, 2)
    add(seen.upload, 3)
    add(seen.firstByte, 4)
    add(seen.body, 5)
  }

  private mutating func add(_ length: Duration?, _ place: Int) {
    if let length { stages[place].add(length) }
  }

  mutating func merge(_ other: StageTally) {
    for place in stages.indices { stages[place].merge(other.stages[place]) }
  }

  /// The figures of the observed durations.
  var figures: [Metrics.StageLatency] {
    zip(ExchangeStages.names, stages).map { Metrics.StageLatency($0, $1) }
  }
}

extension Metrics {
  /// Calculates the figures of a tally.
  init(_ tally: Tally, _ screens: Screens = .named) {
    self.screens = screens
    let (ends, retries) = (tally.ends, tally.retries)
    let judged = ends.calls - ends.givenUp - ends.notOnCassette
    (calls, notOnCassette) = (ends.calls, ends.notOnCassette)
    successRate = Self.share(ends.succeeded, of: judged)
    let interval = Statistics.wilson(ends.succeeded, of: judged)
    (successRateLower, successRateUpper) = (interval?.lower, interval?.upper)
    latency = Latency(tally.latency)
    succeeded = Latency(tally.succeeded)
    failed = Latency(tally.failed)
    blankScreenRate = Self.share(ends.blank, of: ends.criticalReads)
    blankScreens = ends.criticalReads > 0 ? ends.blank : nil
    failedActionRate = Self.share(ends.failedActions, of: ends.criticalActions)
    failedActions = ends.criticalActions > 0 ? ends.failedActions : nil
    (crashes, hangs) = (ends.crashes, ends.hangs)
    staleServed = ends.staleSeen > 0 ? ends.stale : nil
    silentTruncations = ends.bodiesCompared > 0 ? ends.bodiesWrong : nil
    cancelledCalls = tally.cancels.calls
    attemptsAfterCancel =
      tally.cancels.calls > 0 && tally.cancels.unseen == 0 ? tally.cancels.attemptsAfter : nil
    cancelReturnP95 = tally.cancels.toReturn.sorted.percentile(0.95)
    recoveryP95 = tally.weather.recovery.sorted.percentile(0.95)
    (firstRecovery, steadyRecovery) = (tally.recovery.first, tally.recovery.steady)
    stages = tally.stages.figures
    // Most drills start no programs, and have no such stage.
    if tally.startUp.count > 0 { stages.insert(StageLatency("startUp", tally.startUp), at: 0) }
    startDelayP99 = tally.startDelay.sorted.percentile(0.99)
    faults = tally.weather.allFired
    unappliedFaults = tally.weather.allUndone
    endings = tally.weather.allSurfaced
    callsByOwnWord = retries.reported
    take(tally.conversations)
    guard judged > 0 else { return }
    let count = Double(judged)
    // If there is no server to connect to, only the client knows the number of its attempts.
    if retries.seen + retries.reported == judged {
      averageRetries = Double(retries.retries + retries.reportedRetries) / count
    }
    // The following figures are known only if every attempt could be observed.
    if retries.unseen == 0, retries.seen == judged { takeAttempts(tally, judged: judged) }
  }

  private mutating func take(_ conversations: ConversationTally) {
    reconnectP95 = conversations.reconnect.p95
    reconnectedRate = conversations.reconnect.endedShare
    resubscribeP95 = conversations.resubscribe.p95
    firstEventP95 = conversations.firstEvent.sorted.percentile(0.95)
    longestGap = conversations.longestGap
    pingsAnswered = Self.share(conversations.pongs, of: conversations.pings)
    (messagesLost, messagesDoubled) = (
      conversations.messages?.lost, conversations.messages?.doubled
    )
    (messagesOutOfOrder, messagesLate) = (
      conversations.messages?.outOfOrder, conversations.messages?.late
    )
  }

  private mutating func takeAttempts(_ tally: Tally, judged: Int) {
    let (retries, manners) = (tally.retries, tally.manners)
    unexpectedErrors = tally.weather.unexpected
    firstTrySuccessRate = Self.share(retries.firstTry, of: judged)
    recoveredRate = Self.share(tally.weather.recovered, of: tally.weather.met)
    retriesP95 = retries.percentile(0.95)
    retriesMax = retries.most
    callsByRetries = retries.calls
    amplification = Double(retries.attempts) / Double(judged)
    worstSecondAmplification = retries.worstSecond
    silentRetries =
      retries.clientSeen == judged ? Swift.max(0, retries.attempts - retries.clientAttempts) : nil
    duplicates = manners.repeatableUnseen == 0 ? manners.duplicates : nil
    if manners.askedUnseen == 0 {
      retryAfterCompliance = Self.share(manners.asked - manners.early, of: manners.asked)
      earlyRetries = manners.asked > 0 ? manners.early : nil
    }
    thunderingHerdIndex = retries.herdIndex
    backoff = manners.gaps.enumerated().compactMap { place, gaps in
      Backoff(retry: place + 1, gaps.sorted)
    }
  }

  private static func share(_ part: Int, of whole: Int) -> Double? {
    whole > 0 ? Double(part) / Double(whole) : nil
  }
}

extension Metrics.Backoff {
  fileprivate init?(retry: Int, _ gaps: SortedDistribution) {
    guard let least = gaps.value(atRank: 1), let median = gaps.percentile(0.5),
      let most = gaps.percentile(1)
    else { return nil }
    self.init(
      retry: retry,
      count: gaps.count,
      min: least,
      median: median,
      max: most,
      variation: gaps.variation
    )
  }
}
