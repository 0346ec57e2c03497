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

/// Programs of a few bytes.
extension Made {
  /// The first bytes of an ELF file, and some content.
  static func elf(_ content: [UInt8]) -> [UInt8] { [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0] + content }

  /// A Mach-O file with two load commands, of which the second may be a flag of encryption.
  static func machO(
    _ content: [UInt8],
    isWide: Bool = true,
    order: Order = .little,
    encryption: UInt32? = nil
  ) -> [UInt8] {
    let secret: [UInt32] = encryption.map { [isWide ? 0x2C : 0x21, 24, 0, 16, $0, 0] } ?? []
    // LC_UUID.
    let commands: [UInt32] = [0x1B, 24, 1, 2, 3, 4] + secret
    var made = Made(order: order)
    made.add(isWide ? 0xFEED_FACF : 0xFEED_FACE as UInt32, 0x0100_000C, 0, 2)
    made.add(encryption == nil ? 1 : 2 as UInt32, UInt32(4 * commands.count), 0)
    if isWide { made.add(0 as UInt32) }
    for number in commands { made.add(number) }
    return made.bytes + content
  }

  /// A universal file of several programs, each at an offset of its own.
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

  /// A static archive of one file.
  static func archive(_ content: [UInt8], named name: String = "a.o/") -> [UInt8] {
    var bytes = Array("!<arch>\n".utf8)
    for (text, width) in [
      (name, 16), ("0", 12), ("0", 6), ("0", 6), ("644", 8), ("\(content.count)", 10),
    ] {
      bytes += Array(text.utf8) + [UInt8](repeating: 0x20, count: width - text.utf8.count)
    }
    return bytes + [0x60, 0x0A] + content
  }

  /// A tar archive of one file, as far as it is detected.
  static func tar(_ content: [UInt8]) -> [UInt8] {
    var made = Made(Array("a".utf8))
    made.fill(to: 257)
    made.bytes += Array("ustar".utf8)
    made.fill(to: 512)
    return made.bytes + content
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
}
