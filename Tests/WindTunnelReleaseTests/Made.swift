import Foundation

/// Bytes that are put together number by number.
struct Made {
  enum Order { case little, big }

  var bytes: [UInt8] = []
  var order = Order.little

  init(_ bytes: [UInt8] = [], order: Order = .little) {
    self.bytes = bytes
    self.order = order
  }

  var data: Data { Data(bytes) }

  mutating func add<Number: FixedWidthInteger>(_ numbers: Number...) {
    for number in numbers { bytes += Self.spelled(number, order) }
  }

  mutating func fill(to count: Int) {
    bytes += [UInt8](repeating: 0, count: max(0, count - bytes.count))
  }

  private static func spelled(_ number: some FixedWidthInteger, _ order: Order) -> [UInt8] {
    withUnsafeBytes(of: order == .little ? number.littleEndian : number.bigEndian, Array.init)
  }

  /// The mark of a module, by its number, as a compiler for that order writes it.
  static func mark(_ number: UInt64, _ order: Order = .little) -> [UInt8] {
    var made = Made(order: order)
    made.add(0xF1D3_8A6C_57E2_94B0 as UInt64, 0x9C0E_B7A5_2D41_F863, number)
    return made.bytes
  }
}

/// Programs of a few hundred bytes.
extension Made {
  /// An ELF file with one segment that holds all of it, and behind it a section of marks.
  static func elf(
    _ content: [UInt8],
    isWide: Bool = true,
    order: Order = .little,
    machine: UInt16 = 62,
    hasSections: Bool = true
  ) -> [UInt8] {
    let (head, segment, section) = isWide ? (64, 56, 64) : (52, 32, 40)
    let start = head + segment
    let table = (start + content.count + 7) / 8 * 8
    var made = Made(
      [0x7F, 0x45, 0x4C, 0x46, isWide ? 2 : 1, order == .little ? 1 : 2, 1],
      order: order
    )
    made.fill(to: 16)
    func native(_ number: Int) {
      if isWide { made.add(UInt64(number)) } else { made.add(UInt32(number)) }
    }
    made.add(2 as UInt16, machine)
    made.add(1 as UInt32)
    native(0)
    native(head)
    native(hasSections ? table : 0)
    made.add(0 as UInt32)
    made.add(UInt16(head), UInt16(segment), 1, UInt16(section), hasSections ? 2 : 0, 0)
    // The segment: PT_LOAD.
    made.add(1 as UInt32)
    if isWide { made.add(4 as UInt32) }
    native(0)
    native(0)
    native(0)
    native(start + content.count)
    native(start + content.count)
    if !isWide { made.add(4 as UInt32) }
    native(8)
    made.bytes += content
    guard hasSections else { return made.bytes }
    made.fill(to: table + section)
    // The section: SHT_PROGBITS.
    made.add(0 as UInt32, 1)
    native(2)
    native(0)
    native(start)
    native(content.count)
    made.fill(to: table + 2 * section)
    return made.bytes
  }

  /// A Mach-O file with one segment, and word of an encryption where there is one.
  static func machO(
    _ content: [UInt8],
    isWide: Bool = true,
    order: Order = .little,
    cpu: (UInt32, UInt32) = (0x0100_000C, 0),
    kind: UInt32 = 2,
    encryption: UInt32? = nil
  ) -> [UInt8] {
    let (head, segment) = isWide ? (32, 72) : (28, 56)
    let secret = encryption == nil ? 0 : isWide ? 24 : 20
    let start = head + segment + secret
    var made = Made(order: order)
    made.add(isWide ? 0xFEED_FACF : 0xFEED_FACE as UInt32, cpu.0, cpu.1, kind)
    made.add(encryption == nil ? 1 : 2 as UInt32, UInt32(segment + secret), 0)
    made.fill(to: head)
    made.add(isWide ? 0x19 : 1 as UInt32, UInt32(segment))
    made.fill(to: head + 24)
    if isWide {
      made.add(0 as UInt64, 0x1000, 0, UInt64(start + content.count))
    } else {
      made.add(0 as UInt32, 0x1000, 0, UInt32(start + content.count))
    }
    made.fill(to: head + segment)
    if let encryption {
      made.add(isWide ? 0x2C : 0x21 as UInt32, UInt32(secret), 0, 16, encryption)
      made.fill(to: start)
    }
    made.bytes += content
    return made.bytes
  }

