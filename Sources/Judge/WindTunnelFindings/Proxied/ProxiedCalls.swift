/// A call as a proxy infers it from requests, with its client's address.
package struct ProxiedCall: Sendable, Hashable {
  /// The address of the client.
  package let client: String
  /// The call. Its ending is that of its last response, because a proxy observes nothing else.
  package fileprivate(set) var observation: Observation
  /// The numbers of its requests' decisions, in their order.
  package fileprivate(set) var decisions: [Int] = []

  /// Groups the exchanges of one scenario into calls, in the order of their beginnings.
  ///
  /// A request is the next attempt of a call if it repeats a failed request: with the same client,
  /// method, URL and content, within ``patience``. That time counts from the end of the failed
  /// request, or from the end of the wait that its response requested. A person who repeats a
  /// request takes longer. Requests at the rate at which the client also repeats successful ones
  /// are polling, and not attempts. A request to the target of a redirect within the same time
  /// belongs to the call, too.
  ///
  /// - Parameter exchanges: The exchanges, in any order.
  /// - Returns: The calls, numbered from 0.
  package static func all(in exchanges: [ProxiedExchange]) -> [ProxiedCall] {
    var fold = ProxiedCallFold(exchanges)
    return fold.calls()
  }

  /// The maximum time in which a program repeats a request, which is shorter than a person takes.
  package static let patience = Duration.milliseconds(1500)

  /// The maximum delay with which a proxy detects that a client left a stalled response, after its
  /// next request. The two are on different connections, and each has an event loop of its own.
  private static let leftLate = Duration.milliseconds(250)

  /// Ends a silent attempt at the beginning of the next one, which its client made instead.
  fileprivate mutating func leavesBefore(_ next: Observation.Attempt) {
    guard let last = observation.attempts.indices.last, let start = next.start,
      let end = observation.attempts[last].end, observation.attempts[last].isSilence,
      start < end, end - start <= Self.leftLate
    else { return }
    observation.attempts[last].end = start
  }
}

/// Groups exchanges into calls, in one pass.
private struct ProxiedCallFold {
  /// The same request of one client, made repeatedly.
  private struct Lane {
    var call: Int
    /// The last failed request, or `nil` if the last request succeeded.
    var failed: Observation.Attempt?
    /// The time until which an earlier request had no response.
    var busyUntil: Duration
  }

  /// A URL to which a client was redirected.
  private struct RedirectTarget: Hashable {
    let sender: String
    let url: String
  }

  private struct Redirect {
    let call: Int
    let end: Duration
  }

  private let exchanges: [ProxiedExchange]
  /// The minimum time between two requests of a lane, the first of which succeeded.
  private var paces: [String: Duration] = [:]
  /// The times at which each client got a successful response to a POST, which may renew a
  /// credential.
  private var renewals: [String: [Duration]] = [:]
  private var lanes: [String: Lane] = [:]
  private var redirects: [RedirectTarget: Redirect] = [:]
  private var found: [ProxiedCall] = []
  /// The host of the first request of each call.
  private var hosts: [String?] = []

  /// The maximum delay with which the end of a redirect is detected, after its client has read it.
  private static let tolerance = Duration.milliseconds(50)
  /// The share of the minimum time that still counts as polling, so that a single late timer does
  /// not matter.
  private static let paceShare = 0.7

  init(_ exchanges: [ProxiedExchange]) {
    self.exchanges = exchanges.sorted {
      ($0.start, $0.end, $0.place) < ($1.start, $1.end, $1.place)
    }
  }

  mutating func calls() -> [ProxiedCall] {
    lookForPaces()
    for exchange in exchanges { take(exchange) }
    for place in found.indices { found[place].observation.close() }
    return found
  }

  private mutating func lookForPaces() {
    var last: [String: ProxiedExchange] = [:]
    for exchange in exchanges {
      if exchange.attempt.isAnswered, exchange.isPost {
        renewals[exchange.sender, default: []].append(exchange.end)
      }
      guard let lane = exchange.lane else { continue }
      if let before = last[lane], !before.attempt.isFailed, !before.isBrokenOff {
        let lead = exchange.start - before.start
        paces[lane] = min(paces[lane] ?? lead, lead)
      }
      last[lane] = exchange
    }
    for sender in renewals.keys { renewals[sender]?.sort() }
  }

