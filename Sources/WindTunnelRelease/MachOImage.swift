/// A program, a library or an object of Apple's, of one architecture (`mach-o/loader.h`).
struct MachOImage {
  /// The architecture, such as `arm64`.
  let architecture: String
  /// Tells whether it has names for a debugger, and no code.
  let isDebugSymbols: Bool
  /// Tells whether a store has encrypted it.
  private(set) var isEncrypted = false
  /// The libraries that it is not started without, by the names that it asks for.
  private(set) var libraries: [String] = []

  /// The sections that have bytes in the file, which may lie in each other.
  private(set) var sections: [ProgramSection] = []
  /// The place behind all that the load commands speak of.
  private var end = 0

  private let file: ByteWindow
  private let order: ByteWindow.Order
  private let isWide: Bool

  /// The bytes behind all that the load commands speak of; `nil` where they could hold nothing.
  var appended: ByteWindow? { file.rest(behind: end) }

  /// Tells whether a file begins as one of them.
  static func isMeant(by file: ByteWindow) -> Bool { form(of: file) != nil }

  /// Reads the header and the load commands, and proves that all that they promise is there.
  init(_ file: ByteWindow) throws(ReadingError) {
    guard let form = Self.form(of: file) else { throw .damaged("it has no header") }
    self.file = file
    (isWide, order) = form
    guard let cpu = file.number(UInt32.self, at: 4, order),
      let subtype = file.number(UInt32.self, at: 8, order),
      let kind = file.number(UInt32.self, at: 12, order),
      let count = file.number(UInt32.self, at: 16, order),
      let size = file.number(UInt32.self, at: 20, order)
    else { throw .cutShort(missing: "its header") }
    architecture = Self.name(ofCPU: cpu, subtype: subtype)
    isDebugSymbols = kind == 0xA
    let start = isWide ? 32 : 28
    guard let commands = file.window(at: start, count: Int(size)) else {
      throw .cutShort(missing: "its load commands")
    }
    end = start + commands.count
    var place = 0
    for _ in 0..<count {
      guard let number = commands.number(UInt32.self, at: place, order),
        let length = commands.number(UInt32.self, at: place + 4, order), length >= 8,
        let command = commands.window(at: place, count: Int(length))
      else { throw .damaged("its load commands do not add up") }
      try prove(command, number)
      place += Int(length)
    }
  }

  /// Looks at one load command.
  private mutating func prove(_ command: ByteWindow, _ number: UInt32) throws(ReadingError) {
    switch number {
    // LC_SEGMENT and LC_SEGMENT_64.
    case 0x1, 0x19: try proveSegment(command, isWide: number == 0x19)
    // LC_ENCRYPTION_INFO and LC_ENCRYPTION_INFO_64: 0 is "not yet".
    case 0x21, 0x2C:
      guard let system = command.number(UInt32.self, at: 16, order) else {
        throw .damaged("its load commands do not add up")
      }
      if system != 0 { isEncrypted = true }
    // LC_LOAD_DYLIB, and those that are weak, exported again, or the other way round.
    case 0xC, 0x8000_0018, 0x8000_001F, 0x8000_0023:
      guard libraries.count < Self.librariesMax,
        let name = command.number(UInt32.self, at: 8, order).flatMap({ command.name(at: Int($0)) })
      else { break }
      libraries.append(name)
    default:
      for (place, size) in Self.tables(of: number, isWide: isWide) {
        try proveTable(at: place, of: command, rowSize: size)
      }
    }
  }

