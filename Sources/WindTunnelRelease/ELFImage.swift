/// A program or a library in ELF (System V ABI, generic, chapters 4 and 5), or a part of one.
struct ELFImage {
  /// The architecture, such as `x86_64`.
  let architecture: String
  /// Tells whether it has names for a debugger, and of what is loaded no more than the places.
  let isDebugSymbols: Bool
  /// The libraries that it is not started without, by their names.
  let libraries: [String]
  /// The sections that have bytes in the file, which may lie in each other.
  let sections: [ProgramSection]
  /// The bytes behind all that the headers speak of; `nil` where they could hold nothing.
  let appended: ByteWindow?

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
    guard segments.count + sections.count > 0 else {
      throw .damaged("it has neither segments nor sections")
    }
    isDebugSymbols = sections.areDebugSymbols
    libraries = isDebugSymbols ? [] : reader.libraries(by: segments.rows)
    self.sections = sections.rows
    appended = file.rest(behind: max(segments.end, sections.end))
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

  /// The segments of a file.
  struct Segments {
    struct Row {
      var kind: UInt64
      var content: ByteWindow
      /// The place in memory.
      var address: UInt64
    }

    var rows: [Row] = []
    /// The place behind the furthest of them, and behind their table.
    var end = 0

    var count: Int { rows.count }
  }

  /// The sections of a file.
  struct Sections {
    var count = 0
    /// Those that have bytes here.
    var rows: [ProgramSection] = []
    /// The place behind the furthest of them, and behind their table.
    var end = 0
    /// Tells whether some are loaded, and none of those but notes has bytes here.
    var areDebugSymbols = false
  }

  /// Returns every segment, each of which is in the file.
  func segments() throws(ReadingError) -> Segments {
    let table = try native(at: isWide ? 32 : 28, of: "its header")
    let size = try half(at: isWide ? 54 : 42, of: "its header")
    var count = UInt64(try half(at: isWide ? 56 : 44, of: "its header"))
    // With more than that the first section has the number.
    if count == 0xFFFF, try sectionTable != 0 {
      let first = try self.first(of: sectionTable)
      count = try word(at: first + (isWide ? 44 : 28), of: "its section table")
    }
    guard count > 0 else { return Segments() }
    guard Int(size) >= (isWide ? 56 : 32) else { throw .damaged("its segments have no room") }
    let entries = try rows(at: table, size: size, count: count, "its segment table")
    var segments = Segments(end: Int(table) + entries.count * Int(size))
    for place in entries {
      let kind = try word(at: place, of: "its segment table")
      let offset = try native(at: place + (isWide ? 8 : 4), of: "its segment table")
      let address = try native(at: place + (isWide ? 16 : 8), of: "its segment table")
      let length = try native(at: place + (isWide ? 32 : 16), of: "its segment table")
      guard let content = file.window(at: offset, count: length) else {
        throw .cutShort(missing: "a segment")
      }
      segments.rows.append(Segments.Row(kind: kind, content: content, address: address))
      segments.end = max(segments.end, Int(offset) + Int(length))
    }
    return segments
  }

  /// Proves every section; there are none where the table was taken away.
  func sections() throws(ReadingError) -> Sections {
    let table = try sectionTable
    guard table != 0 else { return Sections() }
    let size = try half(at: isWide ? 58 : 46, of: "its header")
    guard Int(size) >= (isWide ? 64 : 40) else { throw .damaged("its sections have no room") }
    var count = UInt64(try half(at: isWide ? 60 : 48, of: "its header"))
    if count == 0 {
      let first = try self.first(of: table)
      count = try native(at: first + (isWide ? 32 : 20), of: "its section table")
    }
    let entries = try rows(at: table, size: size, count: count, "its section table")
    var sections = Sections(
      count: entries.count,
      end: Int(table) + entries.count * Int(size)
    )
    let names = try self.names(of: entries)
    var (loaded, empty) = (0, 0)
    for place in entries {
      let kind = try word(at: place + 4, of: "its section table")
      // SHF_ALLOC, and no SHT_NOTE, which a file of symbols keeps.
      if kind != 0, kind != 7, try native(at: place + 8, of: "its section table") & 2 != 0 {
        loaded += 1
        if kind == 8 { empty += 1 }
      }
      // SHT_NULL and SHT_NOBITS take no room in the file.
      if kind == 0 || kind == 8 { continue }
      let offset = try native(at: place + (isWide ? 24 : 16), of: "its section table")
      let length = try native(at: place + (isWide ? 32 : 20), of: "its section table")
      guard let content = file.window(at: offset, count: length) else {
        throw .cutShort(missing: "a section")
      }
      let name = file.number(UInt32.self, at: place, order).flatMap { names?.name(at: Int($0)) }
      sections.rows.append(ProgramSection(name: name ?? "", content: content))
      sections.end = max(sections.end, Int(offset) + Int(length))
    }
    sections.areDebugSymbols = loaded > 0 && loaded == empty
    return sections
  }

  /// Returns the section with the names of all; `nil` where there is none.
  private func names(of entries: [Int]) throws(ReadingError) -> ByteWindow? {
    // More sections than that have it elsewhere, and go by no name here.
    let index = Int(try half(at: isWide ? 62 : 50, of: "its header"))
    guard entries.indices.contains(index) else { return nil }
    let offset = try native(at: entries[index] + (isWide ? 24 : 16), of: "its section table")
    let length = try native(at: entries[index] + (isWide ? 32 : 20), of: "its section table")
    return file.window(at: offset, count: length)
  }

  /// Returns the names of the libraries that the dynamic section asks for (DT_NEEDED); none where
  /// it does not add up, as it could not be started then.
  func libraries(by segments: [Segments.Row]) -> [String] {
    guard let dynamic = segments.first(where: { $0.kind == 2 })?.content else { return [] }
    let width = isWide ? 8 : 4
    func number(_ window: ByteWindow, at place: Int) -> UInt64? {
      isWide
        ? window.number(UInt64.self, at: place, order)
        : window.number(UInt32.self, at: place, order).map(UInt64.init)
    }
    var (names, table) = ([UInt64](), UInt64?.none)
    var place = 0
    while let tag = number(dynamic, at: place), tag != 0, names.count < Self.librariesMax,
      let value = number(dynamic, at: place + width)
    {
      if tag == 1 { names.append(value) }
      if tag == 5 { table = value }
      place += 2 * width
    }
    // The table of names is told by its place in memory.
    guard let table,
      let segment = segments.first(where: { row in
        row.kind == 1 && table >= row.address
          && table - row.address < UInt64(row.content.count)
      })
    else { return [] }
    return names.compactMap { name in
      let (start, overflows) = (table - segment.address).addingReportingOverflow(name)
      guard !overflows, start < UInt64(segment.content.count) else { return nil }
      return segment.content.name(at: Int(start))
    }
  }

  /// The most names of libraries that are read.
  private static let librariesMax = 1000

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
