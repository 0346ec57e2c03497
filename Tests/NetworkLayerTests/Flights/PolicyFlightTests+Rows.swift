import Foundation
import WindTunnel
import WindTunnelNetworkLayer

/// The rest of the error table, of `Retry-After`, of the methods, and the cap of the back-off.
extension PolicyFlightTests {
  static let moreRows =
    [500, 502, 504].map { status in
      Row(
        testDescription: "a \(status)",
        plan: [.always(.first(1), .status(status))],
        end: "status 200",
        gaps: [200]
      )
    }
    + [400, 403, 408, 409, 501, 505].map { status in
      Row(
        testDescription: "a \(status)",
        plan: [.always(.always, .status(status))],
        end: "status \(status)"
      )
    }
    + [
      Row(
        testDescription: "an empty answer",
        plan: [.always(.first(1), .close)],
        end: "status 200",
        gaps: [200]
      ),
      Row(
        testDescription: "silence for longer than an attempt may take",
        plan: [.always(.first(1), .stall(.afterRequest))],
        limits: CallLimits(attemptTimeout: .seconds(5), deadline: nil),
        end: "status 200",
        gaps: [200]
      ),
      Row(
        testDescription: "nobody listens",
        plan: [.always(.first(3), .connection(.refused))],
        stages: [.inProcess],
        isSeen: false,
        end: "status 200",
        gaps: [200, 400, 800]
      ),
      Row(
        testDescription: "an unknown host for ever",
        plan: [.always(.always, .connection(.hostNotFound))],
        stages: [.inProcess],
        isSeen: false,
        end: "hostNotFound",
        gaps: [200, 400, 800]
      ),
      Row(
        testDescription: "503 with the longest time that is waited for",
        plan: [.always(.first(1), .status(503, retryAfter: .seconds(30)))],
        end: "status 200",
        gaps: [30_000]
      ),
      Row(
        testDescription: "429 with no time at all",
        plan: [.always(.first(1), .status(429, retryAfter: .zero))],
        end: "status 200",
        gaps: [200]
      ),
      Row(
        testDescription: "429 with a word",
        plan: [.always(.first(1), .status(429, retryAfter: .garbage))],
        end: "status 200",
        gaps: [200]
      ),
      Row(
        testDescription: "waits that double up to the cap",
        plan: [.always(.first(5), .status(503))],
        policy: RetryPolicy(
          mostRetries: [.status(503): 5],
          backoff: Backoff(base: .seconds(1), cap: .seconds(3), jitter: .none)
        ),
        end: "status 200",
        gaps: [1000, 2000, 3000, 3000, 3000]
      ),
      Row(
        testDescription: "a PUT that is lost",
        endpoint: Endpoint(.put, "/users/7", body: .data(Data("1".utf8))),
        plan: [.always(.first(1), .reset(.afterRequest))],
        end: "status 200",
        gaps: [200]
      ),
      Row(
        testDescription: "a DELETE that is refused",
        endpoint: Endpoint(.delete, "/users/7"),
        plan: [.always(.first(2), .status(503))],
        end: "status 200",
        gaps: [200, 400]
      ),
      Row(
        testDescription: "a POST that is lost",
        endpoint: pay,
        plan: [.always(.always, .reset(.afterRequest))],
        end: "connectionLost"
      ),
      Row(
        testDescription: "a deadline that the third wait would reach",
        plan: [.always(.always, .status(503))],
        limits: CallLimits(attemptTimeout: .seconds(3600), deadline: .milliseconds(1400)),
        end: "status 503",
        gaps: [200, 400]
      ),
      Row(
        testDescription: "a budget that is spent",
        plan: [.always(.always, .status(503))],
        rules: .init(budget: RetryBudget(share: 0, reserve: 0)),
        end: "status 503"
      ),
    ]
}
