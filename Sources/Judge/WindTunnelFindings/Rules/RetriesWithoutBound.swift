extension FindingRule {
  /// A call goes on trying beyond any use.
  static let retriesWithoutBound = FindingRule(
    id: "retries-without-bound",
    title:
      "Makes more than ten attempts for one call, or still tries when the drill stops waiting.",
    condition: "a call tried the same at least twice",
    cost: "An outage is answered with ten times the load, and the user waits for nothing.",
    fix:
      "Bound the attempts of a call, its whole time, and the share of retries among requests.",
    source: "Google SRE Book, ch. 22 (retries: per-request and per-client limits)",
    clients: Set(ClientRun.Client.allCases)
  ).eachCall(.repeats) { call in
    // Fewer attempts than that are bound, unless the last is not known.
    if call.attempts.count <= most, !call.traits.contains(.hung) {
      return call.repeats.isEmpty ? .notMet : .kept
    }
    let row = call.longestRow
    guard row.count >= 2 else { return .notMet }
    if row.count > most { return .broken("It made \(row.count) attempts for one call.") }
    let observation = call.observation
    guard observation.ending == .hung, !call.traits.contains(.starved), row.count >= 4,
      // A response on its way would have ended it.
      let last = row.last, !call.attempts[last].isAnswered,
      let start = call.attempts[last].start, let begun = call.begun,
      start - begun > observation.latency * 0.5
    else { return .kept }
    // Where most of the time went into attempts on which nothing came, the client may have a
    // bound that lies only a little further on.
    let silent = zip(row, row.dropFirst()).reduce(Duration.zero) { sum, pair in
      let (attempt, next) = (call.attempts[pair.0], call.attempts[pair.1])
      guard attempt.isSilence, let from = attempt.start, let to = next.start else { return sum }
      return sum + (to - from)
    }
    return .broken(
      "After \(Figures.time(start - begun)) and \(row.count) attempts it was still trying.",
      severity: silent > (start - begun) * 0.5 ? .warning : nil
    )
  }

  /// hashicorp/go-retryablehttp and others go as far as that when asked to.
  private static let most = 10
}
