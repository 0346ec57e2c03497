internal import WindTunnelSymptoms

/// What the calls of a client share, and of several clients if they are given the same: the slots,
/// the retry budget, and what is known of each host.
public final class AdmissionController: Sendable {
  /// The rules of a controller.
  public struct Rules: Sendable, Hashable {
    /// How many attempts may be under way at once.
    public var caps: TrafficCaps
    /// What retries are paid from; `nil`: there is no end.
    public var budget: RetryBudget?
    /// When a host is left alone; `nil`: never.
    public var breaker: BreakerRules?

    /// Makes rules; by default those that the parts have by default.
    public init(
      caps: TrafficCaps = TrafficCaps(),
      budget: RetryBudget? = RetryBudget(),
      breaker: BreakerRules? = BreakerRules()
    ) {
      self.caps = caps
      self.budget = budget
      self.breaker = breaker
    }
  }

  /// The most hosts that are remembered; one that is asked beyond that is never left alone.
  static let hostsMax = 1024

  let gate: Gate
  /// Calls that must not overtake each other; their words are the hosts of this gate.
  let queues = Gate(TrafficCaps(total: .max, perHost: 1, reserved: 0))
  private let rules: Rules
  private let time: any TimeSource
  private let budget: Locked<RetryBudget?>
  private let breakers = Locked<[String: CircuitBreaker]>([:])

  /// Makes one; `time` is what pauses are measured with.
  public init(_ rules: Rules = Rules(), time: any TimeSource = SystemTime()) {
    self.rules = rules
    self.time = time
    gate = Gate(rules.caps)
    budget = Locked(rules.budget)
  }

  /// How many attempts are under way, and how many wait for a slot.
  public var load: (running: Int, waiting: Int) { gate.load }

  /// Lets no attempt start until ``resume()``, as an app does that goes to the background; what is in
  /// flight goes on, and deadlines run on.
  public func suspend() { gate.suspend(true) }

  /// Lets attempts start again, in the order in which they would have.
  public func resume() { gate.suspend(false) }

  /// A call begins.
  func earn() { budget.withLock { $0?.earn() } }

  /// A retry wants to begin.
  func spend() -> Bool { budget.withLock { $0?.spend() ?? true } }

  /// An attempt wants to be sent to a host.
  func admit(_ host: String) -> CircuitBreaker.Admission {
    guard let rules = rules.breaker else { return .go }
    return breakers.withLock { breakers in
      guard breakers[host] != nil || breakers.count < Self.hostsMax else { return .go }
      return breakers[host, default: CircuitBreaker(rules)].admit(at: time.uptime)
    }
  }

  /// An attempt that was let through is over.
  func report(_ host: String, _ admission: CircuitBreaker.Admission, _ outcome: AttemptOutcome) {
    breakers.withLock {
      $0[host]?.report(admission, hasFailed: outcome.speaksAgainstHost, at: time.uptime)
    }
  }
}

extension AttemptOutcome {
  /// Whether this speaks against the host: a status of 5xx, or no answer. `nil` where it says
  /// nothing: the caller gave up, or this device has no network.
  var speaksAgainstHost: Bool? {
    switch self {
    case .success(let answer): answer.status >= 500
    case .failure(.cancelled), .failure(.failed(.offline, _)): nil
    case .failure(.failed): true
    }
  }
}
