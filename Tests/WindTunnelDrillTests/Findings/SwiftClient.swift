import TestSupport
import WindTunnelDrill
import WindTunnelNetworkLayer

/// A client in Swift with one planted bug, in the weather that shows it: the reference client with one
/// part changed, or a bare `URLSession` as people write it.
struct SwiftClient: Sendable, CustomStringConvertible {
  var description: String
  /// The shipped scenario.
  var scenario: String
  /// The rule that it breaks; `nil`: none.
  var rule: String?
  /// Errors that follow from the same bug.
  var follows: [String] = []
  var calls = 20
  var deadline: Duration = .seconds(20)
  /// The time at which its calls begin.
  var load: Load = .standard
  /// Makes the client, whose calls share what it keeps.
  var client: @Sendable () -> @Sendable (DrillCall) async throws -> Data

  /// Each planted bug.
  static let planted: [SwiftClient] = [
    .layer("sends POSTs again after a 500", "server-errors", "repeats-post") {
      $0.policy = Mutant(mostRetries: 2) { $0.isAnyMethod = true }
    },
    // One call after the other: on a full machine many at once come too late to be too early.
    .layer(
      "never reads Retry-After",
      "rate-limited",
      "ignores-retry-after",
      load: .closedLoop(concurrency: 1)
    ) {
      $0.policy = Mutant(mostRetries: 2) { $0.readsRetryAfter = false }
    },
    // One call after the other: where hundreds of attempts share a full machine, each waits for it.
    .layer(
      "does not wait before a retry",
      "outage",
      "no-back-off",
      ["retry-storm"],
      load: .closedLoop(concurrency: 1)
    ) {
      $0.policy = Mutant(mostRetries: 9) { $0.wait = { _ in .zero } }
    },
    .layer(
      "has no bound to its retries",
      "outage",
      "retries-without-bound",
      ["retries-in-step", "retry-storm"],
      calls: 4
    ) {
      $0.policy = Mutant(mostRetries: 15) { $0.wait = { _ in .milliseconds(150) } }
    },
    .layer("makes six attempts", "outage", "retry-storm") {
      $0.policy = Mutant(mostRetries: 5) { $0.isAnyMethod = true }
    },
    .layer("retries whatever is no success", "permanent-errors", "retries-permanent-error") {
      $0.policy = Mutant(mostRetries: 2) { $0.isAnyStatus = true }
    },
    .layer("takes every status", "outage", "success-on-error-status") {
      $0.rules = ResponseRules(statuses: 100...599)
      $0.policy = Mutant(mostRetries: 0)
    },
    .layer("does not ask for JSON", "captive-portal", "takes-portal-for-answer") {
      $0.rules = ResponseRules()
    },
    .layer("has no limits", "stall", "hangs", calls: 2, deadline: .seconds(2)) {
      $0.limits = CallLimits(attemptTimeout: .seconds(300), deadline: nil)
    },
    SwiftClient(
      description: "URLSession whose status nobody looks at",
      scenario: "outage",
      rule: "success-on-error-status"
    ) {
      { call in try await call.session.data(for: call.urlRequest).0 }
    },
    SwiftClient(
      description: "URLSession whose errors are nothing",
      scenario: "offline",
      rule: "success-without-answer"
    ) {
      { call in
        // The bug: nobody hears of the error.
        (try? await call.session.data(for: call.urlRequest).0) ?? Data()
      }
    },
    SwiftClient(
      description: "URLSession that asks once",
      scenario: "one-fault",
      rule: "gives-up-at-once"
    ) {
      { call in try await Self.checked(call) }
    },
    SwiftClient(
      description: "URLSession in a loop that catches everything",
      scenario: "outage",
      rule: "retries-without-bound",
      follows: ["no-back-off", "retry-storm"],
      calls: 2
    ) {
      { call in
        for _ in 0..<20 {
          // The bug: what failed is asked for again, whatever it was.
          if let body = try? await Self.checked(call) { return body }
        }
        throw URLError(.cannotLoadFromNetwork)
      }
    },
    SwiftClient(
      description: "a task of its own that goes on when the caller has gone",
      scenario: "cancel",
      rule: "goes-on-after-cancel",
      calls: 30
    ) {
      { call in
        // The bug: an unstructured task does not hear of the cancellation.
        try await Task {
          for _ in 0..<3 {
            if let body = try? await Self.checked(call) { return body }
            try? await Task.sleep(for: .milliseconds(400))
          }
          throw URLError(.cannotLoadFromNetwork)
        }.value
      }
    },
  ]

