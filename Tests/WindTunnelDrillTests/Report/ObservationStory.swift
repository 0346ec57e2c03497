import WindTunnelReports

extension Observation {
  /// What was met, without the clock: the same wherever and whenever it was flown.
  var story: [Attempt] {
    attempts.map { attempt in
      var attempt = attempt
      (attempt.start, attempt.end, attempt.stages) = (nil, nil, ExchangeStages())
      return attempt
    }
  }
}
