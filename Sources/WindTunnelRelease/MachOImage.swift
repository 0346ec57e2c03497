/// A program, a library or an object of Apple's, of one architecture (`mach-o/loader.h`).
struct MachOImage {
  /// The architecture, such as `arm64`.
  let architecture: String
  /// Tells whether it has names for a debugger, and no code.
  let isDebugSymbols: Bool

  private let file: ByteWindow
  private let order: ByteWindow.Order
  private let isWide: Bool

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
  private func prove(_ command: ByteWindow, _ number: UInt32) throws(ReadingError) {
    switch number {
    // LC_SEGMENT and LC_SEGMENT_64. Those of debug symbols are in another file.
    case 0x1 where !isDebugSymbols:
      try proveSegment(
        command.number(UInt32.self, at: 32, order).map(UInt64.init),
        command.number(UInt32.self, at: 36, order).map(UInt64.init)
      )
    case 0x19 where !isDebugSymbols:
      try proveSegment(
        command.number(UInt64.self, at: 40, order),
        command.number(UInt64.self, at: 48, order)
      )
    // LC_ENCRYPTION_INFO and LC_ENCRYPTION_INFO_64: 0 is "not yet".
    case 0x21, 0x2C:
      guard let system = command.number(UInt32.self, at: 16, order) else {
        throw .damaged("its load commands do not add up")
      }
      if system != 0 { throw .encryptedProgram }
    default: break
    }
  }

  private func proveSegment(_ offset: UInt64?, _ length: UInt64?) throws(ReadingError) {
    guard let offset, let length else { throw .damaged("its load commands do not add up") }
    guard file.window(at: offset, count: length) != nil else {
      throw .cutShort(missing: "a segment")
    }
  }

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
  }
}
