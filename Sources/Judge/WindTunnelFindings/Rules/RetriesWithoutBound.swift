extension FindingRule {
  /// Finds clients that retry without a limit.
  static let retriesWithoutBound = FindingRule(
    id: "retries-without-bound",
    title:
      "Makes more than ten attempts for one call, or still tries when the drill stops waiting.",
    condition: "a call made the same request at least twice",
    cost: "An outage gets ten times the load, and the user waits in vain.",
    fix: "Limit the attempts of a call, its duration, and the share of retries among requests.",
    source: "Google SRE Book, ch. 22 (retries: per-request and per-client limits)",
    clients: Set(ClientRun.Client.allCases)
  ).eachCall(.repeats) { call in
    // Fewer attempts are within a limit, unless the call had not ended.
    if call.attempts.count <= most, !call.traits.contains(.hung) {
      return call.repeats.isEmpty ? .notMet : .kept
    }
    let row = call.longestRow
    guard row.count >= 2 else { return .notMet }
    if row.count > most { return .broken("It made \(row.count) attempts for one call.") }
    let observation = call.observation
    guard observation.ending == .hung, !call.traits.contains(.starved), row.count >= 4,
      // A response on its way would have ended the call.
      let last = row.last, !call.attempts[last].isAnswered,
      let start = call.attempts[last].start, let begun = call.begun,
      start - begun > observation.latency * 0.5
    else { return .kept }
    // If the attempts themselves took most of the time, as with silence or lost packets, the
    // client's limit may be only slightly higher.
    let within = zip(row, row.dropFirst()).reduce(Duration.zero) { sum, pair in
      let (attempt, next) = (call.attempts[pair.0], call.attempts[pair.1])
      let end = attempt.isSilence ? next.start : attempt.end
      return sum + (attempt.start.flatMap { from in end.map { $0 - from } } ?? .zero)
    }
    return .broken(
      "After \(Figures.time(start - begun)) and \(row.count) attempts it was still trying.",
      severity: within > (start - begun) * 0.5 ? .warning : nil
    )
  }

  /// Clients such as hashicorp/go-retryablehttp allow up to this number.
  private static let most = 10
}
