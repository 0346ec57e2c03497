import TestSupport

@testable import WindTunnelDrill

@Suite struct ProcessorGrantTests {
  @Test func `a program gets what it has waited for, in steps, and each part once`() {
    var grant = ProcessorGrant()
    expectEqual(grant.more(for: .seconds(25)), .seconds(10))
    expectEqual(grant.more(for: .seconds(26)), .seconds(10))
    expectEqual(grant.more(for: .seconds(27)), .seconds(7))
    expectNil(grant.more(for: .seconds(27)))
    expectEqual(grant.granted, .seconds(27))
    #expect(!grant.isUsedUp, "the next may be granted the same")
  }

  @Test func `one that does not wait for a processor gets nothing`() {
    var grant = ProcessorGrant()
    expectNil(grant.more(for: .zero))
    expectNil(grant.more(for: .seconds(1)))
    expectEqual(grant.granted, .zero)
  }

  @Test func `one that spins does not go on for ever`() {
    var grant = ProcessorGrant()
    var looks = 0
    while grant.more(for: .seconds(1_000_000)) != nil { looks += 1 }
    expectEqual(looks, 12)
    expectEqual(grant.granted, ProcessorGrant.most)
    #expect(grant.isUsedUp)
  }

  @Test func `a step is shorter than what a process may be silent for`() {
    #expect(ProcessorGrant.step < ScenarioRun.usualGrace.later)
    #expect(ProgramStart.loadingMax < ScenarioRun.usualGrace.later)
  }
}