  /// An object of 64 bits: a segment with one section, and a table of symbols behind that.
  static func object(
    _ content: [UInt8],
    section name: (segment: String, section: String),
    sections: Int = 1,
    symbols: Int = 0
  ) -> [UInt8] {
    let commands = 72 + 80 * sections + 24
    let start = 32 + commands
    var made = Made()
    made.add(0xFEED_FACF as UInt32, 0x0100_000C, 0, 1, 2, UInt32(commands), 0, 0)
    made.add(0x19 as UInt32, UInt32(72 + 80 * sections))
    made.fill(to: 56)
    made.add(0 as UInt64, UInt64(content.count), UInt64(start), UInt64(content.count))
    made.add(7 as UInt32, 7, UInt32(sections), 0)
    for index in 0..<sections {
      made.bytes += Array(name.section.utf8)
      made.fill(to: 104 + 80 * index + 16)
      made.bytes += Array(name.segment.utf8)
      made.fill(to: 104 + 80 * index + 32)
      made.add(0 as UInt64, UInt64(content.count))
      made.add(UInt32(start), 0, 0, 0, 0, 0, 0, 0)
    }
    let table = start + content.count
    made.add(2 as UInt32, 24, UInt32(table), UInt32(symbols), UInt32(table + 16 * symbols), 8)
    made.bytes += content
    made.bytes += [UInt8](repeating: 9, count: 16 * symbols + 8)
    return made.bytes
  }

  /// A universal file of several programs, each at a place of its own.
  static func universal(_ slices: [[UInt8]], isWide: Bool = false) -> [UInt8] {
    var made = Made(order: .big)
    made.add(isWide ? 0xCAFE_BABF : 0xCAFE_BABE as UInt32, UInt32(slices.count))
    var place = 8 + slices.count * (isWide ? 32 : 20)
    for slice in slices {
      made.add(0x0100_000C as UInt32, 0)
      if isWide {
        made.add(UInt64(place), UInt64(slice.count))
        made.add(0 as UInt32, 0)
      } else {
        made.add(UInt32(place), UInt32(slice.count), 0)
      }
      place += slice.count
    }
    for slice in slices { made.bytes += slice }
    return made.bytes
  }

  /// A static archive, whose long names are BSD's.
  static func archive(_ members: [(name: String, content: [UInt8])]) -> [UInt8] {
    var bytes = Array("!<arch>\n".utf8)
    for (name, content) in members {
      let isLong = name.utf8.count > 15
      let front = isLong ? Array(name.utf8) : []
      let fields = [
        (isLong ? "#1/\(front.count)" : "\(name)/", 16), ("0", 12), ("0", 6), ("0", 6),
        ("644", 8), ("\(front.count + content.count)", 10),
      ]
      for (text, width) in fields {
        bytes += Array(text.utf8) + [UInt8](repeating: 0x20, count: width - text.utf8.count)
      }
      bytes += [0x60, 0x0A] + front + content
      if (front.count + content.count) % 2 == 1 { bytes.append(0x0A) }
    }
    return bytes
  }
}

/// The archives that tests are made of.
extension Made {
  /// One entry of a zip archive as it is to be written, true or not.
  struct Entry {
    var name: String
    var content: [UInt8]
    var isDeflated = true
    var flags: UInt16 = 0
    var method: UInt16?
    /// The size that the central directory says.
    var claimed: Int?
    /// The place that the central directory says.
    var place: Int?
    /// The number that is added to the check sum of the central directory.
    var sumOff: UInt32 = 0
  }

