import TestSupport
import WindTunnel

/// `presets list` and `presets show`.
@Suite struct PresetsCommandTests {
  @Test func `every preset is listed, with its numbers and where they come from`() async throws {
    let scratch = try Scratch()
    let run = try await scratch.run("presets list --json")
    #expect(run.code == 0 && run.err.isEmpty)
    let rows = try run.rows()
    expectEqual(rows.compactMap { $0["name"]?.stringValue }, LinkPreset.all.map(\.name))
    for row in rows {
      expectEqual(row["source"]?.stringValue?.isEmpty, false)
      #expect(["source", "known"].contains(row["evidence"]?.stringValue))
    }
    let plain = try await scratch.run("presets list")
    expectEqual(plain.out.split(separator: "\n").count, LinkPreset.all.count)
  }

  @Test func `a preset's numbers are those that its source has`() async throws {
    let scratch = try Scratch()
    let run = try await scratch.run("presets show nlc/edge-lossy --json")
    let preset = try JSON(parsing: run.out.utf8, source: "preset")
    expectEqual(
      preset["down"],
      ["bitsPerSecond": 240_000, "delayMilliseconds": 400, "lossProbability": 0.01]
    )
    expectEqual(
      preset["up"],
      ["bitsPerSecond": 200_000, "delayMilliseconds": 440, "lossProbability": 0]
    )
    let plain = try await scratch.run("presets show nlc/edge-lossy")
    #expect(
      plain.out.contains("240 kbit/s, 400 ms, 1 % lost down; 200 kbit/s, 440 ms up\n"),
      "\(plain.out)"
    )
  }

  @Test func `bars are kept in a scenario that is shown`() async throws {
    let scratch = try Scratch()
    var scenario = Scenario("dry", gates: [try Gate("calls >= 1")])
    (scenario.class, scenario.bars) = ("calm", [try Gate("successRate >= 0.9")])
    let text = String(decoding: scenario.data(), as: UTF8.self)
    try scratch.write(text, to: "dry.json")
    try await scratch.expect("scenarios show dry.json", out: text)
  }
}
