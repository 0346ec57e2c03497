/// A condition that must be true at the origin after a flow, for any fault set.
///
/// ```swift
/// let once = Invariant.exactlyOnce("POST /payments")
/// let calm = Invariant("no more than ten requests") { origin in origin.requests.count <= 10 }
/// ```
public struct Invariant: Sendable {
  /// The name of the invariant, which its finds have as well.
  public let name: String
  /// The invariant in Swift, or `nil` if the caller has defined it.
  let code: String?
  /// Returns a sentence about the violation, or `nil` if there is none.
  let problem: @Sendable (Origin) -> String?

  /// The state of a flow's origin after the end of the flow.
  public struct Origin: Sendable {
    /// A request that arrived.
    public struct ReceivedRequest: Sendable, Hashable {
      /// The method and target, such as `GET /home`.
      public var request: String
      /// The time since the flow's beginning.
      public var at: Duration
      /// Whether the origin processed the request, even if its response may have been lost.
      public var wasDone: Bool
      /// The number of its `Idempotency-Key`, which is the same for equal keys. `nil` if it has
      /// none.
      public var idempotencyKey: Int?
    }

    /// The requests that arrived, in their order.
    public var requests: [ReceivedRequest]
    /// Whether the flow returned without an error.
    public var hasSucceeded: Bool

    /// Returns how often the origin processed requests of a pattern. Requests with the same
    /// `Idempotency-Key` count once.
    public func deeds(of pattern: RequestPattern) -> Int {
      var keys: Set<Int> = []
      return requests.count { arrival in
        guard arrival.wasDone, arrival.isOf(pattern) else { return false }
        return arrival.idempotencyKey.map { keys.insert($0).inserted } ?? true
      }
    }

    /// Returns the number of requests of a pattern that arrived.
    public func arrivals(of pattern: RequestPattern) -> Int {
      requests.count { $0.isOf(pattern) }
    }
  }
}

extension Invariant {
  /// Creates an invariant from its name and condition.
  public init(_ name: String, _ holds: @escaping @Sendable (Origin) -> Bool) {
    (self.name, code) = (name, nil)
    problem = { origin in holds(origin) ? nil : "The server's final state makes \"\(name)\" false."
    }
  }

  /// Creates the invariant that requests of a pattern are processed exactly once, or at most once
  /// if the flow fails.
  public static func exactlyOnce(_ pattern: RequestPattern) -> Invariant {
    Invariant(
      name: "exactlyOnce(\(pattern))",
      code: ".exactlyOnce(\(String(reflecting: "\(pattern)")))"
    ) { origin in
      let deeds = origin.deeds(of: pattern)
      if deeds > 1 { return "\(pattern) was processed \(deeds) times." }
      return deeds == 0 && origin.hasSucceeded
        ? "\(pattern) was not processed, but the flow succeeded."
        : nil
    }
  }

  /// Creates the invariant that requests of a pattern are processed at most a number of times.
  public static func atMost(_ count: Int, _ pattern: RequestPattern) -> Invariant {
    bound("atMost(", count, pattern, "was done") { $0.deeds(of: pattern) }
  }

  /// Creates the invariant that at most a number of requests of a pattern arrive, with or without a
  /// response.
  public static func requests(atMost count: Int, _ pattern: RequestPattern) -> Invariant {
    bound("requests(atMost: ", count, pattern, "arrived") { $0.arrivals(of: pattern) }
  }

  /// Creates the invariant that a count for a pattern has a maximum.
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

extension Invariant.Origin.ReceivedRequest {
  fileprivate func isOf(_ pattern: RequestPattern) -> Bool {
    pattern.mayMatch(Request(endpoint: request))
  }
}

extension Invariant.Origin {
  init(_ run: FlowRun) {
    requests = zip(run.places, run.attempts).map { place, attempt in
      ReceivedRequest(
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
  /// Whether the origin processed the request, even if its response may not have arrived. If a
  /// fault's status replaced the response, the origin did not process the request.
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
