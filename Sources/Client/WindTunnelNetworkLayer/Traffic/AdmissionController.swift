internal import WindTunnelSymptoms

/// The limits that the calls of a client share, and those of several clients with the same
/// controller: the slots, the retry budget, the circuit breakers of hosts, and the times for which
/// servers want to be left alone.
public final class AdmissionController: Sendable {
  /// The rules of a controller.
  public struct Rules: Sendable, Hashable {
    /// The caps on concurrent attempts.
    public var caps: TrafficCaps
    /// The budget for retries; `nil`: unlimited.
    public var budget: RetryBudget?
    /// The rules of the circuit breakers; `nil`: there are none.
    public var breaker: BreakerRules?
    /// The longest `Retry-After` of a 429 or 503 for which the other calls of the endpoint wait,
    /// too, as do retries that a policy wants sooner. After a longer one they are told so at once
    /// for this time. Zero: each finds out by itself.
    public var longestRetryAfter: Duration

    /// Makes rules; the defaults are those of the parts.
    public init(
      caps: TrafficCaps = TrafficCaps(),
      budget: RetryBudget? = RetryBudget(),
      breaker: BreakerRules? = BreakerRules(),
      longestRetryAfter: Duration = .seconds(30)
    ) {
      (self.caps, self.budget, self.breaker) = (caps, budget, breaker)
      self.longestRetryAfter = longestRetryAfter
    }
  }

  /// The most hosts that are remembered; one that is asked beyond that is never left alone.
  private static let hostsMax = 1024

  let gate: Gate
  /// Calls that must not overtake each other; their words are the hosts of this gate.
  let queues = Gate(TrafficCaps(total: .max, perHost: 1, reserved: 0))
  private let rules: Rules
  private let time: any TimeSource
  private let budget: Locked<RetryBudget?>
  private let breakers = Locked<[String: CircuitBreaker]>([:])
  private let limits: Locked<RateLimits>

  /// Makes a controller; `time` measures its pauses.
  public init(_ rules: Rules = Rules(), time: any TimeSource = SystemTime()) {
    self.rules = rules
    self.time = time
    gate = Gate(rules.caps)
    budget = Locked(rules.budget)
    limits = Locked(RateLimits(longest: rules.longestRetryAfter))
  }

  /// The number of attempts in flight, and of those that wait for a slot.
  public var load: (running: Int, waiting: Int) { gate.load }

  /// Suspends the start of attempts until ``resume()``, for an app that goes to the background;
  /// attempts in flight and deadlines go on.
  public func suspend() { gate.suspend(true) }

  /// Resumes the start of attempts, in the order in which they would have started.
  public func resume() { gate.suspend(false) }

  /// Sets the caps that a configuration has; the others stay those of the rules.
  func apply(_ caps: TrafficCaps) {
    gate.apply(
      TrafficCaps(
        total: caps.total,
        perHost: caps.perHost,
        perEndpoint: caps.perEndpoint,
        reserved: rules.caps.reserved,
        overtakingsMax: rules.caps.overtakingsMax
      )
    )
  }

  /// Pays in for a call that begins.
  func earn() { budget.withLock { $0?.earn() } }

  /// Pays for a retry; false where there is nothing to pay it from.
  func spend() -> Bool { budget.withLock { $0?.spend() ?? true } }

  /// Returns whether an attempt may be sent to a host.
  package func admit(_ host: String) -> CircuitBreaker.Admission {
    guard let rules = rules.breaker else { return .go }
    return breakers.withLock { breakers in
      guard breakers[host] != nil || breakers.count < Self.hostsMax else { return .go }
      return breakers[host, default: CircuitBreaker(rules)].admit(at: time.uptime)
    }
  }

  /// Returns the limit of an endpoint that a server wants to be left alone; `nil` where it may be
  /// asked.
  func limit(on place: RateLimits.Place) -> RateLimits.Limit? {
    limits.withLock { $0.limit(on: place, at: time.uptime) }
  }

  /// Takes note of the end of an attempt that was let through.
  package func report(
    _ place: RateLimits.Place,
    _ admission: CircuitBreaker.Admission,
    _ outcome: AttemptOutcome
  ) {
    breakers.withLock {
      $0[place.host]?.report(admission, hasFailed: outcome.speaksAgainstHost, at: time.uptime)
    }
    guard case .success(let answer) = outcome, [429, 503].contains(answer.status),
      let wait = answer.retryAfter(at: time.date)
    else { return }
    limits.withLock { $0.leave(place, alone: wait, at: time.uptime) }
  }
}

extension AttemptOutcome {
  /// True where this speaks against the host: a status of 5xx, or no answer. `nil` where it says
  /// nothing: the caller gave up, or this device has no network or no room.
  var speaksAgainstHost: Bool? {
    switch self {
    case .success(let answer): answer.status >= 500
    case .failure(.cancelled), .failure(.file), .failure(.failed(.offline, _)): nil
    case .failure(.failed): true
    }
  }
}

/// A budget for retries, so that clients that all fail do not send a storm.
///
/// Each call deposits a share, and each retry costs one. Of *n* calls in a total outage at most
/// `reserve + share * n` are retries, whatever the policy would do: with the defaults and 60 calls
/// 22, an amplification of 1.37. The idea is Finagle's, whose share is 20 %, too.
public struct RetryBudget: Sendable, Hashable {
  /// The deposit of a call: 0.2 lets one call in five have a retry.
  public var share: Double
  /// The balance at the start, so that the first calls can be retried, too.
  public var reserve: Double
  /// The greatest balance of the budget.
  public var most: Double
  private(set) var balance: Double

  /// Makes a budget; by default a share of a fifth, with ten at the start and a hundred at most.
  public init(share: Double = 0.2, reserve: Double = 10, most: Double = 100) {
    self.share = share
    self.reserve = reserve
    self.most = max(most, reserve)
    balance = reserve
  }

  /// Pays in for a call that begins.
  mutating func earn() { balance = min(most, balance + share) }

  /// Pays for a retry; false where there is nothing to pay it from.
  mutating func spend() -> Bool {
    // A share like 0.2 is no binary fraction: five of them are a hair less than one.
    guard balance > 1 - 1e-9 else { return false }
    balance -= 1
    return true
  }
}
