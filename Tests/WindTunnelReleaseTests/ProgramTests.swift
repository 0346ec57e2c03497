import Foundation
import TestSupport
import Testing
import WindTunnelRelease

@Suite struct ProgramTests {
  /// The number of `WindTunnelServer`.
  static let server = ReleaseModule.names.firstIndex(of: "WindTunnelServer").map { UInt64($0 + 1) }

  @Test(
    arguments: [true, false],
    [Made.Order.little, .big]
  )
  func `an ELF file of any width and order is seen through, with sections or without`(
    isWide: Bool,
    order: Made.Order
  ) throws {
    let mark = Made.mark(try #require(Self.server), order)
    for hasSections in [true, false] {
      let file = Made.elf(mark, isWide: isWide, order: order, machine: 8, hasSections: hasSections)
      expectEqual(
        look(file),
        [
          "it mips [WindTunnelServer]", "found it WindTunnelServer: a part of the harness",
        ]
      )
      let clean = Made.elf(
        [UInt8](repeating: 7, count: 40),
        isWide: isWide,
        order: order,
        hasSections: hasSections
      )
      expectEqual(look(clean), ["it x86_64 []"])
    }
  }

  @Test(
    arguments: [true, false],
    [Made.Order.little, .big]
  )
  func `a Mach-O file of any width and order is seen through`(
    isWide: Bool,
    order: Made.Order
  ) throws {
    let mark = Made.mark(try #require(Self.server), order)
    expectEqual(
      look(Made.machO([0] + mark, isWide: isWide, order: order)),
      [
        "it arm64 [WindTunnelServer]", "found it WindTunnelServer: a part of the harness",
      ]
    )
    expectEqual(look(Made.machO([0], isWide: isWide, order: order)), ["it arm64 []"])
  }

  @Test func `what an app may ship is named and not found`() throws {
    let marks = ["WindTunnelNetworkLayer", "WindTunnelSymptoms"].flatMap { name in
      ReleaseModule.names.firstIndex(of: name).map { Made.mark(UInt64($0 + 1)) } ?? []
    }
    expectEqual(look(Made.elf(marks)), ["it x86_64 [WindTunnelNetworkLayer WindTunnelSymptoms]"])
  }

  @Test func `the debug product and a module of a later version are told as what they are`() {
    let debug = ReleaseModule.names.firstIndex(of: "WindTunnelNetworkLayerDebug") ?? 0
    expectEqual(
      look(Made.elf(Made.mark(UInt64(debug + 1)) + Made.mark(900))),
      [
        "it x86_64 [WindTunnelNetworkLayerDebug module 900]",
        "found it WindTunnelNetworkLayerDebug: the debug product",
        "found it module 900: a module of a later version",
      ]
    )
  }

  @Test(arguments: [false, true])
  func `each architecture of a universal file is seen through`(isWide: Bool) throws {
    let mark = Made.mark(try #require(Self.server))
    let file = Made.universal(
      [Made.machO(mark, cpu: (0x0100_0007, 3)), Made.machO([1], cpu: (0x0100_000C, 0x8000_0002))],
      isWide: isWide
    )
    expectEqual(
      look(file),
      [
        "it x86_64 [WindTunnelServer]", "it arm64e []",
        "found it WindTunnelServer: a part of the harness",
      ]
    )
  }

  @Test(arguments: [true, false])
  func `an encrypted program is refused, one that may be encrypted later is not`(isWide: Bool) {
    let sentence =
      "unread it is encrypted, as a store's copy is: look through the app before it is uploaded"
    expectEqual(look(Made.machO([1], isWide: isWide, encryption: 1)), [sentence])
    expectEqual(look(Made.machO([1], isWide: isWide, encryption: 0)), ["it arm64 []"])
    let mixed = Made.universal([Made.machO([1]), Made.machO([1], encryption: 1)])
    expectEqual(look(mixed), ["it arm64 []", sentence])
  }

  /// Headers promise the rest, so that no part of a program is taken for all of it.
  @Test func `a program that is cut short anywhere is never passed`() {
    let whole = [
      Made.elf([1, 2, 3]), Made.elf([1, 2, 3], isWide: false, order: .big),
      Made.elf([1, 2, 3], hasSections: false), Made.machO([1, 2, 3]),
      Made.machO([1, 2, 3], isWide: false, order: .big),
      Made.universal([Made.machO([1]), Made.machO([2])]),
      Made.archive([("a.o", Made.elf([1])), ("a-name-longer-than-fifteen.o", Made.elf([2]))]),
    ]
    for file in whole {
      #expect(look(file).allSatisfy { !$0.hasPrefix("unread") })
      for count in 8..<file.count {
        let said = look(Array(file.prefix(count)))
        let isRefused = said.contains { $0.hasPrefix("unread it") }
        // An archive has no length of its own: it may end behind any file.
        let isShorterArchive = file[0] == 0x21 && said.allSatisfy { $0.contains("[]") }
        #expect(isRefused || isShorterArchive, "\(count) of \(file.count): \(said)")
      }
    }
  }

  @Test func `the sections of ELF may be more than its header can say`() {
    var file = Made.elf(Made.mark(1))
    // The number of sections in the first section's size (gABI, "e_shnum").
    file.replaceSubrange(60..<62, with: [0, 0])
    let table = file.count - 128
    file[table + 32] = 2
    expectEqual(look(file).first, "it x86_64 [WindTunnel]")
    let refused = [
      "found it WindTunnel: a part of the harness",
      "unread it is cut short: its section table would lie beyond its end",
    ]
    file[table + 32] = 3
    expectEqual(look(file), refused)
    file.replaceSubrange(table + 32..<table + 40, with: [UInt8](repeating: 0xFF, count: 8))
    expectEqual(look(file), refused)
  }

  @Test func `architectures in each other are refused`() {
    var file = Made.universal([Made.machO([1]), Made.machO([2])])
    file.replaceSubrange(8 + 20 + 8..<8 + 20 + 12, with: file[16..<20])
    expectEqual(look(file), ["unread it is damaged: its architectures lie in each other"])
  }

  @Test func `the files of a static archive are seen through by their names`() {
    let file = Made.archive([
      ("/", [0, 0]), ("a.o", Made.elf(Made.mark(1))), ("readme", [1]),
      ("a-name-longer-than-fifteen.o", Made.machO(Made.mark(1))),
    ])
    expectEqual(
      look(file),
      [
        "it:a.o x86_64 [WindTunnel]", "it:a-name-longer-than-fifteen.o arm64 [WindTunnel]",
        "found it:a.o WindTunnel: a part of the harness",
        "found it:a-name-longer-than-fifteen.o WindTunnel: a part of the harness",
      ]
    )
  }

  @Test func `programs that nothing here reads are refused by the name of their format`() {
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
      (windows, "a program for Windows"),
      ([0x00, 0x61, 0x73, 0x6D, 1], "a WebAssembly module"),
      ([0x42, 0x43, 0xC0, 0xDE], "LLVM bitcode"),
      (Array("!<thin>\n".utf8), "a static archive whose files lie elsewhere"),
    ]
    for (bytes, name) in formats {
      expectEqual(look(bytes), ["unread it is \(name), a format that this does not look through"])
    }
    // A class of Java begins as a universal file does.
    expectEqual(look([0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52, 1, 2, 3]), [])
    for text in ["MZ and more", "BZh, a name", "\u{1F}"] { expectEqual(look(Array(text.utf8)), []) }
    expectEqual(look([0x1F, 0x8B, 7, 1]), [])
  }

  @Test func `marks are found in what is refused, and in what nobody knows`() {
    let found = "found it WindTunnel: a part of the harness"
    let mark = Made.mark(1)
    let secret =
      "unread it is encrypted, as a store's copy is: look through the app before it is uploaded"
    expectEqual(look(Made.machO(mark, encryption: 1)), [found, secret])
    let mixed = Made.universal([Made.machO([1], encryption: 1), Made.machO(mark)])
    expectEqual(look(mixed), ["it arm64 [WindTunnel]", found, secret])
    expectEqual(look(Array("hsqs".utf8) + mark).first, found)
    expectEqual(look(Array("nobody knows".utf8) + mark), [found])
    expectEqual(look(Array(Made.elf(mark).dropLast(100))).first, found)
  }

  @Test func `a file of debug symbols alone is no program`() {
    var file = Made.elf([1, 2, 3])
    let section = file.count - 64
    // SHT_NOBITS, which is loaded (SHF_ALLOC).
    file[section + 4] = 8
    file[section + 8] = 2
    expectEqual(look(file), [])
    // SHT_PROGBITS.
    file[section + 4] = 1
    expectEqual(look(file), ["it x86_64 []"])
  }

  @Test func `what is appended to a program is looked through, or refused`() {
    let program = Made.elf([1])
    let rest = [UInt8](repeating: 7, count: 100)
    func sentence(_ count: Int) -> String {
      "unread it has \(count) bytes behind its end, which are no zip archive, and are not looked "
        + "through"
    }
    expectEqual(look(program + rest), ["it x86_64 []", sentence(100)])
    expectEqual(look(program + rest.prefix(64)), ["it x86_64 []"])
    expectEqual(look(program + [UInt8](repeating: 0, count: 5000)), ["it x86_64 []"])
    let zip = Made.zip([.init(name: "a", content: Made.elf(Made.mark(1)))])
    let found = ["it x86_64 []", "it:a x86_64 [WindTunnel]"]
    let finding = "found it:a WindTunnel: a part of the harness"
    #expect(look(program + zip).contains(found[1]) && look(program + zip).contains(finding))
    #expect(look(program + zip).allSatisfy { !$0.hasPrefix("unread") })
    #expect(look(program + rest + zip).contains(sentence(100)))
    expectEqual(look(Array("#!/bin/sh\n".utf8) + zip), [found[1], finding])
  }

  @Test func `what stands behind the end of a Mach-O program, or between two, is looked through`() {
    let rest = [UInt8](repeating: 7, count: 100)
    let sentence =
      "unread it has 100 bytes behind its end, which are no zip archive, and are not looked through"
    let zip = Made.zip([
      .init(name: "a", content: Array(#"{"windtunnel":1,"interactions":[]}"#.utf8))
    ])
    let finding = "found it:a file: a cassette"
    for isWide in [true, false] {
      let program = Made.machO([1], isWide: isWide)
      expectEqual(look(program + rest), ["it arm64 []", sentence])
      expectEqual(look(program + rest.prefix(64)), ["it arm64 []"])
      expectEqual(look(program + [UInt8](repeating: 0, count: 5000)), ["it arm64 []"])
      expectEqual(look(program + zip), ["it arm64 []", finding])
      // It ends where the first architecture does, and the second is elsewhere.
      let pair = Made.universal([program + rest, Made.machO([2])], isWide: isWide)
      expectEqual(look(pair), ["it arm64 []", "it arm64 []", sentence])
    }
    var gap = Made.universal([Made.machO([1])])
    expectEqual(look(gap + zip), ["it arm64 []", finding])
    // The only architecture begins a hundred bytes later.
    gap[19] += 100
    gap.insert(contentsOf: rest, at: 28)
    expectEqual(look(gap), ["it arm64 []", sentence])
  }

  @Test func `an object ends behind its symbols, and one that is cut short there is refused`() {
    let object = Made.object([1, 2, 3], section: ("__TEXT", "__text"), symbols: 9)
    expectEqual(look(object), ["it arm64 []"])
    expectEqual(
      look(Array(object.dropLast())),
      [
        "unread it is cut short: a table would lie beyond its end"
      ]
    )
    expectEqual(look(object + [UInt8](repeating: 7, count: 65)).count, 2)
  }

  /// As `ld -sectcreate` and `objcopy --add-section` make them.
  @Test func `a section that is a file of its own is opened`() {
    let cassette = Array(#"{"windtunnel":1,"interactions":[]}"#.utf8)
    let place = (segment: "__DATA", section: "__assets")
    let zip = Made.zip([.init(name: "a.json", content: cassette)])
    expectEqual(
      look(Made.object(zip, section: place)),
      [
        "it arm64 []", "found it:__DATA,__assets:a.json file: a cassette",
      ]
    )
    for packed in [cassette, Made.gzip(cassette)] {
      expectEqual(
        look(Made.object(packed, section: place)),
        [
          "it arm64 []", "found it:__DATA,__assets file: a cassette",
        ]
      )
      expectEqual(look(Made.elf(packed)), ["it x86_64 []", "found it:section file: a cassette"])
    }
    // What packs the names of a debugger is no reason to refuse a program.
    expectEqual(look(Made.elf([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00, 1])), ["it x86_64 []"])
    // Data may begin as a format does, as that of a loader which knows it by its first bytes.
    for start in [Made.elf([1]).prefix(20), Made.gzip(cassette).prefix(20), zip.prefix(20)] {
      expectEqual(look(Made.elf(Array(start) + [1])), ["it x86_64 []"])
    }
    expectEqual(
      look(Made.elf(Made.zip([.init(name: "x", content: [1], flags: 1)]))),
      [
        "it x86_64 []",
        "unread it:section:x is encrypted with a password: look through the archive without one",
      ]
    )
    let inEachOther = "unread it is damaged: its sections lie in each other"
    expectEqual(
      look(Made.object(zip, section: place, sections: 2)),
      [
        "it arm64 []", "found it:__DATA,__assets:a.json file: a cassette", inEachOther,
      ]
    )
    // Nothing of them is read where that would take many times the program.
    let large = [UInt8](repeating: 9, count: 10_000) + zip
    expectEqual(
      look(Made.object(large, section: place, sections: 3)),
      ["it arm64 []", inEachOther]
    )
  }

  @Test func `the libraries that a program asks for are named, without a system's`() {
    let strings = Array("\0libShop.so\0libc.so.6\0".utf8)
    var made = Made()
    // DT_STRTAB, DT_NEEDED twice, DT_NULL.
    made.add(5 as UInt64, 176 + 80, 1, 1, 1, 12, 0, 0, 0, 0)
    // Two segments are behind the header, of which the second is the dynamic section.
    var file = Made.elf([UInt8](repeating: 0, count: 56) + made.bytes + strings, hasSections: false)
    file[56] = 2
    var segment = Made()
    segment.add(2 as UInt32, 4)
    segment.add(176 as UInt64, 176, 0, 80, 80, 8)
    file.replaceSubrange(120..<176, with: segment.bytes)
    var check = ReleaseCheck()
    check.look(at: Data(file), named: "it")
    expectEqual(check.programs.map(\.libraries), [["libShop.so"]])
  }
}
