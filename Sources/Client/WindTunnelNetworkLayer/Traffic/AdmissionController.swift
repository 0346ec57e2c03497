internal import WindTunnelSymptoms

/// The limits that all calls of a client share, or of several clients with the same controller.
///
/// The limits are the slots, the retry budget, the circuit breakers of hosts, and the servers' rate
/// limits.
public final class AdmissionController: Sendable {
  /// The rules of a controller.
  public struct Rules: Sendable, Hashable {
    /// The caps on concurrent attempts.
    public var caps: TrafficCaps
    /// The budget for retries; `nil`: unlimited.
    public var budget: RetryBudget?
    /// The rules of the circuit breakers; `nil` for none.
    public var breaker: BreakerRules?
    /// The maximum `Retry-After` of a 429 or 503 response that all calls of the endpoint wait for.
    ///
    /// Retries wait too, even if their policy allows an earlier one. If the server's time is
    /// longer, the calls fail immediately as rate limited, for this maximum time. Zero disables
    /// sharing.
    public var longestRetryAfter: Duration

    /// Creates rules; by default each part has its own default.
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

  /// The maximum number of remembered hosts. Further hosts have no circuit breaker.
  private static let hostsMax = 1024

  let gate: Gate
  /// The queues of ordered calls. The names of the queues serve as hosts of this gate.
  let queues = Gate(TrafficCaps(total: .max, perHost: 1, reserved: 0))
  private let rules: Rules
  private let time: any TimeSource
  private let budget: Locked<RetryBudget?>
  private let breakers = Locked<[String: CircuitBreaker]>([:])
  private let limits: Locked<RateLimits>

  /// Creates a controller; `time` measures its pauses.
  public init(_ rules: Rules = Rules(), time: any TimeSource = SystemTime()) {
    self.rules = rules
    self.time = time
    gate = Gate(rules.caps)
    budget = Locked(rules.budget)
    limits = Locked(RateLimits(longest: rules.longestRetryAfter))
  }

  /// The number of attempts in flight, and of attempts that wait for a slot.
  public var load: (running: Int, waiting: Int) { gate.load }

  /// Suspends the start of attempts until ``resume()``, such as for an app in the background.
  ///
  /// Attempts in flight and deadlines continue.
  public func suspend() { gate.suspend(true) }

  /// Resumes the start of attempts, in their original order.
  public func resume() { gate.suspend(false) }

  /// Sets the caps that a configuration has. Other caps keep the values of the rules.
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

  /// Adds a new call's share to the retry budget.
  func earn() { budget.withLock { $0?.earn() } }

  /// Deducts a retry from the budget; `false` if the budget is exhausted.
  func spend() -> Bool { budget.withLock { $0?.spend() ?? true } }

  /// Returns whether an attempt may be sent to a host.
  package func admit(_ host: String) -> CircuitBreaker.Admission {
    guard let rules = rules.breaker else { return .go }
    return breakers.withLock { breakers in
      guard breakers[host] != nil || breakers.count < Self.hostsMax else { return .go }
      return breakers[host, default: CircuitBreaker(rules)].admit(at: time.uptime)
    }
  }

  /// Returns the current rate limit of an endpoint; `nil` if there is none.
  func limit(on place: RateLimits.Endpoint) -> RateLimits.Limit? {
    limits.withLock { $0.limit(on: place, at: time.uptime) }
  }

  /// Records the outcome of an admitted attempt.
  package func report(
    _ place: RateLimits.Endpoint,
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
  /// Whether the outcome counts as a failure of the host: a 5xx status or no response.
  ///
  /// `nil` if it reveals nothing about the host: the caller cancelled, or this device failed.
  var speaksAgainstHost: Bool? {
    switch self {
    case .success(let answer): answer.status >= 500
    case .failure(.cancelled), .failure(.file), .failure(.failed(.offline, _)): nil
    case .failure(.failed): true
    }
  }
}

/// A budget for retries, which limits their number if all calls of a client fail.
///
/// Each call deposits a share, and each retry costs one. Of *n* calls in a total outage, at most
/// `reserve + share * n` are retried, for any retry policy. With the defaults and 60 calls that is
/// 22 retries, an amplification of 1.37. The idea is from Finagle, whose share is 20 % too.
public struct RetryBudget: Sendable, Hashable {
  /// The deposit of a call: 0.2 allows one retry for five calls.
  public var share: Double
  /// The initial balance, so that the first calls can be retried, too.
  public var reserve: Double
  /// The maximum balance of the budget.
  public var most: Double
  private(set) var balance: Double

  /// Creates a budget; by default a share of a fifth, an initial balance of 10 and a maximum of
  /// 100.
  public init(share: Double = 0.2, reserve: Double = 10, most: Double = 100) {
    self.share = share
    self.reserve = reserve
    self.most = max(most, reserve)
    balance = reserve
  }

  /// Deposits the share of a new call.
  mutating func earn() { balance = min(most, balance + share) }

  /// Deducts a retry; `false` if the balance is too low.
  mutating func spend() -> Bool {
    // 0.2 is not a binary fraction: five times the share is slightly less than one.
    guard balance > 1 - 1e-9 else { return false }
    balance -= 1
    return true
  }
}
