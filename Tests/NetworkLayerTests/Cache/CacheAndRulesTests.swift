import Foundation
import TestSupport
import Testing
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The cache where calls of one address have rules that differ, or an answer breaks them.
@Suite struct CacheAndRulesTests {
  static let fields: Headers = [
    "Cache-Control": "max-age=1, stale-while-revalidate=600, stale-if-error=600",
    "ETag": "\"1\"", "Content-Type": "application/json",
  ]
  let loose = Endpoint(.get, "/page")
  let strict = Endpoint(.get, "/page", rules: .json(requiring: "id"))

  @Test(arguments: [0, 2])
  func `what was kept under other rules is no answer to those who break with it`(
    age: Int
  ) async throws {
    let fixture = try Fixture.cached(
      .status(200, Self.fields, body: "{}"),
      .status(200, Self.fields, body: #"{"id":1}"#)
    )
    try await expectEqual(fixture.client.call(loose).body, Data("{}".utf8))
    fixture.time.advance(by: .seconds(age))
    var bodies: [Data] = []
    for try await answer in fixture.client.updates(of: strict) { bodies.append(answer.body) }
    expectEqual(bodies, [Data(#"{"id":1}"#.utf8)])
    // It is the whole that was asked for: what is there may be confirmed, and still break them.
    let tags = fixture.sent("If-None-Match")
    expectEqual(tags, [nil, nil])
    try await expectEqual(fixture.client.call(strict).source, .cache)
  }

  @Test func `what was kept under other rules stands in for no server`() async throws {
    let fixture = try Fixture.cached(.status(200, Self.fields, body: "{}"), .symptom(.offline))
    _ = try await fixture.client.call(loose)
    fixture.time.advance(by: .seconds(2))
    await expectEqual(fixture.result(of: strict), .failure(.offline(text: "offline")))
  }

  @Test func `a change whose answer breaks the rules is a change`() async throws {
    let fixture = try Fixture.cached(
      .status(200, ["Cache-Control": "max-age=60"], body: "old"),
      .status(200, body: "done"),
      .status(200, body: "new")
    )
    try await expectEqual(fixture.client.call(loose).body, Data("old".utf8))
    let change = Endpoint(.put, "/page", rules: ResponseRules(contentTypes: ["application/json"]))
    await expectEqual(
      fixture.result(of: change),
      .failure(.decode(.contentType(nil, expected: ["application/json"])))
    )
    try await expectEqual(fixture.client.call(loose).body, Data("new".utf8))
  }
}
