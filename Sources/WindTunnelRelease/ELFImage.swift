/// A program or a library in ELF (System V ABI, generic, chapters 4 and 5), or a part of one.
struct ELFImage {
  /// The architecture, such as `x86_64`.
  let architecture: String

  static let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]

  /// Reads the headers, and proves that all that they promise is there.
  init(_ file: ByteWindow) throws(ReadingError) {
    guard let width = file.number(UInt8.self, at: 4, .little),
      let encoding = file.number(UInt8.self, at: 5, .little)
    else { throw .cutShort(missing: "its header") }
    guard [1, 2].contains(width), [1, 2].contains(encoding) else {
      throw .damaged("its header says neither 32 nor 64 bits, or no order of bytes")
    }
    let reader = Reader(file: file, isWide: width == 2, order: encoding == 1 ? .little : .big)
    architecture = Self.name(ofMachine: try reader.half(at: 18, of: "its header"))
    let segments = try reader.segments()
    let sections = try reader.sections()
    guard segments + sections > 0 else { throw .damaged("it has neither segments nor sections") }
  }

  private static func name(ofMachine number: UInt16) -> String {
    switch number {
    case 3: "i386"
    case 8: "mips"
    case 20, 21: "powerpc"
    case 22: "s390x"
    case 40: "arm"
    case 62: "x86_64"
    case 183: "aarch64"
    case 243: "riscv"
    default: "machine \(number)"
    }
  }
}

/// A reader of the tables of one file, by its width and its order of bytes.
private struct Reader {
  let file: ByteWindow
  let isWide: Bool
  let order: ByteWindow.Order

  func half(at offset: Int, of part: String) throws(ReadingError) -> UInt16 {
    guard let number = file.number(UInt16.self, at: offset, order) else {
      throw .cutShort(missing: part)
    }
    return number
  }

  func word(at offset: Int, of part: String) throws(ReadingError) -> UInt64 {
    guard let number = file.number(UInt32.self, at: offset, order) else {
      throw .cutShort(missing: part)
    }
    return UInt64(number)
  }

  /// Returns an address or an offset, which is as wide as the file is.
  private func native(at offset: Int, of part: String) throws(ReadingError) -> UInt64 {
    guard isWide else { return try word(at: offset, of: part) }
    guard let number = file.number(UInt64.self, at: offset, order) else {
      throw .cutShort(missing: part)
    }
    return number
  }

  private var sectionTable: UInt64 {
    get throws(ReadingError) { try native(at: isWide ? 40 : 32, of: "its header") }
  }

  /// Proves every segment, and returns how many there are.
  func segments() throws(ReadingError) -> Int {
    let table = try native(at: isWide ? 32 : 28, of: "its header")
    let size = try half(at: isWide ? 54 : 42, of: "its header")
    var count = UInt64(try half(at: isWide ? 56 : 44, of: "its header"))
    // With more than that the first section has the number.
    if count == 0xFFFF, try sectionTable != 0 {
      let first = try self.first(of: sectionTable)
      count = try word(at: first + (isWide ? 44 : 28), of: "its section table")
    }
    guard count > 0 else { return 0 }
    guard Int(size) >= (isWide ? 56 : 32) else { throw .damaged("its segments have no room") }
    let entries = try rows(at: table, size: size, count: count, "its segment table")
    for place in entries {
      let offset = try native(at: place + (isWide ? 8 : 4), of: "its segment table")
      let length = try native(at: place + (isWide ? 32 : 16), of: "its segment table")
      guard file.window(at: offset, count: length) != nil else {
        throw .cutShort(missing: "a segment")
      }
    }
    return entries.count
  }

  /// Proves every section, and returns how many there are; 0 where the table was taken away.
  func sections() throws(ReadingError) -> Int {
    let table = try sectionTable
    guard table != 0 else { return 0 }
    let size = try half(at: isWide ? 58 : 46, of: "its header")
    guard Int(size) >= (isWide ? 64 : 40) else { throw .damaged("its sections have no room") }
    var count = UInt64(try half(at: isWide ? 60 : 48, of: "its header"))
    if count == 0 {
      let first = try self.first(of: table)
      count = try native(at: first + (isWide ? 32 : 20), of: "its section table")
    }
    let entries = try rows(at: table, size: size, count: count, "its section table")
    for place in entries {
      let kind = try word(at: place + 4, of: "its section table")
      // SHT_NULL and SHT_NOBITS take no room in the file.
      if kind == 0 || kind == 8 { continue }
      let offset = try native(at: place + (isWide ? 24 : 16), of: "its section table")
      let length = try native(at: place + (isWide ? 32 : 20), of: "its section table")
      guard file.window(at: offset, count: length) != nil else {
        throw .cutShort(missing: "a section")
      }
    }
    return entries.count
  }

  /// Returns the place of the first row of a table, which is in the file.
  private func first(of table: UInt64) throws(ReadingError) -> Int {
    guard file.window(at: table, count: isWide ? 64 : 40) != nil else {
      throw .cutShort(missing: "its section table")
    }
    return Int(table)
  }

  private func rows(
    at table: UInt64,
    size: UInt16,
    count: UInt64,
    _ part: String
  ) throws(ReadingError) -> [Int] {
    let (length, overflows) = count.multipliedReportingOverflow(by: UInt64(size))
    guard !overflows, file.window(at: table, count: length) != nil else {
      throw .cutShort(missing: part)
    }
    return Array(stride(from: Int(table), to: Int(table) + Int(length), by: Int(size)))
  }
}
