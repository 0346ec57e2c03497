import TestSupport

@testable import WindTunnel

/// The lane of a drill's call, which travels and is drawn for by its text.
@Suite struct LaneCallTests {
  @Test(arguments: [("calm", 0), ("pre/release", 17), ("7", 1_000_000), ("", 3)])
  func `a call's lane is a text with the call's number in it`(scenario: String, call: Int) {
    let lane = Lane(scenario: scenario, call: call)
    #expect(lane.name == "\(scenario)/\(call)" && lane == Lane("\(scenario)/\(call)"))
    expectEqual(lane.call, call)
    var request = Request("GET", RequestURL("http://127.0.0.1\(lane.basePath)/users"))
    expectEqual(Lane.take(from: &request)?.call, call)
    expectEqual(request.url.path, "/users")
  }

  @Test(arguments: ["deck", "test", "calm/", "calm/x", "17", "", "calm/17/users"])
  func `a lane of anything else has no call`(name: String) { expectNil(Lane(name).call) }
}
