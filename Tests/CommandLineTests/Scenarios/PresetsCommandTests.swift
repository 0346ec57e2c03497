import Foundation
import TestSupport
import Testing
import WindTunnel

/// `presets list`, `presets show` and `presets import`.
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

  /// A profile as the Network Link Conditioner of a Mac writes it.
  private static func profile(_ name: String, downDelay: Int, percent: Double) -> String {
    """
    <key>\(name)</key><dict>
    <key>DownlinkBandwidth</key><integer>1000</integer>
    <key>DownlinkBandwidthUnit</key><integer>0</integer>
    <key>DownlinkDelay</key><integer>\(downDelay)</integer>
    <key>DownlinkPacketLossRatio</key><real>\(percent)</real>
    <key>UplinkBandwidth</key><integer>0</integer>
    <key>UplinkDelay</key><integer>30</integer>
    <key>UplinkPacketLossRatio</key><integer>0</integer>
    <key>DNSDelayValue</key><integer>250</integer>
    <key>ExcludeLoopback</key><true/></dict>
    """
  }

  private static func plist(_ body: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN"
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0"><dict><key>Profiles</key><dict>\(body)</dict></dict></plist>
    """
  }

  @Test func `a profile of a Mac becomes a scenario that flies`() async throws {
    let scratch = try Scratch()
    try scratch.write(
      Self.plist(Self.profile("Train", downDelay: 80, percent: 2)),
      to: "Train.plist"
    )
    let run = try await scratch.run("presets import Train.plist").exits(0)
    let scenario = try Scenario(data: Data(run.out.utf8), source: "train.json")
    let link = try #require(scenario.link)
    expectEqual(scenario.name, "Train")
    #expect(link.down.bitsPerSecond == 1_000_000 && link.up.bitsPerSecond == nil)
    #expect(link.down.delay == .milliseconds(80) && link.up.delay == .milliseconds(30))
    #expect(link.down.lossProbability == 0.02 && link.up.lossProbability == 0)
    expectEqual(link.dnsDelay, .milliseconds(250))
    try scratch.write(run.out, to: "train.json")
    try await scratch.run("drill --scenario train.json --calls 3 --concurrency 3").exits(0)
  }

  @Test func `of several profiles one has to be named, and what is none is refused`() async throws {
    let scratch = try Scratch()
    let two = ["Slow", "Fast"].map { Self.profile($0, downDelay: 5, percent: 0) }.joined()
    try scratch.write(Self.plist(two), to: "two.plist")
    let unnamed = try await scratch.run("presets import two.plist")
    #expect(unnamed.code == 64 && unnamed.out.isEmpty)
    #expect(unnamed.err.contains("two.plist holds 2 profiles; name one by --profile: Fast, Slow."))
    let named = try await scratch.run("presets import two.plist --profile Fast")
    try expectEqual(Scenario(data: Data(named.out.utf8), source: "").name, "Fast")
    try scratch.write("not a list", to: "no.plist")
    let refused = try await scratch.run("presets import no.plist")
    #expect(refused.code == 65 && refused.out.isEmpty && refused.err.contains("no.plist"))
    let absent = try await scratch.run("presets import none.plist")
    #expect(absent.code == 66 && absent.out.isEmpty && absent.err.contains("none.plist"))
  }
}
