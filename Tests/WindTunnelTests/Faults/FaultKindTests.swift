import TestSupport

@testable import WindTunnel

@Suite struct FaultKindTests {
  @Test func `every kind has a name of its own, and there are many`() {
    let names = FaultKind.all.map(\.name)
    expectEqual(Set(names).count, names.count)
    #expect(names.count >= 80)
    #expect(names.allSatisfy { $0.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil }, "\(names)")
    expectEqual(FaultKind.named("reset-in-headers")?.fault, .reset(.inHeaders))
    expectNil(FaultKind.named("reset"))
    expectEqual(Set(FaultKind.all.map(\.layer)), Set(FaultKind.Layer.allCases))
  }

  @Test func `no two kinds are one fault`() {
    let faults = FaultKind.all.map(\.fault)
    expectEqual(Set(faults).count, faults.count)
  }

  @Test(arguments: FaultKind.all)
  func `a kind is written and read as it is`(kind: FaultKind) throws {
    let scenario = Scenario("s", rules: [.always(.always, kind.fault)])
    try expectEqual(Scenario(data: scenario.data(), source: "s"), scenario)
  }

  /// Every case of the enumerations, so that none is forgotten in the list.
  @Test func `every word has a kind`() {
    let faults = Set(FaultKind.all.map(\.fault))
    let words =
      TLSFault.allCases.map { Fault.connection(.tls($0)) }
      + Malformation.allCases.map { .malformed($0) }
      + ReplacementResponse.allCases.map { .answer($0) }
      + ResponseEdit.Content.allCases.map { .alter(.body($0)) }
      + ResponseEdit.Coding.allCases.map { .alter(.contentEncoding($0)) }
    #expect(faults.isSuperset(of: words))
  }
}
