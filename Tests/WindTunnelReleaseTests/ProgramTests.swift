import Foundation
import Testing
import WindTunnelRelease

@Suite struct ProgramTests {
  /// Of `WindTunnelServer`.
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
      #expect(
        look(file) == [
          "it mips [WindTunnelServer]", "found it WindTunnelServer: a part of the harness",
        ]
      )
      let clean = Made.elf(
        [UInt8](repeating: 7, count: 40),
        isWide: isWide,
        order: order,
        hasSections: hasSections
      )
      #expect(look(clean) == ["it x86_64 []"])
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
    #expect(
      look(Made.machO([0] + mark, isWide: isWide, order: order)) == [
        "it arm64 [WindTunnelServer]", "found it WindTunnelServer: a part of the harness",
      ]
    )
    #expect(look(Made.machO([0], isWide: isWide, order: order)) == ["it arm64 []"])
  }

  @Test func `what an app may ship is named and not found`() throws {
    let marks = ["WindTunnelNetworkLayer", "WindTunnelSymptoms"].flatMap { name in
      ReleaseModule.names.firstIndex(of: name).map { Made.mark(UInt64($0 + 1)) } ?? []
    }
    #expect(look(Made.elf(marks)) == ["it x86_64 [WindTunnelNetworkLayer WindTunnelSymptoms]"])
  }

  @Test func `the debug product and a module of a later version are told as what they are`() {
    let debug = ReleaseModule.names.firstIndex(of: "WindTunnelNetworkLayerDebug") ?? 0
    #expect(
      look(Made.elf(Made.mark(UInt64(debug + 1)) + Made.mark(900))) == [
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
    #expect(
      look(file) == [
        "it x86_64 [WindTunnelServer]", "it arm64e []",
        "found it WindTunnelServer: a part of the harness",
      ]
    )
  }

  @Test(arguments: [true, false])
  func `an encrypted program is refused, one that may be encrypted later is not`(isWide: Bool) {
    let sentence =
      "unread it is encrypted, as a store's copy is: look through the app before it is uploaded"
    #expect(look(Made.machO([1], isWide: isWide, encryption: 1)) == [sentence])
    #expect(look(Made.machO([1], isWide: isWide, encryption: 0)) == ["it arm64 []"])
    let mixed = Made.universal([Made.machO([1]), Made.machO([1], encryption: 1)])
    #expect(look(mixed) == ["it arm64 []", sentence])
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
    #expect(look(file).first == "it x86_64 [WindTunnel]")
    file[table + 32] = 3
    #expect(look(file) == ["unread it is cut short: its section table would lie beyond its end"])
    file.replaceSubrange(table + 32..<table + 40, with: [UInt8](repeating: 0xFF, count: 8))
    #expect(look(file) == ["unread it is cut short: its section table would lie beyond its end"])
  }

  @Test func `architectures in each other are refused`() {
    var file = Made.universal([Made.machO([1]), Made.machO([2])])
    file.replaceSubrange(8 + 20 + 8..<8 + 20 + 12, with: file[16..<20])
    #expect(look(file) == ["unread it is damaged: its architectures lie in each other"])
  }

  @Test func `the files of a static archive are seen through by their names`() {
    let file = Made.archive([
      ("/", [0, 0]), ("a.o", Made.elf(Made.mark(1))), ("readme", [1]),
      ("a-name-longer-than-fifteen.o", Made.machO(Made.mark(1))),
    ])
    #expect(
      look(file) == [
        "it:a.o x86_64 [WindTunnel]", "it:a-name-longer-than-fifteen.o arm64 [WindTunnel]",
        "found it:a.o WindTunnel: a part of the harness",
        "found it:a-name-longer-than-fifteen.o WindTunnel: a part of the harness",
      ]
    )
  }

  @Test func `programs that nothing here reads are refused by the name of their format`() {
    for (bytes, name) in [
      (Array("MZ\u{0}".utf8), "a program for Windows"),
      ([0x00, 0x61, 0x73, 0x6D, 1], "a WebAssembly module"),
      ([0x42, 0x43, 0xC0, 0xDE], "LLVM bitcode"),
      (Array("!<thin>\n".utf8), "a static archive whose files lie elsewhere"),
      ([UInt8](repeating: 0x61, count: 257) + Array("ustar".utf8), "a tar archive"),
    ] {
      #expect(look(bytes) == ["unread it is \(name), a format that this does not look through"])
    }
    // A class of Java begins as a universal file does.
    #expect(look([0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52, 1, 2, 3]) == [])
    #expect(
      look([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00])
        == ["passed over it is xz, a format that this does not look through"]
    )
  }
}
