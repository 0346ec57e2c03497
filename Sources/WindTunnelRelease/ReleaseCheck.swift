package import Foundation
package import WindTunnelHTTP

/// A look through what is about to be released: no module of the harness, and no file that it
/// wrote, may be in it.
///
/// Folders, archives and programs are opened in turn, and told apart by their content and never by
/// their names.
package struct ReleaseCheck: Sendable {
  /// Something that a release must not hold.
  package struct Finding: Sendable, Hashable {
    /// The place: folders by `/`, and what is in an archive behind a colon.
    package var file: String
    /// The architecture of the program; `nil` for another file.
    package var architecture: String?
    /// The module; `nil` for a file of the harness's.
    package var module: ReleaseModule?
    /// The reason, such as "the debug product" or "a cassette".
    package var reason: String
  }

  /// Something that was not looked through.
  package struct Unread: Sendable, Hashable {
    package var file: String
    package var reason: ReadingError
  }

  /// A program or a library, of one architecture.
  package struct Program: Sendable, Hashable {
    package var file: String
    package var architecture: String
    /// The modules of this package that are in it, by name.
    package var modules: [ReleaseModule]
  }

  /// Limits of what is looked through.
  package struct Limits: Sendable {
    /// The most files, those in archives included.
    package var files = 1_000_000
    /// The most bytes of one file, packed or not.
    package var fileBytes = 2 << 30
    /// The most bytes that all files have together, once they are opened.
    package var bytes = 64 << 30
    /// The most archives in each other.
    package var depth = 4

    package init() {}
  }

  /// The programs and libraries that were looked through.
  package private(set) var programs: [Program] = []
  /// The files that were looked at, those in archives included.
  package private(set) var fileCount = 0
  package private(set) var findings: [Finding] = []
  /// Programs and archives that could hold anything: with one of them a release cannot pass.
  package private(set) var unread: [Unread] = []
  /// Packed files that programs are not started from, such as an asset in xz.
  package private(set) var passedOver: [Unread] = []

  /// Tells whether programs were looked through, and nothing was found or left out.
  package var passes: Bool { findings.isEmpty && unread.isEmpty && !programs.isEmpty }

  /// Tells whether there was nothing that could be looked through.
  package var lookedAtNothing: Bool { findings.isEmpty && unread.isEmpty && programs.isEmpty }

  private let limits: Limits
  private var bytesLeft: Int
  /// Tells whether a limit of all files together was met, so that no more is looked at.
  private var isFull = false

  package init(limits: Limits = Limits()) {
    self.limits = limits
    bytesLeft = limits.bytes
  }

  /// Looks through what is at a path, which is a file, or a folder with all that is below it.
  ///
  /// Links in a folder are not followed: what they lead to is in it by itself, or is not released.
  package mutating func look(atPath path: String) throws(FileError) {
    var isFolder: ObjCBool = false
    let manager = FileManager.default
    guard manager.fileExists(atPath: path, isDirectory: &isFolder) else { throw .missing(path) }
    guard isFolder.boolValue else {
      let data = try FileError.reading(URL(filePath: path), bytesMax: limits.fileBytes)
      look(at: data, named: path)
      return
    }
    var folders = [path]
    while !isFull, let folder = folders.popLast() {
      do {
        let names = try manager.contentsOfDirectory(atPath: folder).sorted()
        var below: [String] = []
        for name in names {
          let place = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
          switch try manager.attributesOfItem(atPath: place)[.type] as? FileAttributeType {
          case .typeDirectory?: below.append(place)
          case .typeRegular?: look(atFile: place)
          default: break
          }
        }
        folders += below.reversed()
      } catch {
        note(.unreadable(FileError.reason(error)), of: folder)
      }
    }
  }

  private mutating func look(atFile path: String) {
    do {
      let data = try FileError.reading(URL(filePath: path), bytesMax: limits.fileBytes)
      look(at: data, named: path)
    } catch {
      switch error {
      case .missing: note(.unreadable("it is gone"), of: path)
      case .unreadable(_, let reason), .unwritable(_, let reason):
        note(.unreadable(reason), of: path)
      case .tooLarge(_, _, let limit): note(.tooMuch("bytes", limit: limit), of: path)
      }
    }
  }

  /// Looks through a file that was read.
  package mutating func look(at data: Data, named name: String) {
    look(at: ByteWindow(data), named: name, depth: 0)
  }

  private mutating func note(_ reason: ReadingError, of name: String) {
    unread.append(Unread(file: name, reason: reason))
  }

  private mutating func look(at file: ByteWindow, named name: String, depth: Int) {
    // Said once, and not for each of the files that are left.
    guard !isFull else { return }
    do throws(ReadingError) {
      isFull = fileCount >= limits.files
      guard !isFull else { throw .tooMuch("files", limit: limits.files) }
      try proveRoom(for: UInt64(file.count))
      fileCount += 1
      bytesLeft -= file.count
      try open(file, named: name, depth: depth)
    } catch {
      note(error, of: name)
    }
  }

  /// Opens a file as what its first bytes say, and throws where it is not what they promise.
  private mutating func open(
    _ file: ByteWindow,
    named name: String,
    depth: Int
  ) throws(ReadingError) {
    switch FileKind(of: file) {
    case .elf:
      let image = try ELFImage(file)
      take(file, named: name, of: image.architecture)
    case .machO: try look(atMachO: file, named: name)
    case .universal:
      for slice in try UniversalFile(file).slices {
        switch FileKind(of: slice) {
        case .machO: try look(atMachO: slice, named: name)
        case .staticArchive: try look(atMembersOf: slice, named: name, depth: depth)
        default: throw .damaged("an architecture in it is no program")
        }
      }
    case .staticArchive: try look(atMembersOf: file, named: name, depth: depth)
    case .zip: try look(atEntriesOf: file, named: name, depth: depth)
    case .gzip:
      try proveDepth(depth)
      guard Inflate.isThere else { throw .noZLib }
      let bytesMax = min(limits.fileBytes, bytesLeft)
      guard let opened = Inflate.open(file.content, as: .gzip, bytesMax: bytesMax) else {
        throw .damaged("it does not open as one member of gzip within \(bytesMax) bytes")
      }
      look(at: ByteWindow(opened), named: name, depth: depth + 1)
    case .program(let format): throw .format(format)
    case .packed(let format):
      passedOver.append(Unread(file: name, reason: .format(format)))
    case .other:
      if let found = HarnessFile(file) {
        findings.append(Finding(file: name, reason: found.noun))
      }
    }
  }

  private mutating func look(atMachO file: ByteWindow, named name: String) throws(ReadingError) {
    let image = try MachOImage(file)
    // Names for a debugger are no program, and have none of its content.
    guard !image.isDebugSymbols else { return }
    take(file, named: name, of: image.architecture)
  }

  private mutating func look(
    atMembersOf file: ByteWindow,
    named name: String,
    depth: Int
  ) throws(ReadingError) {
    try proveDepth(depth)
    let archive = try StaticArchive(file, membersMax: limits.files)
    for member in archive.members {
      look(at: member.content, named: "\(name):\(member.name)", depth: depth + 1)
    }
  }

  private mutating func look(
    atEntriesOf file: ByteWindow,
    named name: String,
    depth: Int
  ) throws(ReadingError) {
    try proveDepth(depth)
    let archive = try ZipArchive(file, entriesMax: limits.files)
    for entry in archive.entries where !entry.isFolder && !isFull {
      let place = "\(name):\(entry.name)"
      do throws(ReadingError) {
        try proveRoom(for: entry.openedCount)
        let content = try archive.open(entry, bytesMax: limits.fileBytes)
        look(at: content, named: place, depth: depth + 1)
      } catch {
        note(error, of: place)
      }
    }
  }

  private mutating func proveRoom(for bytes: UInt64) throws(ReadingError) {
    isFull = bytes > UInt64(bytesLeft)
    guard !isFull else {
      throw .tooMuch("bytes together with what was before it", limit: limits.bytes)
    }
  }

  private func proveDepth(_ depth: Int) throws(ReadingError) {
    guard depth < limits.depth else {
      throw .tooMuch("archives in each other", limit: limits.depth)
    }
  }

  private mutating func take(_ file: ByteWindow, named name: String, of architecture: String) {
    let modules = ReleaseModule.all(in: file)
    programs.append(Program(file: name, architecture: architecture, modules: modules))
    for module in modules where !module.isShipped {
      findings.append(
        Finding(file: name, architecture: architecture, module: module, reason: module.reason)
      )
    }
  }
}