  private mutating func take(_ exchange: ProxiedExchange) {
    let place = RedirectTarget(sender: exchange.sender, url: exchange.place)
    var attempt = exchange.attempt
    let call: Int
    if let redirect = redirects.removeValue(forKey: place),
      exchange.start >= redirect.end - Self.tolerance,
      exchange.start <= redirect.end + ProxiedCall.patience
    {
      call = redirect.call
      // The query of a redirect's target is the server's, so its parameters do not count as the
      // client's.
      if var sent = attempt.sent {
        (sent.addsParameters, sent.secretParameters) = (false, [])
        sent.isElsewhere = isStrange(exchange.url.host, to: hosts[call])
        attempt.sent = sent
      }
    } else if let lane = exchange.lane.flatMap({ lanes[$0] }), goesOn(exchange, lane) {
      call = lane.call
    } else {
      call = found.count
      found.append(ProxiedCall(client: exchange.client, observation: .begun(call, by: attempt)))
      hosts.append(exchange.url.host)
    }
    found[call].leavesBefore(attempt)
    found[call].observation.attempts.append(attempt)
    found[call].decisions.append(exchange.decision)
    if let next = exchange.redirect {
      let end = attempt.headCame ?? exchange.end
      redirects[RedirectTarget(sender: exchange.sender, url: next)] = Redirect(call: call, end: end)
    }
    guard let lane = exchange.lane else { return }
    let isOver = !exchange.isBrokenOff && !exchange.isWaiting
    let failed = attempt.isFailed && isOver ? attempt : nil
    let before = lanes[lane].flatMap { $0.call == call ? $0.busyUntil : nil } ?? .zero
    lanes[lane] = Lane(
      call: call,
      failed: failed,
      busyUntil: max(before, attempt.headCame ?? exchange.end)
    )
  }

  /// Returns whether a request belongs to the call of its lane, because it overlaps another request
  /// or is the next attempt.
  private func goesOn(_ exchange: ProxiedExchange, _ lane: Lane) -> Bool {
    if exchange.start < lane.busyUntil { return true }
    guard let failed = lane.failed, let start = failed.start,
      let over = failed.headCame
    else { return false }
    if let earliest = failed.earliestRetry, let latest = failed.waitEnd,
      exchange.start >= earliest, exchange.start <= latest + ProxiedCall.patience
    {
      return true
    }
    guard exchange.start <= over + ProxiedCall.patience else { return false }
    if let pace = exchange.lane.flatMap({ paces[$0] }),
      exchange.start - start >= pace * Self.paceShare
    {
      return false
    }
    return failed.status != 401 || !isRenewed(by: exchange.sender, over...exchange.start)
  }

  /// Returns whether a client got a successful response to a POST in a time range.
  private func isRenewed(by sender: String, _ time: ClosedRange<Duration>) -> Bool {
    guard let moments = renewals[sender] else { return false }
    let before = moments.countOfFirst { $0 < time.lowerBound }
    return before < moments.count && moments[before] <= time.upperBound
  }

  /// Returns whether two hosts belong to different domains, so that they must not share
  /// credentials. Cookies are valid for a domain and its subdomains.
  private func isStrange(_ host: String?, to first: String?) -> Bool {
    guard let host, let first, host != first else { return false }
    func domain(_ host: String) -> String {
      let isAddress = host.hasPrefix("[") || host.utf8.allSatisfy { $0 < UInt8(ascii: "A") }
      return isAddress ? host : host.split(separator: ".").suffix(2).joined(separator: ".")
    }
    return domain(host) != domain(first)
  }
}

extension ProxiedExchange {
  fileprivate var start: Duration { attempt.start ?? .zero }
  fileprivate var end: Duration { attempt.end ?? start }
  fileprivate var isPost: Bool { attempt.key.hasPrefix("POST ") }
}

extension Observation {
  /// Creates a call with only its first attempt known. The attempt is not added yet.
  package static func begun(_ call: Int, by attempt: Attempt, showed: Bool = false) -> Self {
    var begun = Self(
      call: call,
      endpoint: attempt.key,
      isCritical: false,
      ending: .succeeded,
      showed: showed,
      latency: .zero,
      attemptCount: 0
    )
    begun.start = attempt.start
    return begun
  }

  /// Sets the result of the call from its attempts.
  package mutating func conclude(_ isFailed: (Attempt) -> Bool) {
    attemptCount = attempts.count
    guard let last = attempts.last else { return }
    if let start, let end = attempts.compactMap(\.end).max() { latency = max(.zero, end - start) }
    guard isFailed(last) else { return }
    ending = .failed(last.error ?? last.status.map { "status \($0)" } ?? "unknown")
  }

  fileprivate mutating func close() {
    conclude { $0.isFailed || !$0.isAnswered }
    if let strange = attempts.first(where: { $0.source == .played(.unmatched) }) {
      self.notOnCassette = strange.key
    }
  }
}
