import TestSupport
import WindTunnelRelease

@Suite struct ArchiveTests {
  private static let program = Made.elf(Made.mark(1))
  private static let found = "found it:lib/a.so WindTunnel: a part of the harness"

  @Test func `stored and deflated entries are seen through`() {
    for isDeflated in [false, true] {
      let file = Made.zip(
        [
          .init(name: "lib/", content: [], isDeflated: false),
          .init(name: "lib/a.so", content: Self.program, isDeflated: isDeflated),
          .init(name: "res/b.txt", content: Array("text".utf8), isDeflated: isDeflated),
        ],
        comment: "PK\u{5}\u{6} in a comment"
      )
      expectEqual(look(file), ["it:lib/a.so [WindTunnel]", Self.found])
    }
  }

  @Test func `an archive of 64 bits is refused, also behind a program`() {
    let zip = Made.zip([.init(name: "a", content: [1])], isWide: true)
    let refusal = "unread it is a ZIP64 archive, a format that cannot be checked"
    expectEqual(look(zip), [refusal])
    expectEqual(look(Made.elf([1]) + zip), ["it []", refusal])
  }

  @Test func `an archive that is cut short anywhere is never passed`() {
    let file = Made.zip([.init(name: "a", content: Made.elf([1]))])
    expectEqual(look(file), ["it:a []"])
    for count in 4..<file.count {
      let said = look(Array(file.prefix(count)))
      #expect(said.count == 1 && said[0].hasPrefix("unread it"), "\(count): \(said)")
    }
  }

  @Test func `an entry that cannot be opened is refused, and the others are looked through`() {
    func said(_ entry: Made.Entry) -> [String] {
      look(Made.zip([entry, .init(name: "lib/a.so", content: Self.program)]))
    }
    let others = ["it:lib/a.so [WindTunnel]", Self.found]
    expectEqual(
      said(.init(name: "x", content: [1], flags: 1)),
      others + ["unread it:x is encrypted with a password: check the archive without one"]
    )
    expectEqual(
      said(.init(name: "x", content: [1], method: 12)),
      others + [
        "unread it:x is compressed with method 12; only stored (0) and deflated (8) are supported"
      ]
    )
    for claimed in [0, 1, 3] {
      expectEqual(
        said(.init(name: "x", content: [1, 2], claimed: claimed)),
        others + ["unread it:x is damaged: it does not decompress to its size"]
      )
    }
    expectEqual(
      said(.init(name: "x", content: [1, 2], isDeflated: false, claimed: 3)),
      others + ["unread it:x is damaged: it is stored, but has two different sizes"]
    )
  }

  @Test func `an entry whose bytes are not those of its check sum is refused`() {
    let file = Made.zip([.init(name: "x", content: [1, 2], isDeflated: false, sumOff: 1)])
    expectEqual(look(file), ["unread it:x is damaged: its checksum does not match"])
  }

  @Test func `no name hides what has content`() {
    let zip = Made.zip([.init(name: "lib/", content: Self.program)])
    #expect(look(zip).contains("found it:lib/ WindTunnel: a part of the harness"))
  }

  @Test func `further members of gzip are opened`() {
    let text = Array(#"{"windtunnelScenario": 1}"#.utf8)
    let file =
      Made.gzip(Array(text.prefix(9))) + Made.gzip([]) + Made.gzip(Array(text.dropFirst(9)))
    expectEqual(look(file), ["found it file: a scenario"])
    #expect(look(file + [1]).count == 1 && look(file + [1])[0].hasPrefix("unread it is damaged"))
  }

  @Test func `bombs are refused before they are opened`() {
    let large = Made.zip([.init(name: "x", content: [1], claimed: 1 << 31)])
    expectEqual(
      look(large),
      ["unread it has more than the maximum of 100 times its size after decompression"]
    )
    let twice = Made.zip([
      .init(name: "x", content: Self.program), .init(name: "y", content: Self.program, place: 0),
    ])
    expectEqual(look(twice), ["unread it is damaged: its entries overlap, or are after its end"])
    var nested = Made.elf([1])
    for _ in 0..<5 { nested = Made.zip([.init(name: "z", content: nested, isDeflated: false)]) }
    expectEqual(look(nested), ["unread it:z:z:z:z has more than the maximum of 4 nested archives"])
  }

  @Test func `what is beyond a limit is refused once, in words`() {
    var limits = ReleaseCheck.Limits()
    limits.files = 2
    let file = Made.zip((0..<9).map { .init(name: "\($0)", content: [1]) })
    expectEqual(look(file, limits: limits), ["unread it has more than the maximum of 2 files"])
    limits.files = 5
    let pair = Made.zip([
      .init(name: "a", content: Made.zip((0..<4).map { .init(name: "\($0)", content: [1]) })),
      .init(name: "b", content: [1]),
    ])
    expectEqual(look(pair, limits: limits), ["unread it:a:3 has more than the maximum of 5 files"])
    limits = ReleaseCheck.Limits()
    limits.bytes = file.count + 3
    expectEqual(
      look(file, limits: limits),
      ["unread it:3 has more than the maximum of \(file.count + 3) bytes in total"]
    )
  }

  @Test func `gzip is opened, and what is in it is looked through`() {
    expectEqual(
      look(Made.gzip(Self.program)),
      ["it [WindTunnel]", "found it WindTunnel: a part of the harness"]
    )
    expectEqual(look(Made.gzip(Array("text".utf8))), [])
    let cut = Array(Made.gzip(Self.program).dropLast(3))
    let said = look(cut)
    #expect(said.count == 1 && said[0].hasPrefix("unread it is damaged: it cannot be decompressed"))
  }

  @Test func `no archive without entries passes for a release`() {
    expectEqual(look(Made.zip([])), [])
    expectEqual(look([0x50, 0x4B, 0x05, 0x06]).count, 1)
  }
}
