/// The encryption flag of a Mach-O file (`mach-o/loader.h`, `mach-o/fat.h`).
enum MachOFile {
  /// The lowest version of a Java class.
  ///
  /// A class begins with the magic number of a universal file. Its version is at the offset of the
  /// number of architectures.
  private static let javaVersionMin: UInt32 = 45

  /// Returns whether a file begins like a Mach-O file with one architecture or several.
  static func isMeant(by file: ByteWindow) -> Bool {
    form(of: file) != nil || rowSize(of: file) != nil
  }

  /// Returns whether a store has encrypted a file or one of its architectures.
  ///
  /// Throws if the load commands cannot be read.
  static func isEncrypted(_ file: ByteWindow) throws(ReadingError) -> Bool {
    // A static library is not encrypted.
    for program in try programs(in: file) where !program.has(FileKind.archiveMagic) {
      if try isThinEncrypted(program) { return true }
    }
    return false
  }

  /// Returns the size of an architecture's row; `nil` if the file is not a universal file.
  private static func rowSize(of file: ByteWindow) -> Int? {
    switch file.number(UInt32.self, at: 0, .big) {
    case 0xCAFE_BABE: (file.number(UInt32.self, at: 4, .big) ?? 0) < javaVersionMin ? 20 : nil
    case 0xCAFE_BABF: 32
    default: nil
    }
  }

  private static func form(of file: ByteWindow) -> (headerSize: Int, order: ByteWindow.Order)? {
    switch file.number(UInt32.self, at: 0, .little) {
    case 0xFEED_FACE: (28, .little)
    case 0xFEED_FACF: (32, .little)
    case 0xCEFA_EDFE: (28, .big)
    case 0xCFFA_EDFE: (32, .big)
    default: nil
    }
  }

  /// Returns the programs in a universal file, or the file itself if it is no universal file.
  private static func programs(in file: ByteWindow) throws(ReadingError) -> [ByteWindow] {
    guard let rowSize = rowSize(of: file) else { return [file] }
    guard let count = file.number(UInt32.self, at: 4, .big) else {
      throw .cutShort(missing: "its header")
    }
    guard count > 0 else { throw .damaged("it has no architecture") }
    guard let table = file.window(at: 8, count: UInt64(count) * UInt64(rowSize)) else {
      throw .cutShort(missing: "its table of architectures")
    }
    var (programs, bytes) = ([ByteWindow](), 0)
    for row in stride(from: 0, to: table.count, by: rowSize) {
      // The type and the subtype of the processor are in the first eight bytes of a row.
      func number(at index: Int) -> UInt64? {
        rowSize == 32
          ? table.number(UInt64.self, at: row + 8 + 8 * index, .big)
          : table.number(UInt32.self, at: row + 8 + 4 * index, .big).map(UInt64.init)
      }
      guard let offset = number(at: 0), let count = number(at: 1),
        let program = file.window(at: offset, count: count)
      else { throw .cutShort(missing: "an architecture") }
      programs.append(program)
      // This limit keeps the time linear if each architecture overlaps the others.
      bytes += program.count
      guard bytes <= file.count else { throw .damaged("its architectures overlap") }
    }
    return programs
  }

  private static func isThinEncrypted(_ file: ByteWindow) throws(ReadingError) -> Bool {
    guard let (headerSize, order) = form(of: file) else {
      throw .damaged("an architecture in it is not a program")
    }
    guard let count = file.number(UInt32.self, at: 16, order),
      let size = file.number(UInt32.self, at: 20, order)
    else { throw .cutShort(missing: "its header") }
    guard let commands = file.window(at: headerSize, count: size) else {
      throw .cutShort(missing: "its load commands")
    }
    var place = 0
    for _ in 0..<count {
      guard let kind = commands.number(UInt32.self, at: place, order),
        let length = commands.number(UInt32.self, at: place + 4, order), length >= 8,
        let command = commands.window(at: place, count: length)
      else { throw .damaged("its load commands do not add up") }
      // LC_ENCRYPTION_INFO and LC_ENCRYPTION_INFO_64. A system of 0 means that it is not encrypted.
      if kind == 0x21 || kind == 0x2C {
        guard let system = command.number(UInt32.self, at: 16, order) else {
          throw .damaged("its load commands do not add up")
        }
        if system != 0 { return true }
      }
      place += command.count
    }
    return false
  }
}
