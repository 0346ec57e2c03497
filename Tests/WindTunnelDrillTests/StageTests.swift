import Testing
import WindTunnel

@testable import WindTunnelDrill

/// Where a scenario is flown, and that what cannot be carried is refused before anything starts.
@Suite struct StageTests {
  private func stage(_ asked: Stage?, _ rules: Rule...) throws -> Stage {
    var plan = DrillPlan(try Shipped.cassette(), in: [])
    plan.stage = asked
    return try plan.stage(of: Scenario("s", rules: rules))
  }

  @Test func `what takes bytes is flown on the wire and refused in process`() throws {
    let rule = Rule.always(.always, .close(at: .inHeaders))
    #expect(try stage(nil, rule) == .onTheWire)
    #expect(try stage(.onTheWire, rule) == .onTheWire)
    let error = #expect(throws: DrillError.self) { try stage(.inProcess, rule) }
    #expect(
      error?.description
        == #"Scenario "s" cannot be flown in process: rules[0].faults[0], {"close":"inHeaders"}, takes bytes that are no whole answer, and in process there are none. Fly it with --stage wire."#
    )
  }

  @Test func `what is half for sockets and half for names is flown nowhere`() throws {
    let error = #expect(throws: DrillError.self) {
      try stage(
        nil,
        .always(.always, .idle(IdleEnd(.close, .nextRequest))),
        .on("GET /home", .always, .connection(.refused))
      )
    }
    #expect(
      error?.description.hasPrefix(#"Scenario "s" can be flown nowhere: on the wire "#) == true
    )
  }

  @Test func `what a client would see of bytes is flown in process where that is asked`() throws {
    let rule = Rule.always(.always, .malformed(.garbage), .reset(at: .inHeaders))
    #expect(try stage(.inProcess, rule) == .inProcess)
    #expect(try stage(nil, rule) == .onTheWire)
  }
}