  /// Returns where a load command names tables that may lie behind all segments, as those of an
  /// object do: the places of each one's offset, which the number of its rows follows, and the size
  /// of a row.
  private static func tables(of command: UInt32, isWide: Bool) -> [(place: Int, size: UInt64)] {
    switch command {
    // LC_SYMTAB: symbols and their names.
    case 0x2: [(8, isWide ? 16 : 12), (16, 1)]
    // LC_DYSYMTAB: contents, modules, references, indirect symbols, relocations.
    case 0xB:
      [(32, 8), (40, isWide ? 56 : 52), (48, 4), (56, 4), (64, 8), (72, 8)]
    // LC_DYLD_INFO and LC_DYLD_INFO_ONLY: five texts of operations.
    case 0x22, 0x8000_0022: [(8, 1), (16, 1), (24, 1), (32, 1), (40, 1)]
    // LC_CODE_SIGNATURE, LC_SEGMENT_SPLIT_INFO, LC_FUNCTION_STARTS, LC_DATA_IN_CODE,
    // LC_DYLIB_CODE_SIGN_DRS, LC_LINKER_OPTIMIZATION_HINT, LC_DYLD_EXPORTS_TRIE,
    // LC_DYLD_CHAINED_FIXUPS, LC_ATOM_INFO.
    case 0x1D, 0x1E, 0x26, 0x29, 0x2B, 0x2E, 0x8000_0033, 0x8000_0034, 0x36: [(8, 1)]
    default: []
    }
  }

  /// Proves that a table is in the file, which is a part of it then. Those of debug symbols may be
  /// in another.
  private mutating func proveTable(
    at place: Int,
    of command: ByteWindow,
    rowSize: UInt64
  ) throws(ReadingError) {
    guard let offset = command.number(UInt32.self, at: place, order),
      let count = command.number(UInt32.self, at: place + 4, order)
    else { throw .damaged("its load commands do not add up") }
    guard count > 0 else { return }
    guard let table = file.window(at: UInt64(offset), count: UInt64(count) * rowSize) else {
      if isDebugSymbols { return }
      throw .cutShort(missing: "a table")
    }
    end = max(end, Int(offset) + table.count)
  }

  private mutating func proveSegment(
    _ command: ByteWindow,
    isWide: Bool
  ) throws(ReadingError) {
    func native(_ place: Int) -> UInt64? {
      isWide
        ? command.number(UInt64.self, at: place, order)
        : command.number(UInt32.self, at: place, order).map(UInt64.init)
    }
    guard let offset = native(isWide ? 40 : 32), let length = native(isWide ? 48 : 36),
      let count = command.number(UInt32.self, at: isWide ? 64 : 48, order)
    else { throw .damaged("its load commands do not add up") }
    if file.window(at: offset, count: length) != nil {
      end = max(end, Int(offset) + Int(length))
    } else if !isDebugSymbols {
      throw .cutShort(missing: "a segment")
    }
    // The sections of debug symbols are those of the program, and in its file.
    if isDebugSymbols { return }
    let (head, size) = isWide ? (72, 80) : (56, 68)
    guard command.window(at: UInt64(head), count: UInt64(count) * UInt64(size)) != nil else {
      throw .damaged("its load commands do not add up")
    }
    for place in stride(from: head, to: head + Int(count) * size, by: size) {
      guard let section = command.window(at: place, count: size) else { break }
      try take(section)
    }
  }

  /// Takes one section, where it has bytes in the file, and its relocations.
  private mutating func take(_ section: ByteWindow) throws(ReadingError) {
    func word(_ place: Int) -> UInt32? { section.number(UInt32.self, at: place, order) }
    let fields = isWide ? 48 : 40
    let length =
      isWide ? section.number(UInt64.self, at: 40, order) : word(36).map(UInt64.init)
    try proveTable(at: fields + 8, of: section, rowSize: 8)
    guard let offset = word(fields), let length, length > 0, let kind = word(fields + 16),
      // S_ZEROFILL, S_GB_ZEROFILL, S_THREAD_LOCAL_ZEROFILL.
      ![0x1, 0xC, 0x12].contains(kind & 0xFF),
      let content = file.window(at: UInt64(offset), count: length)
    else { return }
    let names = [16, 0].compactMap { section.window(at: $0, count: 16)?.name(at: 0) }
    sections.append(ProgramSection(name: names.joined(separator: ","), content: content))
  }