/// The kind of a file, by its first bytes.
private enum FileKind {
  case elf
  case machO
  case universal
  case staticArchive
  case zip
  case gzip
  /// Code that could hold modules, in a format that nothing here reads.
  case program(String)
  /// Something packed that nothing here opens.
  case packed(String)
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
    } else if file.has([0x1F, 0x8B]) {
      self = .gzip
    } else if let (_, name) = Self.programs.first(where: { file.has($0.magic) }) {
      self = .program(name)
    } else if Self.isTar(file) {
      self = .program("a tar archive")
    } else if let (_, name) = Self.packings.first(where: { file.has($0.magic) }) {
      self = .packed(name)
    } else {
      self = .other
    }
  }

  private static let programs: [(magic: [UInt8], name: String)] = [
    (Array("MZ".utf8), "a program for Windows"),
    ([0x00, 0x61, 0x73, 0x6D], "a WebAssembly module"),
    ([0x42, 0x43, 0xC0, 0xDE], "LLVM bitcode"),
    (StaticArchive.thinMagic, "a static archive whose files lie elsewhere"),
    ([0x50, 0x4B, 0x07, 0x08], "a part of a zip archive"),
  ]

  private static let packings: [(magic: [UInt8], name: String)] = [
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd"),
    (Array("BZh".utf8), "bzip2"), ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "7z"),
    ([0x04, 0x22, 0x4D, 0x18], "lz4"),
  ]

  /// POSIX's format has its name at 257.
  private static func isTar(_ file: ByteWindow) -> Bool {
    file.has(Array("ustar".utf8), at: 257)
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
#if objectFormat(ELF)
  @section("wt_modules")
#elseif objectFormat(MachO)
  @section("__DATA_CONST,__wt_modules")
#endif
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 25)
