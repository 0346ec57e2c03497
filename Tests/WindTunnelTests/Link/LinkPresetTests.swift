import TestSupport

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
}
