extension Report.Row {
  /// The meaning of wrong bodies, or the reason why nobody knows of any.
  private var wrongBodiesNote: String {
    guard metrics.silentTruncations == nil,
      let printed = observations.lazy.compactMap(\.printed).first
    else { return "taken for success" }
    return printed.isEmpty ? "nothing was printed" : "not compared: \(printed) was printed"
  }

  /// Its figures, each in a box.
  var tiles: String {
    let metrics = metrics
    func interval(_ lower: String, _ upper: String) -> String { "\(lower) to \(upper)" }
    let p95 = metrics.latency.p95
    let tiles = [
      HTML.tile(
        "success",
        Figures.percent(metrics.successRate),
        interval(
          Figures.percent(metrics.successRateLower),
          Figures.percent(metrics.successRateUpper)
        )
      ),
      HTML.tile("on first try", Figures.percent(metrics.firstTrySuccessRate)),
      HTML.tile("recovered", Figures.percent(metrics.recoveredRate), "of calls that met a fault"),
      HTML.tile(
        "retries a call",
        Figures.decimal(metrics.averageRetries),
        metrics.retriesMax.map { "at most \($0)" } ?? ""
      ),
      HTML.tile(
        "P95",
        Figures.time(metrics.p95),
        interval(Figures.time(p95?.lower), Figures.time(p95?.upper))
      ),
      HTML.tile("gives up within", Figures.time(metrics.failed.p95?.value), "P95 of failed calls"),
      HTML.tile(
        "blank pages",
        Figures.count(metrics.blankPages),
        Figures.percent(metrics.blankPageRate),
        isBad: (metrics.blankPages ?? 0) > 0
      ),
      HTML.tile(
        "amplification",
        Figures.decimal(metrics.amplification),
        metrics.worstSecondAmplification.map { "\(Figures.decimal($0)) in the worst second" } ?? ""
      ),
      HTML.tile(
        "duplicates",
        Figures.count(metrics.duplicates),
        "of POST and PATCH",
        isBad: (metrics.duplicates ?? 0) > 0
      ),
      HTML.tile(
        "Retry-After",
        Figures.percent(metrics.retryAfterCompliance),
        metrics.earlyRetries.map { "\($0) too early" } ?? "none was given",
        isBad: (metrics.earlyRetries ?? 0) > 0
      ),
      HTML.tile("herd index", Figures.decimal(metrics.thunderingHerdIndex), "1 is even"),
      HTML.tile("silent retries", Figures.count(metrics.silentRetries), "by the transport"),
      HTML.tile(
        "wrong bodies",
        Figures.count(metrics.silentTruncations),
        wrongBodiesNote,
        isBad: (metrics.silentTruncations ?? 0) > 0
      ),
      HTML.tile("stale served", Figures.count(metrics.staleServed)),
      HTML.tile("recovery", Figures.time(metrics.recoveryP95), "P95 from the last fault"),
      HTML.tile(
        "crashes, hangs",
        "\(metrics.crashes), \(metrics.hangs)",
        isBad: metrics.crashes + metrics.hangs > 0
      ),
    ]
    let cancelled = HTML.tile(
      "cancelled",
      "\(metrics.cancelledCalls)",
      "\(Figures.count(metrics.attemptsAfterCancel)) attempts after, "
        + "back in \(Figures.time(metrics.cancelReturnP95))"
    )
    let recovered = HTML.tile(
      "after the weather",
      Figures.time(metrics.firstRecovery),
      "\(Figures.time(metrics.steadyRecovery)) until five in a row"
    )
    let strange = HTML.tile(
      "not on the cassette",
      "\(metrics.notOnCassette)",
      "calls that are in no rate",
      isBad: true
    )
    let hasCleared = observations.contains { $0.afterWindow != nil }
    return
      (tiles + (metrics.notOnCassette > 0 ? [strange] : [])
      + (metrics.cancelledCalls > 0 ? [cancelled] : []) + (hasCleared ? [recovered] : []))
      .joined(separator: "\n")
  }
}
