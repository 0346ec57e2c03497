import TestSupport
import WindTunnel

/// `model`: the loss model by itself.
@Suite struct ModelCommandTests {
  private func timelines(_ words: String..., in scratch: Scratch) async throws -> [JSON] {
    let run = try await scratch.run(["model"] + words)
    #expect(run.code == 0 && run.err.isEmpty, "\(run.err)")
    return try run.out.split(separator: "\n").map { try JSON(parsing: $0.utf8, source: "line") }
  }

  @Test func `an exchange takes its round trips, and a packet that is lost its repeat`()
    async throws
  {
    let scratch = try Scratch()
    let calm = try await timelines("--rtt", "100", "--response", "1000", in: scratch)
    expectEqual(calm.map { $0["connectedMilliseconds"] }, [100])
    expectEqual(calm.map { $0["doneMilliseconds"] }, [200])
    // The first SYN is repeated after a second (RFC 6298, section 2.1).
    let lost = try await timelines(
      "--rtt",
      "100",
      "--response",
      "1000",
      "--drop",
      "up:syn:1",
      in: scratch
    )
    let connected = try #require(lost.first?["connectedMilliseconds"]?.doubleValue)
    // The kernel's timer has steps of 32 ms there.
    #expect(1100..<1132 ~= connected)
  }

  @Test func `a seed draws the same losses every time, and another seed others`() async throws {
    let scratch = try Scratch()
    let words = ["model", "--rtt", "80", "--loss", "0.1", "--draws", "50", "--seed"]
    let first = try await scratch.run(words + ["7"])
    expectEqual(first.out.split(separator: "\n").count, 50)
    try await expectEqual(scratch.run(words + ["7"]).out, first.out)
    #expect(try await scratch.run(words + ["8"]).out != first.out)
  }
}
