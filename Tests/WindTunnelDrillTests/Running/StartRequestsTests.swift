import TestSupport

@testable import WindTunnelDrill

/// The rule by which what comes in a call belongs to an app's start.
@Suite struct StartRequestsTests {
  private static let rule = StartRequests(keys: ["GET /probe"]) { _ in "GET /home" }

  /// Returns which of a call's attempts belong to the start.
  private static func taken(_ attempts: [(key: String?, status: Int?)]) -> [Bool] {
    var seen = StartRequests.Facts()
    return attempts.map { rule.take($0.key, of: 0, answered: $0.status, &seen) }
  }

  @Test func `a probe belongs to it, and the page does not`() {
    expectEqual(Self.taken([("GET /probe", 200), ("GET /home", 200)]), [true, false])
  }

  @Test func `what a probe is redirected to is counted with it, and no more than that`() {
    let portal = ("GET /login", Int?.some(200))
    expectEqual(
      Self.taken([("GET /probe", 302), ("GET /home", 302), portal, portal]),
      [true, false, true, false]
    )
  }

  @Test func `a connection that fails belongs to it until the page is asked for`() {
    expectEqual(
      Self.taken([(nil, nil), ("GET /probe", 200), (nil, nil), ("GET /home", nil), (nil, nil)]),
      [true, true, true, false, false]
    )
  }

  @Test func `a cassette without a start has no such request`() {
    var seen = StartRequests.Facts()
    #expect(!StartRequests.none.take("GET /probe", of: 0, answered: 200, &seen))
    #expect(!StartRequests.none.take(nil, of: 0, answered: nil, &seen))
  }
}
