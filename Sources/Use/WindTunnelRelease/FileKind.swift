/// The kind of a file, determined by its content alone.
enum FileKind {
  /// An ELF or Mach-O program, library or object, or a static archive of them.
  case program
  case zip
  case gzip
  /// A format that can contain programs or cassettes but is not read.
  case closed(String)
  case other

  init(of file: ByteWindow) {
    if file.has([0x7F, 0x45, 0x4C, 0x46]) || MachOFile.isMeant(by: file)
      || file.has(Self.archiveMagic) && !file.has(Self.debianMagic)
    {
      self = .program
    } else if file.has(ZipArchive.magic) || file.has(ZipArchive.emptyMagic) {
      self = .zip
    } else if file.has([0x1F, 0x8B, 8]) {
      // Deflate is the only method of gzip that was ever used (RFC 1952 §2.3.1).
      self = .gzip
    } else if let name = Self.closedName(of: file) {
      self = .closed(name)
    } else {
      self = .other
    }
  }

  /// The first bytes of a static archive.
  static let archiveMagic = Array("!<arch>\n".utf8)
  private static let debianMagic = archiveMagic + Array("debian-binary".utf8)

  private static let magics: [(magic: [UInt8], name: String)] = [
    ([0x00, 0x61, 0x73, 0x6D], "a WebAssembly module"),
    ([0x42, 0x43, 0xC0, 0xDE], "LLVM bitcode"), (debianMagic, "a Debian package"),
    (Array("!<thin>\n".utf8), "a thin static archive, without its files"),
    ([0x50, 0x4B, 0x07, 0x08], "a part of a zip archive"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd"),
    ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "7z"), ([0x04, 0x22, 0x4D, 0x18], "lz4"),
    (Array("xar!".utf8), "an installer package (xar)"),
    (Array("pbzx".utf8), "the content of an installer package (pbzx)"),
    (Array("AA01".utf8), "an Apple archive"), (Array("hsqs".utf8), "a squashfs image"),
    ([0xED, 0xAB, 0xEE, 0xDB], "an RPM package"), (Array("070701".utf8), "a cpio archive"),
    (Array("070702".utf8), "a cpio archive"), (Array("070707".utf8), "a cpio archive"),
  ]

  /// Returns the name of the format of a file that is not read; `nil` for any other file.
  private static func closedName(of file: ByteWindow) -> String? {
    if let (_, name) = magics.first(where: { file.has($0.magic) }) { return name }
    if file.has(Array("ustar".utf8), at: 257) { return "a tar archive" }
    // The MS-DOS header has the offset of the header (Microsoft, "PE Format", "MS-DOS Stub").
    if file.has(Array("MZ".utf8)), let place = file.number(UInt32.self, at: 0x3C, .little),
      file.has([0x50, 0x45, 0, 0], at: Int(place))
    {
      return "a program for Windows"
    }
    if (1...9).contains(where: { file.has(Array("BZh\($0)".utf8)) }) { return "bzip2" }
    // A disk image has its header at its end.
    return file.has(Array("koly".utf8), at: file.count - 512) ? "a disk image" : nil
  }
}
