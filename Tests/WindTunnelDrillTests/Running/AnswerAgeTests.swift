import Testing
import WindTunnel

@testable import WindTunnelDrill

/// The answers that are too old when they come.
@Suite struct AnswerAgeTests {
  private static func interaction(_ method: String, _ fields: [String]) -> Interaction {
    var headers: HeaderFields = ["Content-Type": "application/json"]
    for field in fields { headers.append("Cache-Control", field) }
    return Interaction(Request(method, "/home"), Response(headers: headers, body: Body("{}")))
  }

  @Test(arguments: [
    (["max-age=60"], 61, true), (["max-age=60"], 60, false), (["max-age=60"], 59, false),
    (["Max-Age=\"60\", public"], 86_400, true), (["public", "max-age=0"], 1, true),
    // A copy may be shown while another is fetched.
    (["max-age=60, stale-while-revalidate=600"], 600, false),
    (["max-age=60, stale-while-revalidate=600"], 661, true),
    // The server says nothing that could be counted.
    ([], 86_400, false), (["public"], 86_400, false), (["s-maxage=60"], 86_400, false),
    (["max-age=soon"], 86_400, false), (["max-age=-1"], 86_400, false),
    (["max-age=9223372036854775807, stale-while-revalidate=1"], 86_400, false),
  ])
  func `an answer is too old beyond what its server says`(
    fields: [String],
    age: Int,
    isStale: Bool
  ) {
    let home = Self.interaction("GET", fields)
    let faults: [Fault] = [.delay(.exactly(.zero)), .alter(.stale(seconds: age))]
    #expect(home.isStaleOnArrival(with: faults) == isStale)
    #expect(!Self.interaction("POST", fields).isStaleOnArrival(with: faults))
    #expect(!home.isStaleOnArrival(with: [.status(503)]))
  }
}