  /// The CRC-32 of some bytes (RFC 1952 §8).
  private static func checkSum(_ content: [UInt8]) -> UInt32 {
    var sum: UInt32 = .max
    for byte in content {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }

  /// The content as deflate has it without packing (RFC 1951 §3.2.4).
  static func deflated(_ content: [UInt8]) -> [UInt8] {
    var made = Made()
    var rest = content[...]
    repeat {
      let block = rest.prefix(0xFFFF)
      rest = rest.dropFirst(block.count)
      made.bytes.append(rest.isEmpty ? 1 : 0)
      made.add(UInt16(block.count), ~UInt16(block.count))
      made.bytes += block
    } while !rest.isEmpty
    return made.bytes
  }

  static func zip(_ entries: [Entry], isWide: Bool = false, comment: String = "") -> [UInt8] {
    var (made, central) = (Made(), Made())
    for entry in entries {
      let packed = entry.isDeflated ? deflated(entry.content) : entry.content
      let place = entry.place ?? made.bytes.count
      let (name, method) = (Array(entry.name.utf8), entry.method ?? (entry.isDeflated ? 8 : 0))
      let opened = entry.claimed ?? entry.content.count
      made.add(0x0403_4B50 as UInt32)
      made.add(20 as UInt16, entry.flags, method, 0, 0)
      made.add(0 as UInt32, UInt32(packed.count), UInt32(opened))
      made.add(UInt16(name.count), 0)
      made.bytes += name + packed
      central.add(0x0201_4B50 as UInt32)
      central.add(20 as UInt16, 20, entry.flags, method, 0, 0)
      central.add(checkSum(entry.content) &+ entry.sumOff)
      if isWide {
        central.add(.max as UInt32, .max)
      } else {
        central.add(UInt32(packed.count), UInt32(opened))
      }
      central.add(UInt16(name.count), isWide ? 28 : 0, 0, 0, 0)
      central.add(0 as UInt32, isWide ? .max : UInt32(place))
      central.bytes += name
      if isWide {
        central.add(1 as UInt16, 24)
        central.add(UInt64(opened), UInt64(packed.count), UInt64(place))
      }
    }
    let start = made.bytes.count
    made.bytes += central.bytes
    if isWide {
      let end = made.bytes.count
      made.add(0x0606_4B50 as UInt32)
      made.add(44 as UInt64)
      made.add(45 as UInt16, 45)
      made.add(0 as UInt32, 0)
      made.add(UInt64(entries.count), UInt64(entries.count))
      made.add(UInt64(central.bytes.count), UInt64(start))
      made.add(0x0706_4B50 as UInt32, 0)
      made.add(UInt64(end))
      made.add(1 as UInt32)
    }
    made.add(0x0605_4B50 as UInt32)
    made.add(0 as UInt16, 0)
    let count = isWide ? .max : UInt16(entries.count)
    made.add(count, count)
    made.add(isWide ? .max : UInt32(central.bytes.count), isWide ? .max : UInt32(start))
    made.add(UInt16(comment.utf8.count))
    made.bytes += Array(comment.utf8)
    return made.bytes
  }

  /// A file of gzip with one member (RFC 1952).
  static func gzip(_ content: [UInt8]) -> [UInt8] {
    var made = Made([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255] + deflated(content))
    made.add(checkSum(content), UInt32(content.count))
    return made.bytes
  }

  /// One entry of a tar archive, with a header that goes before it where there is one.
  static func tarEntry(
    _ name: String,
    _ content: [UInt8],
    kind: Character = "0",
    magic: String = "ustar\u{0}00",
    size: String? = nil,
    front: String = ""
  ) -> [UInt8] {
    var made = Made(Array(name.utf8))
    made.fill(to: 100)
    made.bytes += Array("0000644\u{0}0000000\u{0}0000000\u{0}".utf8)
    let digits = String(content.count, radix: 8)
    let zeros = String(repeating: "0", count: 11 - digits.utf8.count)
    made.bytes += Array((size ?? "\(zeros)\(digits)\u{0}").utf8)
    made.fill(to: 136)
    made.bytes += Array("00000000000\u{0}".utf8) + [UInt8](repeating: 0x20, count: 8)
    made.bytes += Array("\(kind)".utf8)
    made.fill(to: 257)
    made.bytes += Array(magic.utf8)
    made.fill(to: 345)
    made.bytes += Array(front.utf8)
    made.fill(to: 512)
    let sum = String(made.bytes.reduce(0) { $0 + Int($1) }, radix: 8)
    made.bytes.replaceSubrange(
      148..<156,
      with: Array("\(sum)\u{0} ".utf8) + [0x20, 0x20].prefix(6 - sum.utf8.count)
    )
    made.bytes += content
    made.fill(to: (made.bytes.count + 511) / 512 * 512)
    return made.bytes
  }

  /// A tar archive of entries, and its end.
  static func tar(_ entries: [UInt8]...) -> [UInt8] {
    entries.flatMap { $0 } + [UInt8](repeating: 0, count: 1024)
  }

  /// The record of a header of pax.
  static func record(_ key: String, _ value: String) -> [UInt8] {
    let rest = " \(key)=\(value)\n"
    let short = rest.utf8.count + 2
    return Array("\(short < 100 ? short : short + 1)\(rest)".utf8)
  }
}
