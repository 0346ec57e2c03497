import Mutations
import TestSupport
import WindTunnelRelease

@Suite(.timeLimit(.minutes(5))) struct ReleaseMutationTests {
  private static let whole: [[UInt8]] = [
    Made.elf(Made.mark(1)), Made.elf(Made.mark(1, .big)), Made.machO(Made.mark(1)),
    Made.machO(Made.mark(1), isWide: false, order: .big, encryption: 0),
    Made.machO(Made.mark(1), isWide: false, encryption: 1),
    Made.universal([Made.machO([1]), Made.machO(Made.mark(1))]),
    Made.universal([Made.machO([1])], isWide: true), Made.archive(Made.elf(Made.mark(1))),
    Made.elf([1]) + Made.zip([.init(name: "a", content: Made.mark(1))]),
    Made.zip([
      .init(name: "a", content: Made.elf(Made.mark(1))),
      .init(name: "b", content: Made.gzip(Array(#"{"windtunnel":1,"interactions":[]}"#.utf8))),
    ]),
    Made.zip([.init(name: "a", content: Made.machO(Made.mark(1)))], isWide: true),
    Made.gzip(Array(#"{"windtunnelScenario": 1}"#.utf8)),
    Made.tar([1]),
  ]

  /// A change may hide a mark, or make another file of a file, but no read leaves the file, and
  /// nothing that is refused is passed as well.
  @Test(.bothTiers, arguments: Tier.cases(Array(0..<10 as Range<UInt64>), few: 2))
  func `a file that is changed at random is read to its end or refused`(seed: UInt64) {
    var generator = Generator(seed: seed)
    var counts: [Bool: Int] = [:]
    for _ in 0..<10_000 {
      var file = generator.pick(Self.whole)
      if Bool.random(using: &generator) {
        // A number at the edge of what fits, where headers have theirs.
        let place = Int.random(in: 4..<file.count, using: &generator)
        let number = generator.pick([0, 1, 0x7F, 0x80, 0xFE, 0xFF] as [UInt8])
        let end = min(file.count, place + generator.pick([1, 2, 4, 8]))
        for each in place..<end { file[each] = number }
      } else {
        file = generator.mutated(file)
      }
      var check = ReleaseCheck()
      check.look(at: Data(file), named: "it")
      let isRefused = !check.unread.isEmpty
      counts[isRefused, default: 0] += 1
      #expect(lines(of: check).count < 20)
      if isRefused || !check.findings.isEmpty { #expect(!check.passes) }
    }
    #expect((counts[true] ?? 0) > 1000 && (counts[false] ?? 0) > 1000, "\(counts)")
  }
}