  /// The careful ones, in the same weather.
  static let careful: [SwiftClient] = {
    let names = Set(planted.map(\.scenario)).subtracting(["stall"]).sorted()
    return names.map { .layer("the reference client", $0, nil, calls: 30) { _ in } }
  }()

  /// The reference client with something changed.
  private static func layer(
    _ description: String,
    _ scenario: String,
    _ rule: String?,
    _ follows: [String] = [],
    calls: Int = 20,
    deadline: Duration = .seconds(20),
    load: Load = .standard,
    _ change: @escaping @Sendable (inout Parts) -> Void
  ) -> SwiftClient {
    SwiftClient(
      description: description,
      scenario: scenario,
      rule: rule,
      follows: follows,
      calls: calls,
      deadline: deadline,
      load: load
    ) {
      var parts = Parts()
      change(&parts)
      // A bug that a shared budget, or what other calls were told, would hide; careful clients keep
      // theirs.
      let admission =
        rule == nil
        ? AdmissionController()
        : AdmissionController(
          AdmissionController.Rules(
            budget: RetryBudget(share: 10, reserve: 1000, most: 1000),
            breaker: nil,
            longestRetryAfter: .zero
          )
        )
      return { [parts] call in
        let client = NetworkClient(
          baseURL: call.baseURL,
          session: call.session,
          policy: parts.policy,
          limits: parts.limits,
          admission: admission
        )
        let request = call.request
        var endpoint = Endpoint(
          HTTPMethod(rawValue: request.method),
          target: request.url.target,
          headers: Headers(request.headers.map { Headers.Field($0.name, $0.value) }),
          body: request.body.data.isEmpty ? nil : .data(request.body.data)
        )
        endpoint.rules = parts.rules
        return try await client.call(endpoint).body
      }
    }
  }

  private static func checked(_ call: DrillCall) async throws -> Data {
    let (body, response) = try await call.session.data(for: call.urlRequest)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard 200..<400 ~= status else { throw URLError(.badServerResponse) }
    return body
  }
}

/// The parts of the reference client that a bug may be in.
private struct Parts: Sendable {
  var policy: any Policy = RetryPolicy()
  var limits = CallLimits(attemptTimeout: .seconds(5), deadline: .seconds(15))
  var rules = ResponseRules(contentTypes: ["application/json"])
}

/// A policy that is the shipped one but for what is changed.
private struct Mutant: Policy {
  var isAnyMethod = false
  var isAnyStatus = false
  var readsRetryAfter = true
  var wait: (@Sendable (Double) -> Duration)?
  private let most: Int

  init(mostRetries most: Int, _ change: (inout Mutant) -> Void = { _ in }) {
    self.most = most
    change(&self)
  }

  func decide(
    after outcome: AttemptOutcome,
    attempt: Int,
    of request: URLRequest,
    at date: Date,
    draw: Double
  ) -> WindTunnelNetworkLayer.Decision {
    guard attempt <= most else { return .surface }
    var request = request
    if isAnyMethod { request.httpMethod = "GET" }
    var policy = RetryPolicy()
    policy.mostRetries = policy.mostRetries.mapValues { _ in most }
    if isAnyStatus {
      for status in 400..<600 { policy.mostRetries[.status(status)] = most }
    }
    let decision = policy.decide(
      after: outcome,
      attempt: attempt,
      of: request,
      at: date,
      draw: draw
    )
    guard case .retry = decision else { return decision }
    if !readsRetryAfter {
      return .retry(after: policy.backoff.delay(beforeRetry: attempt, draw: draw))
    }
    if let wait { return .retry(after: wait(draw)) }
    return decision
  }
}
