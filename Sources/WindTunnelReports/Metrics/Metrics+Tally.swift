extension Metrics {
  /// Works the figures out.
  init(_ tally: Tally) {
    let (ends, retries, manners) = (tally.ends, tally.retries, tally.manners)
    let judged = ends.calls - ends.givenUp - ends.notOnCassette
    (calls, notOnCassette) = (ends.calls, ends.notOnCassette)
    successRate = Self.share(ends.succeeded, of: judged)
    let interval = Statistics.wilson(ends.succeeded, of: judged)
    (successRateLower, successRateUpper) = (interval?.lower, interval?.upper)
    latency = Latency(tally.latency)
    succeeded = Latency(tally.succeeded)
    failed = Latency(tally.failed)
    blankPageRate = Self.share(ends.blank, of: ends.critical)
    blankPages = ends.critical > 0 ? ends.blank : nil
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
    // Most drills start no programs, and then there is no such stage.
    if tally.startUp.count > 0 { stages.insert(StageLatency("startUp", tally.startUp), at: 0) }
    startDelayP99 = tally.startDelay.sorted.percentile(0.99)
    faults = tally.weather.allFired
    endings = tally.weather.allSurfaced
    // What follows is known only where every attempt could be seen.
    guard judged > 0, retries.unseen == 0, retries.seen == judged else { return }
    let count = Double(judged)
    unexpectedErrors = tally.weather.unexpected
    firstTrySuccessRate = Self.share(retries.firstTry, of: judged)
    recoveredRate = Self.share(tally.weather.recovered, of: tally.weather.met)
    averageRetries = Double(retries.retries) / count
    retriesP95 = retries.percentile(0.95)
    retriesMax = retries.most
    callsByRetries = retries.calls
    amplification = Double(retries.attempts) / count
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

extension WeatherTally {
  /// The name that stands for all that are not counted by their own.
  private static let others = "others"

  var allFired: [Metrics.Fired] {
    var all = fired.named.map { name, count in
      Metrics.Fired(fault: name, attempts: count, noticed: noticed.named[name] ?? 0)
    }
    all.sort { $0.fault < $1.fault }
    if fired.others > 0 {
      all.append(.init(fault: Self.others, attempts: fired.others, noticed: noticed.others))
    }
    return all
  }

  var allSurfaced: [Metrics.Surfaced] {
    var all = surfaced.named.map { name, count in
      let parts = name.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
      return Metrics.Surfaced(
        fault: String(parts.first ?? ""),
        ending: String(parts.last ?? ""),
        calls: count
      )
    }
    if plain > 0 {
      all.append(.init(fault: Self.none, ending: "succeeded", calls: plain))
    }
    all.sort { ($0.fault, $0.ending) < ($1.fault, $1.ending) }
    if surfaced.others > 0 {
      all.append(.init(fault: Self.others, ending: Self.others, calls: surfaced.others))
    }
    return all
  }
}
