internal import WindTunnelSymptoms

/// The limits that the calls of a client share, and of several clients if given the same: the
/// slots, the retry budget, and what is known of each host.
public final class AdmissionController: Sendable {
  /// The rules of a controller.
  public struct Rules: Sendable, Hashable {
    /// The caps on attempts under way at once.
    public var caps: TrafficCaps
    /// The budget that retries are paid from; `nil`: there is no end.
    public var budget: RetryBudget?
    /// The rules by which a host is left alone; `nil`: it never is.
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
  private static let hostsMax = 1024

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

  /// The number of attempts that are under way, and of those that wait for a slot.
  public var load: (running: Int, waiting: Int) { gate.load }

  /// Lets no attempt start until ``resume()``, as an app does that goes to the background; what is
  /// in flight goes on, and deadlines run on.
  public func suspend() { gate.suspend(true) }

  /// Lets attempts start again, in the order in which they would have.
  public func resume() { gate.suspend(false) }

  /// Pays in for a call that begins.
  func earn() { budget.withLock { $0?.earn() } }

  /// Pays for a retry; false where there is nothing to pay it from.
  func spend() -> Bool { budget.withLock { $0?.spend() ?? true } }

  /// Returns whether an attempt may be sent to a host.
  func admit(_ host: String) -> CircuitBreaker.Admission {
    guard let rules = rules.breaker else { return .go }
    return breakers.withLock { breakers in
      guard breakers[host] != nil || breakers.count < Self.hostsMax else { return .go }
      return breakers[host, default: CircuitBreaker(rules)].admit(at: time.uptime)
    }
  }

  /// Takes note of the end of an attempt that was let through.
  func report(_ host: String, _ admission: CircuitBreaker.Admission, _ outcome: AttemptOutcome) {
    breakers.withLock {
      $0[host]?.report(admission, hasFailed: outcome.speaksAgainstHost, at: time.uptime)
    }
  }
}

extension AttemptOutcome {
  /// True where this speaks against the host: a status of 5xx, or no answer. `nil` where it says
  /// nothing: the caller gave up, or this device has no network.
  var speaksAgainstHost: Bool? {
    switch self {
    case .success(let answer): answer.status >= 500
    case .failure(.cancelled), .failure(.failed(.offline, _)): nil
    case .failure(.failed): true
    }
  }
}

/// The budget that retries are paid from, so that clients that all fail do not send a storm.
///
/// Each call pays a part in, each retry costs one whole. Of *n* calls in a total outage at most
/// `reserve + share * n` are retries, whatever the policy would do: with the defaults and 60 calls
/// 22, an amplification of 1.37. The idea is Finagle's, whose share is 20 %, too.
public struct RetryBudget: Sendable, Hashable {
  /// The payment of a call: 0.2 lets one call in five have a retry.
  public var share: Double
  /// The balance at the start, so that the first calls may be tried again, too.
  public var reserve: Double
  /// The most that can be saved up.
  public var most: Double
  private(set) var balance: Double

  /// Makes a budget; by default a fifth, with ten at the start and a hundred at most.
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
