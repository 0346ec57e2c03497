/// A call as a proxy takes it to have been made, with its client's address.
package struct ProxiedCall: Sendable, Hashable {
  /// The address of the client.
  package let client: String
  /// The call; its ending is that of its last answer, since nobody says more.
  package fileprivate(set) var observation: Observation
  /// The numbers of its requests' decisions, in their order.
  package fileprivate(set) var decisions: [Int] = []

  /// Folds the exchanges of one scenario into calls, in the order of their beginnings.
  ///
  /// A request is the next attempt of a call where it is for the same as one that failed: by the
  /// same client, method, address and content, within ``patience`` of its end or of the moment
  /// until which that had asked to wait. A person who asks again takes longer. What comes at the
  /// pace at which the same is asked for when all is well is a screen that asks now and then, and
  /// no attempt. A redirect is followed where the place that it names is asked for in the same
  /// time.
  ///
  /// - Parameter exchanges: The exchanges, in any order.
  /// - Returns: The calls, numbered from 0.
  package static func all(in exchanges: [ProxiedExchange]) -> [ProxiedCall] {
    var fold = ProxiedCallFold(exchanges)
    return fold.calls()
  }

  /// The time within which a program tries again and a person does not.
  package static let patience = Duration.milliseconds(1500)
}

extension ProxiedCall {
  /// The time by which a client may be seen to leave an answer that stands still after it has asked
  /// again: the two come on different connections, and each has an event loop of its own.
  private static let leftLate = Duration.milliseconds(250)

  /// Ends an attempt on which nothing came when the next one begins that its client made instead.
  fileprivate mutating func leavesBefore(_ next: Observation.Attempt) {
    guard let last = observation.attempts.indices.last, let start = next.start,
      let end = observation.attempts[last].end, observation.attempts[last].isSilence,
      start < end, end - start <= Self.leftLate
    else { return }
    observation.attempts[last].end = start
  }
}

/// The fold of exchanges into calls, in one pass over them.
private struct ProxiedCallFold {
  /// The same request of one client, again and again.
  private struct Lane {
    var call: Int
    /// The last request for it that failed; `nil` where the last one was answered.
    var failed: Observation.Attempt?
    /// The time until which the requests so far were without an answer.
    var busyUntil: Duration
  }

  /// A place that a client was sent to.
  private struct Place: Hashable {
    let sender: String
    let url: String
  }

  private struct Redirect {
    let call: Int
    let end: Duration
  }

  private let exchanges: [ProxiedExchange]
  /// The least time between two requests of a lane of which the first was answered well.
  private var paces: [String: Duration] = [:]
  /// The times at which each client got a good answer to a POST: by that a credential may be
  /// renewed.
  private var renewals: [String: [Duration]] = [:]
  private var lanes: [String: Lane] = [:]
  private var redirects: [Place: Redirect] = [:]
  private var found: [ProxiedCall] = []
  /// The host that each call began at.
  private var hosts: [String?] = []

  /// A redirect's end may be seen so much after its client has read it.
  private static let tolerance = Duration.milliseconds(50)
  /// A timer that is late once does not hide a pace.
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
    let place = Place(sender: exchange.sender, url: exchange.place)
    var attempt = exchange.attempt
    let call: Int
    if let redirect = redirects.removeValue(forKey: place),
      exchange.start >= redirect.end - Self.tolerance,
      exchange.start <= redirect.end + ProxiedCall.patience
    {
      call = redirect.call
      // A server that sends on knows where to: that is in no query of the client's own.
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
      redirects[Place(sender: exchange.sender, url: next)] = Redirect(call: call, end: end)
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

  /// Tells whether a request belongs to the call of its lane: as a part that overlaps another, or
  /// as the next attempt.
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

  /// Tells whether a client got a good answer to a POST in a time.
  private func isRenewed(by sender: String, _ time: ClosedRange<Duration>) -> Bool {
    guard let moments = renewals[sender] else { return false }
    let before = moments.countOfFirst { $0 < time.lowerBound }
    return before < moments.count && moments[before] <= time.upperBound
  }

  /// Tells whether one host is nobody that has the other's credentials: cookies are made for a
  /// domain and what is below it.
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
  /// A call of which nothing is known but its first attempt, which is not in it yet.
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

  /// Works out what its attempts say of it.
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