  /// The most names of libraries that are read.
  private static let librariesMax = 1000

  private static func form(of file: ByteWindow) -> (isWide: Bool, order: ByteWindow.Order)? {
    switch file.number(UInt32.self, at: 0, .little) {
    case 0xFEED_FACE: (false, .little)
    case 0xFEED_FACF: (true, .little)
    case 0xCEFA_EDFE: (false, .big)
    case 0xCFFA_EDFE: (true, .big)
    default: nil
    }
  }

  static func name(ofCPU number: UInt32, subtype: UInt32) -> String {
    switch number {
    case 7: "i386"
    case 0x0100_0007: "x86_64"
    case 12: "arm"
    // The highest byte has capabilities, as of pointers that are signed.
    case 0x0100_000C: subtype & 0xFF_FFFF == 2 ? "arm64e" : "arm64"
    case 0x0200_000C: "arm64_32"
    case 18, 0x0100_0012: "powerpc"
    default: "cpu \(number)"
    }
  }
}

/// A file with a program for each of several architectures (`mach-o/fat.h`).
struct UniversalFile {
  /// The programs, each within the file, none in another.
  let slices: [ByteWindow]
  /// The bytes between them, and behind the last, that could hold anything.
  let rests: [ByteWindow]

  /// The lowest version of a Java class, which begins with the same four bytes, and has its version
  /// where the number of slices stands here.
  private static let javaVersionMin: UInt32 = 45

  /// Tells whether a file begins as one of them.
  static func isMeant(by file: ByteWindow) -> Bool {
    switch file.number(UInt32.self, at: 0, .big) {
    case 0xCAFE_BABE: (file.number(UInt32.self, at: 4, .big) ?? 0) < javaVersionMin
    case 0xCAFE_BABF: true
    default: false
    }
  }

  /// Reads the table of slices.
  init(_ file: ByteWindow) throws(ReadingError) {
    let isWide = file.number(UInt32.self, at: 0, .big) == 0xCAFE_BABF
    guard let count = file.number(UInt32.self, at: 4, .big) else {
      throw .cutShort(missing: "its header")
    }
    guard count > 0 else { throw .damaged("it has no architecture") }
    let size = isWide ? 32 : 20
    guard file.window(at: 8, count: UInt64(count) * UInt64(size)) != nil else {
      throw .cutShort(missing: "its table of architectures")
    }
    var slices: [ByteWindow] = []
    for place in stride(from: 8, to: 8 + Int(count) * size, by: size) {
      let bounds =
        isWide
        ? (
          file.number(UInt64.self, at: place + 8, .big),
          file.number(UInt64.self, at: place + 16, .big)
        )
        : (
          file.number(UInt32.self, at: place + 8, .big).map(UInt64.init),
          file.number(UInt32.self, at: place + 12, .big).map(UInt64.init)
        )
      guard case (let offset?, let length?) = bounds,
        let slice = file.window(at: offset, count: length)
      else { throw .cutShort(missing: "an architecture") }
      slices.append(slice)
    }
    // One in another would be looked at twice, and many of them many times.
    let places = slices.map(\.range).sorted { $0.lowerBound < $1.lowerBound }
    for (one, next) in zip(places, places.dropFirst()) where one.upperBound > next.lowerBound {
      throw .damaged("its architectures lie in each other")
    }
    self.slices = slices
    var (rests, end) = ([ByteWindow](), 8 + Int(count) * size)
    for place in places + [file.range.upperBound..<file.range.upperBound] {
      let next = place.lowerBound - file.range.lowerBound
      let gap = file.window(at: end, count: next - end)
      if let rest = gap?.rest(behind: 0) { rests.append(rest) }
      end = max(end, place.upperBound - file.range.lowerBound)
    }
    self.rests = rests
  }
}
