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
    /// The architecture of the program; `nil` for another file, and where it cannot be told.
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
    /// The libraries that it is not started without, and that are none of a system's.
    package var libraries: [String]
  }

  /// The answer to whether something may be released.
  package enum Verdict: String, Sendable {
    /// Programs were looked through, and nothing was found or left out.
    case passes
    /// A part of the harness was found.
    case found
    /// Not all could be looked through, or there was no program.
    case refused
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
  /// The same, where whoever asked said to pass over it.
  package private(set) var passedOver: [Unread] = []
  /// The paths of those that were passed over, as they were given.
  package private(set) var passedOverPaths: Set<String> = []
  /// Tells whether what was looked through is a folder.
  package private(set) var isFolder = false
  /// The error that what was named could not be opened by.
  package private(set) var failure: FileError?

  /// Tells whether programs were looked through, and nothing was found or left out.
  package var passes: Bool { Self.verdict(on: [self]) == .passes }

  private let limits: Limits
  private let pathsToPassOver: [String]
  private var bytesLeft: Int
  /// Tells whether a limit of all files together was met, so that no more is looked at.
  private var isFull = false

  /// Makes a look that leaves out what cannot be read at some paths, or below them.
  package init(limits: Limits = Limits(), passingOver paths: [String] = []) {
    self.limits = limits
    pathsToPassOver = paths
    bytesLeft = limits.bytes
  }

  /// Returns the answer to several looks together: each has a file, and one of them a program.
  package static func verdict(on checks: [ReleaseCheck]) -> Verdict {
    guard checks.allSatisfy(\.findings.isEmpty) else { return .found }
    let areRead = checks.allSatisfy { check in
      check.unread.isEmpty && check.failure == nil && check.fileCount > 0
    }
    return areRead && checks.contains { !$0.programs.isEmpty } ? .passes : .refused
  }

  /// Looks through what is at a path, which is a file, or a folder with all that is below it, and
  /// with what links out of it lead to.
  package mutating func look(atPath path: String) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      failure = .missing(path)
      return
    }
    self.isFolder = isFolder.boolValue
    guard self.isFolder else {
      do {
        let data = try FileError.reading(URL(filePath: path), bytesMax: limits.fileBytes)
        look(at: data, named: path)
      } catch {
        failure = error
      }
      return
    }
    var walk = FolderWalk(path)
    while !isFull, let step = walk.next() {
      switch step {
      case .file(let place): look(atFile: place)
      case .unread(let place, let reason): note(reason, of: place)
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
    let row = Unread(file: name, reason: reason)
    let path = pathsToPassOver.first { path in
      let rest = name.dropFirst(path.count)
      return name.hasPrefix(path) && (rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix(":"))
    }
    // Behind a limit of all files together is more than one path.
    guard let path, !isFull else {
      if unread.last != row { unread.append(row) }
      return
    }
    passedOverPaths.insert(path)
    if passedOver.last != row { passedOver.append(row) }
  }

  private mutating func find(_ finding: Finding) {
    if findings.last != finding { findings.append(finding) }
  }

  private mutating func look(
    at file: ByteWindow,
    named name: String,
    depth: Int,
    isSection: Bool = false
  ) {
    // Said once, and not for each of the files that are left.
    guard !isFull else { return }
    do throws(ReadingError) {
      isFull = fileCount >= limits.files
      guard !isFull else { throw .tooMuch("files", limit: limits.files) }
      try proveRoom(for: UInt64(file.count))
      fileCount += 1
      bytesLeft -= file.count
      if let found = HarnessFile(place: name) { find(Finding(file: name, reason: found.noun)) }
      try open(file, named: name, depth: depth)
    } catch {
      // Data of a program may begin as a format does, as those of one that reads it do.
      if isSection, error.isOfForm { return }
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
      let image = try take(file, named: name) { file throws(ReadingError) in
        let image = try ELFImage(file)
        return Image(
          count: file.count,
          architecture: image.architecture,
          isDebugSymbols: image.isDebugSymbols,
          libraries: image.libraries,
          sections: image.sections,
          appended: image.appended
        )
      }
      try look(beyondCodeOf: image, named: name, depth: depth)
    case .machO: try look(atMachO: file, named: name, depth: depth)
    case .universal:
      let universal = try UniversalFile(file)
      for slice in universal.slices {
        // One that cannot be read hides none of the others.
        do throws(ReadingError) {
          switch FileKind(of: slice) {
          case .machO: try look(atMachO: slice, named: name, depth: depth)
          case .staticArchive: try look(atMembersOf: slice, named: name, depth: depth)
          default: throw .damaged("an architecture in it is no program")
          }
        } catch {
          note(error, of: name)
        }
      }
      for rest in universal.rests { try look(behind: rest, named: name, depth: depth) }
    case .staticArchive: try look(atMembersOf: file, named: name, depth: depth)
    case .zip: _ = try look(atEntriesOf: file, named: name, depth: depth)
    case .gzip:
      try proveDepth(depth)
      guard Inflate.isThere else { throw .noZLib }
      let bytesMax = min(limits.fileBytes, bytesLeft, ZipArchive.openedMax(of: file.count))
      guard let opened = Inflate.open(file.content, as: .gzip, bytesMax: bytesMax) else {
        throw .damaged("it does not open as gzip within \(bytesMax) bytes")
      }
      look(at: ByteWindow(opened), named: name, depth: depth + 1)
    case .tar: try look(atTar: file, named: name, depth: depth)
    case .closed(let format):
      find(ReleaseModule.all(in: file), in: name, of: nil)
      throw .format(format)
    case .other:
      // Programs may lie as they are in what nothing here knows.
      find(ReleaseModule.all(in: file), in: name, of: nil)
      if let found = HarnessFile(file) { find(Finding(file: name, reason: found.noun)) }
    }
  }

  private mutating func look(
    atMachO file: ByteWindow,
    named name: String,
    depth: Int
  ) throws(ReadingError) {
    let image = try take(file, named: name) { file throws(ReadingError) in
      let image = try MachOImage(file)
      return Image(
        count: file.count,
        architecture: image.architecture,
        isDebugSymbols: image.isDebugSymbols,
        isEncrypted: image.isEncrypted,
        libraries: image.libraries,
        sections: image.sections,
        appended: image.appended
      )
    }
    try look(beyondCodeOf: image, named: name, depth: depth)
  }

  /// Looks through what a program has besides its code: archives and files of the harness's that
  /// are whole sections of it, and what stands behind its end.
  private mutating func look(
    beyondCodeOf image: Image,
    named name: String,
    depth: Int
  ) throws(ReadingError) {
    // Each is read as a whole, so that all of them together must not be many times the program.
    let bytes = image.sections.reduce(0) { $0 + $1.content.count }
    guard bytes <= 2 * image.count else { throw .damaged("its sections lie in each other") }
    var end = 0
    for section in image.sections.filter(\.isFile).sorted(by: ProgramSection.isBefore) {
      let range = section.content.range
      guard range.lowerBound >= end else { throw .damaged("its sections lie in each other") }
      end = range.upperBound
      try proveDepth(depth)
      let place = "\(name):\(section.name)"
      look(at: section.content, named: place, depth: depth + 1, isSection: true)
    }
    if let rest = image.appended { try look(behind: rest, named: name, depth: depth) }
  }

  /// Looks through what stands behind the end of a program: a zip archive, or nothing known.
  private mutating func look(
    behind rest: ByteWindow,
    named name: String,
    depth: Int
  ) throws(ReadingError) {
    guard ZipArchive.endsIn(rest) else { throw .appended(rest.count) }
    let start = try look(atEntriesOf: rest, named: name, depth: depth)
    guard start <= ByteWindow.alignmentMax || rest.window(at: 0, count: start)?.isZero == true
    else {
      throw .appended(start)
    }
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
    atTar file: ByteWindow,
    named name: String,
    depth: Int
  ) throws(ReadingError) {
    try proveDepth(depth)
    let archive = try TarArchive(file, entriesMax: limits.files)
    for entry in archive.entries where !isFull {
      let place = "\(name):\(entry.name)"
      // Its bytes are looked at all the same, as no more than parts of something.
      look(at: entry.content, named: place, depth: depth + 1)
      if entry.isSparse { note(.format("a sparse file in a tar archive"), of: place) }
    }
    if let rest = archive.appended { try look(behind: rest, named: name, depth: depth) }
  }

  /// Looks through an archive, and returns the place where its first entry begins.
  private mutating func look(
    atEntriesOf file: ByteWindow,
    named name: String,
    depth: Int
  ) throws(ReadingError) -> Int {
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
    return archive.start
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

  /// Takes a program for looked through, whose marks are found whether it reads or not.
  private mutating func take(
    _ file: ByteWindow,
    named name: String,
    reading: (ByteWindow) throws(ReadingError) -> Image
  ) throws(ReadingError) -> Image {
    let modules = ReleaseModule.all(in: file)
    let image: Image
    do throws(ReadingError) {
      image = try reading(file)
    } catch {
      find(modules, in: name, of: nil)
      throw error
    }
    find(modules, in: name, of: image.architecture)
    guard !image.isEncrypted else { throw .encryptedProgram }
    // Names for a debugger are no program, and have none of its content.
    guard !image.isDebugSymbols else { return image }
    programs.append(
      Program(
        file: name,
        architecture: image.architecture,
        modules: modules,
        libraries: image.libraries.filter { !SystemLibraries.have($0) }
      )
    )
    return image
  }

  private mutating func find(
    _ modules: [ReleaseModule],
    in name: String,
    of architecture: String?
  ) {
    for module in modules where !module.isShipped {
      find(
        Finding(file: name, architecture: architecture, module: module, reason: module.reason)
      )
    }
  }
}

/// The contents of a program's headers, in either format.
private struct Image {
  /// Its length in bytes.
  var count: Int
  var architecture: String
  var isDebugSymbols: Bool
  var isEncrypted = false
  var libraries: [String]
  var sections: [ProgramSection]
  /// The bytes behind all that they speak of.
  var appended: ByteWindow?
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
#if objectFormat(ELF)
  @section("wt_modules")
#elseif objectFormat(MachO)
  @section("__DATA_CONST,__wt_modules")
#endif
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 25)
