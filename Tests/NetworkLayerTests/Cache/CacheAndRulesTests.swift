import TestSupport
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

/// The cache where calls of one address have rules that differ, or an answer breaks them.
@Suite(.cassette("cache")) struct CacheAndRulesTests {
  let strict = Endpoint(.get, "/loose", rules: .json(requiring: "id"))

  @Test(arguments: [0, 2])
  func `a cached response that breaks the stricter rules of a call is not returned`(
    age: Int
  ) async throws {
    let fixture = try Fixture.cached(at: "/loose")
    await expectEqual(fixture.pages(), ["{} network"])
    fixture.time.advance(by: .seconds(age))
    var bodies: [Data] = []
    for try await answer in fixture.client.updates(of: strict) { bodies.append(answer.body) }
    expectEqual(bodies, [Data(#"{"id":1}"#.utf8)])
    // It is the whole that was asked for: what is there may be confirmed, and still break them.
    expectEqual(fixture.sent("If-None-Match"), [nil, nil])
    try await expectEqual(fixture.client.call(strict).source, .cache)
  }

  @Test func `a stale copy that breaks the call's rules is not returned if the device is offline`()
    async throws
  {
    let fixture = try Fixture.cached(.recorded(), .symptom(.offline), at: "/loose")
    await expectEqual(fixture.pages(), ["{} network"])
    fixture.time.advance(by: .seconds(2))
    await expectEqual(fixture.result(of: strict), .failure(.offline(text: "offline")))
  }

  @Test func `a change whose answer breaks the rules is a change`() async throws {
    let fixture = try Fixture.cached(at: "/changed")
    await expectEqual(fixture.pages(), ["old network"])
    let types = ResponseRules(contentTypes: ["application/json"])
    let change = Endpoint(.put, "/changed", rules: types)
    await expectEqual(
      fixture.result(of: change),
      .failure(.decode(.contentType(nil, expected: ["application/json"])))
    )
    await expectEqual(fixture.pages(), ["new network"])
  }
}
