extension FindingRule {
  /// One call is told to wait, and the others go on as if nothing had been said.
  static let hammersWhileLimited = FindingRule(
    id: "hammers-while-limited",
    severity: .warning,
    title: "Goes on asking with other calls while Retry-After holds.",
    condition:
      "calls began in the time that a 429 or 503 had asked another call of the same endpoint to wait, in "
      + "which the server answered nobody",
    cost: "The limit is never over for a client that keeps asking, and some servers lock it out.",
    fix:
      "Keep the moment by host or endpoint, and let the calls that begin before it wait, or fail without "
      + "a request.",
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
      // Whom the server answers it does not keep off.
      guard requests.allSatisfy(\.isLimited) else {
        return .notMet("The server answered some in the time that it had asked others to wait.")
      }
      judged += 1
      if requests.isEmpty { continue }
      if sent.isEmpty { wait = limit.end - limit.start }
      sent.append(place)
    }
    guard judged >= rule.leastCalls else { return rule.notMet(by: judged) }
    guard let first = sent.first, sent.count * 5 >= judged * 4 else { return .passed(judged) }
    let seen = Violation(
      "\(sent.count) of \(judged) calls that began within the \(Figures.wait(wait)) that another call "
        + "of their endpoint had been asked to wait sent a request before those were over."
    )
    return rule.broken(seen, in: .one(at: first, in: flight), calls: sent.count, of: judged)
  }
}

/// The first time in which each endpoint of a flight was to be left alone, as far as its client had
/// heard.
///
/// A later one may end when the server has long been well: who heard of the first had no reason to
/// ask for another.
private struct LimitTable {
  /// A time that an answer has asked to wait, from when it was heard.
  struct Limit {
    var start: Duration
    var end: Duration
    /// The time before which a request is too early, as far as clocks can tell.
    var sureEnd: Duration
  }

  /// The time that one call has to tell another what it heard; clocks are not finer than their
  /// readers.
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

  /// Returns the time in which a call began; `nil` where it began in none.
  func limit(on call: Observation) -> Limit? {
    guard let begun = call.start, let limit = limits[call.endpoint],
      begun >= limit.start + Self.tolerance, begun + Self.tolerance < limit.end
    else { return nil }
    return limit
  }
}

extension Observation {
  fileprivate var clock: Duration { start ?? .zero }

  /// The requests for its endpoint that came before a limit was over.
  fileprivate func requests(within limit: LimitTable.Limit) -> [Attempt] {
    attempts.filter { attempt in
      attempt.isRequest && attempt.asks(for: endpoint)
        && attempt.start.map { $0 < limit.sureEnd } == true
    }
  }
}

extension Observation.Attempt {
  /// Tells whether it was told to come back later.
  fileprivate var isLimited: Bool {
    (status == 429 || status == 503) && error == nil && asksToWait
  }
}
