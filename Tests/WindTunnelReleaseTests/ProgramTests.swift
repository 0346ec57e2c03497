import TestSupport
import WindTunnelRelease

@Suite struct ProgramTests {
  /// The number of `WindTunnelServer`.
  private static let server = ReleaseModule.names.firstIndex(of: "WindTunnelServer")
    .map { UInt64($0 + 1) }
  private static let found = "found it WindTunnel: a part of the harness"
  private static let encrypted =
    "unread it is encrypted, like a copy from a store: check the app before it is uploaded"

  @Test(arguments: [true, false], [Made.Order.little, .big])
  func `a mark is found in a program of each format`(isWide: Bool, order: Made.Order) throws {
    let mark = Made.mark(try #require(Self.server), order)
    func files(_ content: [UInt8]) -> [[UInt8]] {
      let program = Made.machO(content, isWide: isWide, order: order)
      let clean = Made.machO([1])
      let archive = Made.archive(content)
      return [
        Made.elf(content), program, archive, Made.universal([clean, program], isWide: isWide),
        Made.universal([archive, clean], isWide: isWide),
      ]
    }
    for file in files([0] + mark) {
      expectEqual(
        look(file),
        ["it [WindTunnelServer]", "found it WindTunnelServer: a part of the harness"]
      )
    }
    for file in files([1, 2, 3]) { expectEqual(look(file), ["it []"]) }
  }

  @Test func `what an app may ship is named and not found`() throws {
    let marks = ["WindTunnelNetworkLayer", "WindTunnelSymptoms"].flatMap { name in
      ReleaseModule.names.firstIndex(of: name).map { Made.mark(UInt64($0 + 1)) } ?? []
    }
    expectEqual(look(Made.elf(marks)), ["it [WindTunnelNetworkLayer WindTunnelSymptoms]"])
  }

  @Test func `the debug product and a module of a later version are told as what they are`() {
    let debug = ReleaseModule.names.firstIndex(of: "WindTunnelNetworkLayerDebug") ?? 0
    expectEqual(
      look(Made.elf(Made.mark(UInt64(debug + 1)) + Made.mark(900))),
      [
        "it [WindTunnelNetworkLayerDebug module 900]",
        "found it WindTunnelNetworkLayerDebug: the debug product",
        "found it module 900: a module of a later version",
      ]
    )
  }

  @Test(arguments: [true, false], [Made.Order.little, .big])
  func `an encrypted program is refused, one that may be encrypted later is not`(
    isWide: Bool,
    order: Made.Order
  ) {
    func file(_ encryption: UInt32) -> [UInt8] {
      Made.machO([1], isWide: isWide, order: order, encryption: encryption)
    }
    expectEqual(look(file(1)), [Self.encrypted])
    expectEqual(look(file(0)), ["it []"])
    for others in [[], [Made.machO([1])], [Made.archive([1])]] as [[[UInt8]]] {
      expectEqual(look(Made.universal(others + [file(1)], isWide: isWide)), [Self.encrypted])
      expectEqual(look(Made.universal(others + [file(0)], isWide: isWide)), ["it []"])
    }
  }

  @Test func `a Mach-O file whose load commands are cut short or contradictory is refused`() {
    for (isWide, order) in [(true, Made.Order.little), (false, .big)] {
      let file = Made.machO([], isWide: isWide, order: order, encryption: 0)
      for count in 4..<file.count {
        let said = look(Array(file.prefix(count)))
        #expect(said.count == 1 && said[0].hasPrefix("unread it is truncated"), "\(said)")
      }
      let pair = Made.universal([file, file], isWide: isWide)
      for count in 8..<pair.count {
        let said = look(Array(pair.prefix(count)))
        #expect(said.count == 1 && said[0].hasPrefix("unread it is truncated"), "\(said)")
      }
    }
    let damaged = "unread it is damaged: its load commands do not add up"
    // The number of commands, the length of the first one, and that of the second one.
    for (place, number) in [(16, 3), (36, 4), (36, 200), (60, 8)] as [(Int, UInt8)] {
      var file = Made.machO([], encryption: 0)
      file[place] = number
      expectEqual(look(file), [damaged])
    }
  }

  @Test func `a universal file that contradicts itself is refused`() {
    var file = Made.universal([])
    expectEqual(look(file), ["unread it is damaged: it has no architecture"])
    file = Made.universal([Made.machO([1]), [1, 2, 3, 4]])
    expectEqual(look(file), ["unread it is damaged: an architecture in it is not a program"])
    let slices = [Made.machO([1])] + [[UInt8]](repeating: [], count: 20)
    file = Made.universal(slices)
    // All of them at the offset of the first one, and as long.
    for row in 1...20 { file.replaceSubrange(16 + 20 * row..<24 + 20 * row, with: file[16..<24]) }
    expectEqual(look(file), ["unread it is damaged: its architectures overlap"])
  }

  @Test func `a format that is not read is refused by its name`() {
    var windows = [UInt8](repeating: 0, count: 0x44)
    windows.replaceSubrange(0..<2, with: Array("MZ".utf8))
    windows[0x3C] = 0x40
    windows.replaceSubrange(0x40..<0x42, with: Array("PE".utf8))
    let image = [UInt8](repeating: 0, count: 600) + Array("koly".utf8)
    let formats: [([UInt8], String)] = [
      (image + [UInt8](repeating: 0, count: 508), "a disk image"),
      (Array("xar!".utf8), "an installer package (xar)"), (Array("hsqs".utf8), "a squashfs image"),
      (Array("070701".utf8), "a cpio archive"), ([0xED, 0xAB, 0xEE, 0xDB], "an RPM package"),
      (Array("pbzx".utf8), "the content of an installer package (pbzx)"),
      (Array("AA01".utf8), "an Apple archive"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz"),
      (Array("BZh9".utf8), "bzip2"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd"),
      (windows, "a program for Windows"), (Made.tar(Made.elf([1])), "a tar archive"),
      (Made.archive(Array("2.0".utf8), named: "debian-binary"), "a Debian package"),
      ([0x00, 0x61, 0x73, 0x6D, 1], "a WebAssembly module"),
      ([0x42, 0x43, 0xC0, 0xDE], "LLVM bitcode"),
      (Array("!<thin>\n".utf8), "a thin static archive, without its files"),
    ]
    for (bytes, name) in formats {
      let sentence = "unread it is \(name), a format that cannot be checked"
      expectEqual(look(bytes), [sentence])
      expectEqual(look(Made.gzip(bytes)), [sentence])
    }
    // A class of Java begins as a universal file does.
    expectEqual(look([0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52, 1, 2, 3]), [])
    for text in ["MZ and more", "BZh, a name", "\u{1F}"] { expectEqual(look(Array(text.utf8)), []) }
    expectEqual(look([0x1F, 0x8B, 7, 1]), [])
  }

  @Test func `a mark is found in a file that is refused, and in a file of an unknown format`() {
    let mark = Made.mark(1)
    expectEqual(look(Made.machO(mark, encryption: 1)), [Self.found, Self.encrypted])
    let mixed = Made.universal([Made.machO([1], encryption: 1), Made.machO(mark)])
    expectEqual(look(mixed), [Self.found, Self.encrypted])
    let cut = Array(Made.universal([Made.machO(mark), Made.machO([1])]).dropLast())
    expectEqual(look(cut).first, Self.found)
    expectEqual(look(Array("hsqs".utf8) + mark).first, Self.found)
    expectEqual(look(Made.tar(Made.elf(mark))).first, Self.found)
    expectEqual(look(Array("an unknown format".utf8) + mark), [Self.found])
  }

  @Test func `a zip archive behind a program or a script is opened`() {
    let cassette = Array(#"{"windtunnel":1,"interactions":[]}"#.utf8)
    let zip = Made.zip([.init(name: "a.json", content: cassette)])
    let finding = "found it:a.json file: a cassette"
    let padding = [UInt8](repeating: 7, count: 100)
    for program in [Made.elf([1]), Made.machO([1]), Made.universal([Made.machO([1])])] {
      expectEqual(look(program + zip), ["it []", finding])
      expectEqual(look(program + padding + zip), ["it []", finding])
    }
    expectEqual(look(Array("#!/bin/sh\n".utf8) + zip), [finding])
    let secret = Made.zip([.init(name: "x", content: [1], flags: 1)])
    expectEqual(
      look(Made.elf([1]) + secret),
      ["it []", "unread it:x is encrypted with a password: check the archive without one"]
    )
  }
}
