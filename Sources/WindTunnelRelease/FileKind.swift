/// The kind of a file, by its content alone.
enum FileKind {
  case elf
  case machO
  case universal
  case staticArchive
  case zip
  case gzip
  case tar
  /// Something that could hold programs, in a format that nothing here reads.
  case closed(String)
  case other

  init(of file: ByteWindow) {
    if file.has(ELFImage.magic) {
      self = .elf
    } else if MachOImage.isMeant(by: file) {
      self = .machO
    } else if UniversalFile.isMeant(by: file) {
      self = .universal
    } else if file.has(StaticArchive.magic) {
      self = .staticArchive
    } else if file.has(ZipArchive.magic) || file.has(ZipArchive.emptyMagic) {
      self = .zip
    } else if file.has([0x1F, 0x8B, 8]) {
      // Of gzip's methods deflate alone was ever used (RFC 1952 §2.3.1).
      self = .gzip
    } else if TarArchive.isMeant(by: file) {
      self = .tar
    } else if let (_, name) = Self.magics.first(where: { file.has($0.magic) }) {
      self = .closed(name)
    } else if let name = Self.nameBehindTheFront(of: file) {
      self = .closed(name)
    } else if ZipArchive.endsIn(file) {
      // With something else in front, such as a script that unpacks it.
      self = .zip
    } else {
      self = .other
    }
  }

  private static let magics: [(magic: [UInt8], name: String)] = [
    ([0x00, 0x61, 0x73, 0x6D], "a WebAssembly module"),
    ([0x42, 0x43, 0xC0, 0xDE], "LLVM bitcode"),
    (StaticArchive.thinMagic, "a static archive whose files lie elsewhere"),
    ([0x50, 0x4B, 0x07, 0x08], "a part of a zip archive"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd"),
    ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "7z"), ([0x04, 0x22, 0x4D, 0x18], "lz4"),
    (Array("xar!".utf8), "an installer package (xar)"),
    (Array("pbzx".utf8), "the content of an installer package (pbzx)"),
    (Array("AA01".utf8), "an Apple archive"), (Array("hsqs".utf8), "a squashfs image"),
    ([0xED, 0xAB, 0xEE, 0xDB], "an RPM package"), (Array("070701".utf8), "a cpio archive"),
    (Array("070702".utf8), "a cpio archive"), (Array("070707".utf8), "a cpio archive"),
  ]

  /// Returns the name of a format whose first bytes alone say too little, or are another's.
  private static func nameBehindTheFront(of file: ByteWindow) -> String? {
    // The place of the header is in the one of MS-DOS (Microsoft, "PE Format", "MS-DOS Stub").
    if file.has(Array("MZ".utf8)), let place = file.number(UInt32.self, at: 0x3C, .little),
      file.has([0x50, 0x45, 0, 0], at: Int(place))
    {
      return "a program for Windows"
    }
    if file.has(Array("BZh".utf8)), let level = file.number(UInt8.self, at: 3, .little),
      (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(level)
    {
      return "bzip2"
    }
    // A disk image has its header at its end.
    if file.has(Array("koly".utf8), at: file.count - 512) { return "a disk image" }
    return nil
  }
}
