import TestSupport
import WindTunnelSymptoms

@testable import WindTunnelDrill

/// Where a scenario is flown, and that what cannot be carried is refused before anything starts.
@Suite struct StageTests {
  private func stage(_ asked: Stage?, _ rules: FaultRule...) throws -> Stage {
    var plan = DrillPlan(try Shipped.cassette(), in: [])
    plan.stage = asked
    return try plan.stage(of: Scenario("s", rules: rules))
  }

  @Test func `a fault that needs bytes runs on the wire and is refused in process`() throws {
    let rule = FaultRule.always(.always, .close(.inHeaders))
    try expectEqual(stage(nil, rule), .onTheWire)
    try expectEqual(stage(.onTheWire, rule), .onTheWire)
    let error = #expect(throws: DrillError.self) { try stage(.inProcess, rule) }
    expectEqual(
      error?.description,
      #"Scenario "s" cannot run in process: rules[0].faults[0], {"close":"inHeaders"}, requires bytes that are not a complete response, which do not exist in process. Run it with --stage wire."#
    )
  }

  @Test func `a program is sent to no session's stage and to no other machine`() async throws {
    let mark = TestSubjects.mark()
    let subject = ExecSubject(["touch", mark.path])
    let setup = CallRunner.Setup(
      cassette: try Shipped.cassette(),
      scenario: .calm,
      seed: 1,
      stage: .inProcess,
      errors: .current
    )
    await #expect(throws: DrillError.self) {
      _ = try await CallRunner(subject, setup, deadline: .seconds(1), attemptTimeout: .seconds(1)) {
        _ in
      }
    }
    for address in [
      "http://192.0.2.1", "https://shop.example.test", "http://127.0.0.1.example.test",
    ] {
      let call = DrillCall(
        index: 0,
        request: Request("GET", RequestURL("/home")),
        isCritical: false,
        route: CallRoute(
          baseURL: try #require(URL(string: address)),
          session: .wire()
        ),
        attemptTimeout: .seconds(1),
        deadline: .seconds(1)
      )
      let result = await subject.run(call)
      expectEqual(result.ending, .failed("\(call.baseURL.host ?? "") is not on this machine"))
    }
    #expect(!FileManager.default.fileExists(atPath: mark.path))
  }

  @Test func `a scenario with faults for both sockets and names cannot run on any stage`() throws {
    let error = #expect(throws: DrillError.self) {
      try stage(
        nil,
        .always(.always, .idle(IdleEnd(.close, .nextRequest))),
        .on("GET /home", .always, .connection(.refused))
      )
    }
    expectEqual(
      error?.description.hasPrefix(#"Scenario "s" cannot run: on the wire "#),
      true
    )
  }

  @Test func `faults of bytes run in process only if that stage is requested`() throws {
    let rule = FaultRule.always(.always, .malformed(.garbage), .reset(.inHeaders))
    try expectEqual(stage(.inProcess, rule), .inProcess)
    try expectEqual(stage(nil, rule), .onTheWire)
  }
}
