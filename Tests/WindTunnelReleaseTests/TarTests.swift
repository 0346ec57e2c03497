import Foundation
import TestSupport
import Testing
import WindTunnelRelease

@Suite struct TarTests {
  static let program = Made.elf(Made.mark(1))
  static let cassette = Array(#"{"windtunnel":1,"interactions":[]}"#.utf8)

  private func found(_ name: String) -> [String] {
    ["it:\(name) x86_64 [WindTunnel]", "found it:\(name) WindTunnel: a part of the harness"]
  }

  @Test(arguments: ["ustar\u{0}00", "ustar  \u{0}", ""])
  func `entries are seen through in each form, packed or not`(magic: String) {
    let file = Made.tar(
      Made.tarEntry("lib/", [], kind: "5", magic: magic),
      Made.tarEntry("lib/a.so", Self.program, magic: magic),
      Made.tarEntry("link", [], kind: "2", magic: magic),
      Made.tarEntry("users.json", Self.cassette, magic: magic)
    )
    let said = found("lib/a.so") + ["found it:users.json file: a cassette"]
    expectEqual(look(file), said)
    expectEqual(look(Made.gzip(file)), said)
  }

  @Test func `names are those that go before an entry, or have two parts`() {
    let long = String(repeating: "n", count: 120) + "/a.so"
    let file = Made.tar(
      Made.tarEntry("PaxHeader", Made.record("path", long), kind: "x"),
      Made.tarEntry("short", Self.program),
      // Of GNU, and of the entry behind it alone.
      Made.tarEntry("././@LongLink", Array("\(long)2\u{0}".utf8), kind: "L", magic: "ustar  \u{0}"),
      Made.tarEntry("short", Self.program, magic: "ustar  \u{0}"),
      Made.tarEntry("a.so", Self.program, front: "lib/inner")
    )
    let names = [long, "\(long)2", "lib/inner/a.so"]
    expectEqual(look(file).prefix(3), names.map { "it:\($0) x86_64 [WindTunnel]" }[...])
  }

  @Test func `sizes may be of pax, or in base 256`() {
    let size = "\(Self.program.count)"
    let pax = Made.tar(
      Made.tarEntry("PaxHeader", Made.record("size", size), kind: "x"),
      Made.tarEntry("a", Self.program, size: "00000000000\u{0}")
    )
    expectEqual(look(pax), found("a"))
    // It is that of the entry, and of no other header in between.
    let name = Array("b\u{0}".utf8)
    let between = Made.tar(
      Made.tarEntry("PaxHeader", Made.record("size", size), kind: "x"),
      Made.tarEntry("././@LongLink", name, kind: "L"),
      Made.tarEntry("a", Self.program, size: "00000000000\u{0}")
    )
    expectEqual(look(between), found("b"))
    var binary = Made.tarEntry("a", Self.program)
    let number = withUnsafeBytes(of: UInt64(Self.program.count).bigEndian, Array.init)
    let before = binary[124..<136].reduce(0) { $0 + Int($1) }
    binary.replaceSubrange(124..<136, with: [0x80, 0, 0, 0] + number)
    let sum =
      binary[..<148].reduce(0) { $0 + Int($1) } + 8 * 0x20
      + binary[156..<512].reduce(0) { $0 + Int($1) }
    #expect(before > 0)
    let digits = Array(String(sum, radix: 8).utf8)
    binary.replaceSubrange(148..<156, with: digits + [UInt8](repeating: 0, count: 8 - digits.count))
    expectEqual(look(Made.tar(binary)), found("a"))
    let huge = Made.tarEntry("a", [1], size: "77777777777\u{0}")
    expectEqual(look(Made.tar(huge)), ["unread it is cut short: an entry would lie beyond its end"])
  }

  @Test func `an archive that is cut short anywhere is never passed`() {
    let file = Made.tar(Made.tarEntry("a", Made.elf([1])), Made.tarEntry("b", [1]))
    expectEqual(look(file), ["it:a x86_64 []"])
    // One block of its end is enough to know that nothing is missing.
    for count in 512..<file.count - 512 {
      let said = look(Array(file.prefix(count)))
      #expect(said.contains { $0.hasPrefix("unread it is") }, "\(count): \(said)")
    }
    expectEqual(look(Array(file.dropLast(512))), ["it:a x86_64 []"])
  }

  @Test func `a header that was changed is refused, and so is what nobody understands`() {
    var file = Made.tar(Made.tarEntry("a", [1]), Made.tarEntry("b", Self.program))
    file[1024] ^= 1
    expectEqual(
      look(file),
      [
        "unread it is damaged: the check sum of a header in it is that of other bytes"
      ]
    )
    let link = Made.tar(Made.tarEntry("a", Self.program, kind: "1"))
    expectEqual(look(link), ["unread it is damaged: a link in it has a size"])
    for record in ["9 path=a", "x path=abc\n", "5 pat\n", "999 path=a\n"] {
      let header = Made.tarEntry("PaxHeader", Array(record.utf8), kind: "x")
      expectEqual(
        look(Made.tar(header)),
        [
          "unread it is damaged: the records of a header in it do not add up"
        ]
      )
    }
    for (kind, key) in [("S", "comment"), ("0", "GNU.sparse.major")] as [(Character, String)] {
      let sparse = Made.tar(
        Made.tarEntry("PaxHeader", Made.record(key, "1"), kind: "x"),
        Made.tarEntry("a", Self.program, kind: kind)
      )
      expectEqual(
        look(sparse),
        found("a") + [
          "unread it:a is a sparse file in a tar archive, a format that this does not look through"
        ]
      )
    }
  }

  @Test func `what follows the end is another archive, or refused`() {
    let one = Made.tar(Made.tarEntry("a", [1]))
    expectEqual(look(one + Made.tar(Made.tarEntry("b", Self.program))), found("b"))
    expectEqual(look(one + [UInt8](repeating: 0, count: 9000)), [])
    expectEqual(
      look(one + [UInt8](repeating: 7, count: 100)),
      [
        "unread it has 100 bytes behind its end, which are no zip archive, and are not looked through"
      ]
    )
  }

  @Test func `limits are those of all archives`() {
    var limits = ReleaseCheck.Limits()
    limits.files = 3
    let file = Made.tar(
      Made.tarEntry("a", [1]),
      Made.tarEntry("b", [1]),
      Made.tarEntry("c", [1]),
      Made.tarEntry("d", [1])
    )
    expectEqual(look(file, limits: limits), ["unread it has more than 3 files, which is the limit"])
    var nested = Made.elf([1])
    for _ in 0..<5 { nested = Made.tar(Made.tarEntry("t", nested)) }
    expectEqual(
      look(nested),
      ["unread it:t:t:t:t has more than 4 archives in each other, which is the limit"]
    )
    let long = [UInt8](repeating: 0x61, count: 1 << 20 + 1)
    expectEqual(
      look(Made.tar(Made.tarEntry("x", long, kind: "x"))),
      [
        "unread it has more than 1048576 bytes in a header of an entry, which is the limit"
      ]
    )
  }
}
