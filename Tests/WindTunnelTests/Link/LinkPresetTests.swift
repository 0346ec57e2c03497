import Foundation
import TestSupport
import Testing

@testable import WindTunnel

@Suite struct LinkPresetTests {
  @Test func `every preset is there, once, with where it comes from`() {
    let counts = Dictionary(grouping: LinkPreset.all) { $0.name.split(separator: "/")[0] }
    expectEqual(counts.mapValues(\.count), ["nlc": 14, "atc": 10, "wpt": 12, "devtools": 4])
    expectEqual(Set(LinkPreset.all.map(\.name)).count, LinkPreset.all.count)
    #expect(LinkPreset.all.allSatisfy { !$0.title.isEmpty && $0.source.count > 10 })
    for preset in LinkPreset.all { expectEqual(LinkPreset.named(preset.name), preset) }
  }

  struct Numbers: Sendable {
    var name: String
    var down: (Double?, Double, Double)
    var up: (Double?, Double, Double)
  }

  /// kbit/s, one-way milliseconds, and the share that is lost.
  @Test(arguments: [
    Numbers(name: "nlc/3g", down: (780, 100, 0), up: (330, 100, 0)),
    Numbers(name: "nlc/edge", down: (240, 400, 0), up: (200, 440, 0)),
    Numbers(name: "nlc/lte", down: (50_000, 50, 0), up: (10_000, 65, 0)),
    Numbers(name: "nlc/very-bad-network", down: (1000, 500, 0.1), up: (1000, 500, 0.1)),
    Numbers(name: "nlc/100-loss", down: (nil, 0, 1), up: (nil, 0, 1)),
    Numbers(name: "atc/2g-developing-rural", down: (20, 650, 0.02), up: (18, 650, 0.02)),
    Numbers(name: "atc/no-connectivity", down: (1, 0, 0), up: (1, 0, 0)),
    Numbers(name: "wpt/edge", down: (240, 420, 0), up: (200, 420, 0)),
    Numbers(name: "wpt/cable", down: (5000, 14, 0), up: (1000, 14, 0)),
    Numbers(name: "devtools/slow-4g", down: (1600, 75, 0), up: (750, 75, 0)),
  ])
  func `a preset has the numbers that were published`(numbers: Numbers) throws {
    let link = try #require(LinkPreset.named(numbers.name)).link
    for (direction, (rate, delay, loss)) in [(link.down, numbers.down), (link.up, numbers.up)] {
      expectEqual(direction.bitsPerSecond, rate.map { $0 * 1000 })
      expectEqual(direction.delay, Duration(milliseconds: delay))
      expectEqual(direction.lossProbability, loss)
    }
  }

  private func profile(_ values: String, around: (String, String) = ("", "")) -> Data {
    Data(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0">\(around.0)<dict>\(values)</dict>\(around.1)</plist>
      """.utf8
    )
  }

  private static let slow = """
    <key>DownlinkBandwidth</key><real>2</real><key>DownlinkBandwidthUnit</key><integer>1</integer>
    <key>DownlinkDelay</key><integer>30</integer>
    <key>DownlinkPacketLossRatio</key><real>1.5</real>
    <key>UplinkBandwidth</key><integer>330</integer><key>UplinkBandwidthUnit</key><integer>0</integer>
    <key>UplinkDelay</key><integer>40</integer><key>UplinkPacketLossRatio</key><integer>0</integer>
    <key>DNSDelayValue</key><integer>25</integer><key>RunOnInterface</key><string>All</string>
    """
  private static let slowLink = Link(
    up: .init(delay: .milliseconds(40), bitsPerSecond: 330_000),
    down: .init(delay: .milliseconds(30), bitsPerSecond: 2_000_000, lossProbability: 0.015),
    dnsDelay: .milliseconds(25)
  )

  @Test func `a conditioner's profile is imported, alone or among others by name`() throws {
    let alone = try ConditionerProfile.all(in: profile(Self.slow), source: "a.plist")
    #expect(alone.map(\.link) == [Self.slowLink] && alone.map(\.name) == [""])
    let among = profile(
      "<key>Slow</key><dict>\(Self.slow)</dict><key>Open</key><dict><key>UplinkDelay</key>"
        + "<integer>0</integer></dict><key>Version</key><integer>2</integer>",
      around: ("<dict><key>Profiles</key>", "</dict>")
    )
    let all = try ConditionerProfile.all(in: among, source: "a.plist")
    expectEqual(all.map(\.name), ["Open", "Slow"])
    expectEqual(all.map(\.link), [Link(up: .init(), down: .init()), Self.slowLink])
  }

  @Test(arguments: [
    ("no plist", "a.plist: it is no property list."),
    ("", "a.plist: it is no property list."),
    (
      #"<plist version="1.0"><dict></dict></plist>"#,
      "a.plist: it holds no profile: \"DownlinkBandwidth\" stands nowhere in it."
    ),
    (
      #"<plist version="1.0"><dict><key>DownlinkDelay</key><integer>-5</integer></dict></plist>"#,
      "a.plist, DownlinkDelay: -5 is not a number from 0 to 3600000."
    ),
    (
      #"<plist version="1.0"><dict><key>UplinkPacketLossRatio</key><string>x</string></dict></plist>"#,
      "a.plist, UplinkPacketLossRatio: x is not a number from 0 to 100."
    ),
  ])
  func `a damaged property list is refused in a sentence`(text: String, sentence: String) {
    expectEqual(
      refusal { try ConditionerProfile.all(in: Data(text.utf8), source: "a.plist") },
      sentence
    )
  }

  @Test func `a file that is too large is refused with the limit`() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("big.plist")
    try Data(repeating: 32, count: ConditionerProfile.fileBytesMax + 1).write(to: file)
    let words = refusal { try ConditionerProfile.all(in: file) }
    #expect(words.contains("big.plist has 1048577 bytes; at most 1048576 are read."))
  }
}
