/// One section of a program, which a linker may have filled with any file (`-sectcreate`,
/// `objcopy --add-section`).
struct ProgramSection {
  /// The name, such as `.rodata` or `__DATA,__assets`, or another word where there is none.
  let name: String
  let content: ByteWindow

  init(name: String, content: ByteWindow) {
    self.name = name.isEmpty ? "section" : name
    self.content = content
  }

  /// Tells whether it begins as an archive that can be opened, or is a file of the harness's. Other
  /// formats are no reason to refuse a program: debuggers' names are packed by any of them.
  var isFile: Bool {
    switch FileKind(of: content) {
    case .zip, .gzip, .tar, .elf, .machO, .universal, .staticArchive: true
    case .closed: false
    case .other: HarnessFile(content) != nil
    }
  }

  /// Tells whether one begins before another in the file.
  static func isBefore(_ one: ProgramSection, _ other: ProgramSection) -> Bool {
    one.content.range.lowerBound < other.content.range.lowerBound
  }
}
