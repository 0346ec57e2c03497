/// A thing that must be true at the origin after a flow, whatever the fault set.
///
/// ```swift
/// let once = Invariant.exactlyOnce("POST /payments")
/// let calm = Invariant("no more than ten requests") { origin in origin.requests.count <= 10 }
/// ```
public struct Invariant: Sendable {
  /// The name, which finds are called by.
  public let name: String
  /// The same in Swift; `nil` for one of the user's own.
  let code: String?
  /// Returns the sentence about what is wrong; `nil`: all is well.
  let problem: @Sendable (Origin) -> String?

  /// The origin of a flow, as it was when the flow had ended.
  public struct Origin: Sendable {
    /// A request that arrived.
    public struct Arrival: Sendable, Hashable {
      /// The method and target, such as `GET /home`.
      public var request: String
      /// The time since the flow's beginning.
      public var at: Duration
      /// Tells whether the origin did what was asked, though its answer may have been lost.
      public var wasDone: Bool
      /// The number of its `Idempotency-Key`, which equal ones have in common; `nil`: it has none.
      public var idempotencyKey: Int?
    }

    /// The requests that arrived, in their order.
    public var requests: [Arrival]
    /// Tells whether the flow returned without an error.
    public var hasSucceeded: Bool

    /// Returns how often the origin did what requests of a pattern ask for: those of one
    /// `Idempotency-Key` count once.
    public func deeds(of pattern: RequestPattern) -> Int {
      var keys: Set<Int> = []
      return requests.count { arrival in
        guard arrival.wasDone, arrival.isOf(pattern) else { return false }
        return arrival.idempotencyKey.map { keys.insert($0).inserted } ?? true
      }
    }

    /// Returns how many requests of a pattern arrived.
    public func arrivals(of pattern: RequestPattern) -> Int {
      requests.count { $0.isOf(pattern) }
    }
  }
}

extension Invariant {
  /// Makes an invariant of its name and condition.
  public init(_ name: String, _ holds: @escaping @Sendable (Origin) -> Bool) {
    (self.name, code) = (name, nil)
    problem = { origin in holds(origin) ? nil : "The origin was left so that \"\(name)\" is false."
    }
  }

  /// Makes the invariant that what requests of a pattern ask for is done once, and where the flow
  /// fails at most once.
  public static func exactlyOnce(_ pattern: RequestPattern) -> Invariant {
    Invariant(
      name: "exactlyOnce(\(pattern))",
      code: ".exactlyOnce(\(String(reflecting: "\(pattern)")))"
    ) { origin in
      let deeds = origin.deeds(of: pattern)
      if deeds > 1 { return "\(pattern) was done \(deeds) times." }
      return deeds == 0 && origin.hasSucceeded
        ? "\(pattern) was not done, and the flow succeeded."
        : nil
    }
  }

  /// Makes the invariant that what requests of a pattern ask for is done at most so often.
  public static func atMost(_ count: Int, _ pattern: RequestPattern) -> Invariant {
    bound("atMost(", count, pattern, "was done") { $0.deeds(of: pattern) }
  }

  /// Makes the invariant that at most so many requests of a pattern arrive, answered or not.
  public static func requests(atMost count: Int, _ pattern: RequestPattern) -> Invariant {
    bound("requests(atMost: ", count, pattern, "arrived") { $0.arrivals(of: pattern) }
  }

  /// Makes the invariant that something is seen of a pattern at most so often.
  private static func bound(
    _ function: String,
    _ most: Int,
    _ pattern: RequestPattern,
    _ verb: String,
    _ count: @escaping @Sendable (Origin) -> Int
  ) -> Invariant {
    Invariant(
      name: "\(function)\(most), \(pattern))",
      code: ".\(function)\(most), \(String(reflecting: "\(pattern)")))"
    ) { origin in
      let seen = count(origin)
      return seen > most ? "\(pattern) \(verb) \(seen) times." : nil
    }
  }
}

extension Invariant.Origin.Arrival {
  fileprivate func isOf(_ pattern: RequestPattern) -> Bool {
    pattern.mayMatch(Request(endpoint: request))
  }
}

extension Invariant.Origin {
  init(_ run: FlowRun) {
    requests = zip(run.places, run.attempts).map { place, attempt in
      Arrival(
        request: place.key,
        at: (attempt.start ?? .zero) - run.start,
        wasDone: attempt.wasDone,
        idempotencyKey: attempt.sent?.key
      )
    }
    if case .returned = run.ending { hasSucceeded = true } else { hasSucceeded = false }
  }
}

extension Observation.Attempt {
  /// Tells whether the origin did what was asked: it was asked for its answer, which may not have
  /// arrived. A status in its place says that it did nothing.
  fileprivate var wasDone: Bool {
    !metFaults.contains { fault in
      switch fault {
      case .status, .answer: true
      case .connection(let fault): fault.symptom != nil
      default: false
      }
    }
  }
}
