import WindTunnelReports

extension Observation {
  /// The story of a call, without the clock and without what it sent, of which the stages see different
  /// parts: the same wherever and whenever it was flown.
  var story: [Attempt] {
    attempts.map { attempt in
      var attempt = attempt
      (attempt.start, attempt.end, attempt.stages) = (nil, nil, ExchangeStages())
      (attempt.sent, attempt.isOpenAtEnd, attempt.bytesSent) = (nil, false, nil)
      return attempt
    }
  }
}
