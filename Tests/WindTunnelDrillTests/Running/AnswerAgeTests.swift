import TestSupport

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
    expectEqual(home.isStaleOnArrival(with: faults), isStale)
    #expect(!Self.interaction("POST", fields).isStaleOnArrival(with: faults))
    #expect(!home.isStaleOnArrival(with: [.status(503)]))
  }

  @Test(
    arguments: [
      (["Cache-Control: max-age=60"], 60, false, true),
      (["Cache-Control: max-age=60, must-revalidate"], 60, false, false),
      (["Cache-Control: max-age=60, no-cache", "ETag: \"7\""], 0, true, false),
      (["Cache-Control: no-cache"], nil, false, false), (["ETag: \"7\""], 0, true, false),
      (["Last-Modified: Sat, 1 Nov 2025 00:00:00 GMT"], 0, true, false),
      (["Cache-Control: no-store, max-age=60", "ETag: \"7\""], nil, false, false),
      (["Cache-Control: max-age=60", "Vary: *"], nil, false, false),
      (["Cache-Control: stale-if-error=600"], 0, false, true),
      // Whoever counts an answer's age finds it old, and may show it all the same when nobody answers.
      (["Cache-Control: max-age=60", "Age: 9"], 0, false, true),
      (["Cache-Control: max-age=9223372036854775807"], 31_536_000, false, true),
      ([], nil, false, false),
    ] as [([String], Int?, Bool, Bool)]
  )
  func `an answer may be kept as its server says`(
    fields: [String],
    fresh: Int?,
    hasValidator: Bool,
    allowsStale: Bool
  ) {
    var headers: HeaderFields = [:]
    for field in fields {
      let parts = field.split(separator: ":", maxSplits: 1)
      headers.append(String(parts[0]), String(parts[1].drop { $0 == " " }))
    }
    func terms(_ method: String, status: Int = 200) -> Observation.CacheTerms? {
      Interaction(Request(method, "/home"), Response(status: status, headers: headers)).cacheTerms
    }
    var expected = Observation.CacheTerms()
    expected.fresh = .seconds(fresh ?? 0)
    (expected.hasValidator, expected.allowsStale) = (hasValidator, allowsStale)
    expectEqual(terms("GET"), (fresh == nil ? nil : expected))
    expectNil(terms("POST"))
    expectNil(terms("GET", status: 404))
  }
}
