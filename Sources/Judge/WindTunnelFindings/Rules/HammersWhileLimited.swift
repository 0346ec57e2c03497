extension FindingRule {
  /// Finds clients that continue with other calls although one call's response requests a wait.
  static let hammersWhileLimited = FindingRule(
    id: "hammers-while-limited",
    severity: .warning,
    title: "Sends other calls while Retry-After is in force.",
    condition:
      "calls began while an earlier 429 or 503 asked another call of the same endpoint to wait, "
      + "and the server answered no call in that time",
    cost: "The limit never ends for a client that keeps sending, and some servers block it.",
    fix:
      "Store the end of the wait by host or endpoint. Let calls that begin earlier wait, or fail "
      + "without a request.",
    source: "RFC 6585 §4; RFC 9110 §10.2.3; AWS Builders' Library, Timeouts, retries and backoff",
    clients: [.service, .library],
    leastCalls: 10,
    restsOnTime: true
  ).together(.limited) { rule, _, flight in
    let limits = LimitTable(flight.calls)
    let places = flight.calls.indices.filter { flight.calls[$0].isJudged }
      .sorted { flight.calls[$0].clock < flight.calls[$1].clock }
    var (judged, sent): (Int, [Int]) = (0, [])
    var wait = Duration.zero
    for place in places {
      let call = flight.calls[place]
      guard let limit = limits.limit(on: call) else { continue }
      let requests = call.requests(within: limit)
      // If the server answers some requests, the limit does not apply to all.
      guard requests.allSatisfy(\.isLimited) else {
        return .notMet(
          "The server answered some calls during the wait that it had requested from others."
        )
      }
      judged += 1
      if requests.isEmpty { continue }
      if sent.isEmpty { wait = limit.end - limit.start }
      sent.append(place)
    }
    guard judged >= rule.leastCalls else { return rule.notMet(by: judged) }
    guard let first = sent.first, sent.count * 5 >= judged * 4 else { return .passed(judged) }
    let seen = Violation(
      "\(sent.count) of \(judged) calls that began during the \(Figures.wait(wait)) wait of "
        + "another call of their endpoint sent a request before it ended."
    )
    return rule.broken(seen, in: .one(at: first, in: flight), calls: sent.count, of: judged)
  }
}

/// The first time range in which each endpoint of a run requested a wait, from when its client knew
/// it.
///
/// A later range may end long after the server has recovered. A client that respects the first one
/// would not have caused another.
private struct LimitTable {
  /// A time range in which a response requests a wait, from when the client could read it.
  struct Limit {
    var start: Duration
    var end: Duration
    /// The time before which a request is certainly too early, given the resolution of clocks.
    var sureEnd: Duration
  }

  /// The time in which a client may pass the information on to its other calls, and the tolerance
  /// for clocks.
  private static let tolerance = Duration.milliseconds(100)

  private var limits: [String: Limit] = [:]

  init(_ calls: [Observation]) {
    for call in calls {
      for attempt in call.attempts where attempt.isLimited && attempt.asks(for: call.endpoint) {
        guard let start = attempt.headCame, let end = attempt.waitEnd, end > start,
          let sureEnd = attempt.earliestRetry,
          limits[call.endpoint].map({ start < $0.start }) != false
        else { continue }
        limits[call.endpoint] = Limit(start: start, end: end, sureEnd: sureEnd)
      }
    }
  }

  /// Returns the time range in which a call began, or `nil` if there is none.
  func limit(on call: Observation) -> Limit? {
    guard let begun = call.start, let limit = limits[call.endpoint],
      begun >= limit.start + Self.tolerance, begun + Self.tolerance < limit.end
    else { return nil }
    return limit
  }
}

extension Observation {
  fileprivate var clock: Duration { start ?? .zero }

  /// Returns the requests for its endpoint before the end of a limit.
  fileprivate func requests(within limit: LimitTable.Limit) -> [Attempt] {
    attempts.filter { attempt in
      attempt.isRequest && attempt.asks(for: endpoint)
        && attempt.start.map { $0 < limit.sureEnd } == true
    }
  }
}

extension Observation.Attempt {
  /// Whether its response requests a later retry.
  fileprivate var isLimited: Bool {
    (status == 429 || status == 503) && error == nil && asksToWait
  }
}
