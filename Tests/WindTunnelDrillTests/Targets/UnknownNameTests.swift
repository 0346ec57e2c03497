import Programs
import TestSupport

@testable import WindTunnelDrill

/// The name that nobody can have is an unknown host to every client in its own words, and none sends a
/// packet to find that out: they are run where there is no network at all, if that can be had. There a name
/// that has to be asked for is another error.
@Suite(.timeLimit(.minutes(5))) struct UnknownNameTests {
  @Test func `the name has 254 characters, which are 256 octets on the wire, and ends in invalid`()
  {
    let name = Targets.unknownName
    let nowhere =
      "nowhere.nowhere.nowhere.nowhere.nowhere.nowhere.nowhere.nowhere.nowhere.nowhere."
    expectEqual(name, nowhere + nowhere + nowhere + "nobody.invalid")
    expectEqual(name.utf8.count, 254)
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    #expect(labels.allSatisfy { 1...63 ~= $0.utf8.count } && labels.last == "invalid")
    // A length before each label, and the root's at the end (RFC 1035 §3.1).
    expectEqual(labels.reduce(1) { $0 + 1 + $1.utf8.count }, 256)
  }

  /// A client, what must be installed, a shell's script whose first argument is the name, what it
  /// prints, and what it prints of a name that has to be asked for, where it says so.
  typealias Client = (String, [String], String, String, String?)

  @Test(
    .bothTiers,
    arguments: Tier.cases(try TestData.rows("unknown-name.json", count: 8) as [Client], few: 3)
  )
  func `a client's own error is that of an unknown host, without a packet`(
    client: String,
    programs: [String],
    script: String,
    error: String,
    unasked: String?
  ) async throws {
    for program in programs where Executable.find(program) == nil {
      try Test.cancel("\(program) is not installed.")
    }
    let name = Targets.unknownName
    let apart = ["unshare", "-Urn"]
    var isApart = Executable.find("unshare") != nil
    if isApart { isApart = try await StartedProgram.run(apart + ["true"]).code == 0 }
    let shell = (isApart ? apart : []) + ["sh", "-c", script, "sh"]
    let run = try await StartedProgram.run(shell + [name])
    expectEqual(run.out, error.replacing("NAME", with: name))
    guard isApart, let unasked else { return }
    let other = try await StartedProgram.run(shell + ["name.test"])
    expectEqual(other.out, unasked.replacing("NAME", with: "name.test"))
  }

  @Test(arguments: [Stage.onTheWire, .inProcess])
  func `URLSession says that the host is not found, on both stages`(stage: Stage) async throws {
    let nameless: Scenario = [.always(.always, .connection(.hostNotFound))]
    let drill = Drill(
      try Shipped.cassette(),
      [nameless],
      calls: 2,
      atOnce: 2,
      seconds: 60,
      on: stage
    )
    let report = try await drill.run { try await ClosureDrillTests.ask($0) }
    let row = try #require(report.scenarios.first?.subjects.first)
    expectEqual(row.observations.map(\.ending), [.failed("hostNotFound"), .failed("hostNotFound")])
  }
}
