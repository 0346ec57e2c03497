/// A check that a release contains no module and no file of the harness.
///
/// The check opens folders and archives, and searches programs. It detects the kind of a file by
/// its content, never by its name.
package struct ReleaseCheck: Sendable {
  /// A module or a file that a release must not contain.
  package struct Finding: Sendable, Hashable {
    /// The path. For an entry of an archive, a colon and the entry's name follow.
    package var file: String
    /// The module; `nil` for a file of the harness.
    package var module: ReleaseModule?
    /// The reason, such as "the debug product" or "a cassette".
    package var reason: String
  }

  /// A file that was not read.
  package struct Unread: Sendable, Hashable {
    package var file: String
    package var reason: ReadingError
  }

  /// A program, a library or a static archive.
  package struct Program: Sendable, Hashable {
    package var file: String
    /// The modules of this package that it contains, sorted by name.
    package var modules: [ReleaseModule]
  }

  /// The result of one or several checks.
  package enum Status: String, Sendable {
    /// Programs were searched, all files were read, and nothing was found.
    case passes
    /// A part of the harness was found.
    case found
    /// A file was not read, or there was no program.
    case refused
  }

  /// The limits of a check.
  package struct Limits: Sendable {
    /// The maximum number of files, including those in archives.
    package var files = 1_000_000
    /// The maximum size of one file in bytes, packed or unpacked.
    package var fileBytes = 2 << 30
    /// The maximum size of all unpacked files together, in bytes.
    package var bytes = 64 << 30
    /// The maximum number of nested archives.
    package var depth = 4

    package init() {}
  }

  /// The programs that were searched.
  package private(set) var programs: [Program] = []
  /// The number of files that were read, including those in archives.
  package private(set) var fileCount = 0
  package private(set) var findings: [Finding] = []
  /// The files that were not read. A release with one of them does not pass.
  package private(set) var unread: [Unread] = []
  /// The unread files at the paths that the user skips.
  package private(set) var passedOver: [Unread] = []
  /// The paths of these files, as the user wrote them.
  package private(set) var passedOverPaths: Set<String> = []
  /// Whether the path is a folder.
  package private(set) var isFolder = false
  /// The error that occurred when the path was opened.
  package private(set) var failure: FileError?

  /// Whether programs were searched, all files were read, and nothing was found.
  package var passes: Bool { Self.verdict(on: [self]) == .passes }

  private let limits: Limits
  private let pathsToPassOver: [String]
  private var bytesLeft: Int
  /// Whether a limit for all files together was reached. No more files are read then.
  private var isFull = false

  /// Creates a check that skips unreadable files at some paths, or below them.
  package init(limits: Limits = Limits(), passingOver paths: [String] = []) {
    self.limits = limits
    pathsToPassOver = paths
    bytesLeft = limits.bytes
  }

  /// Returns the result of several checks. Each must have read a file, and one of them a program.
  package static func verdict(on checks: [ReleaseCheck]) -> Status {
    guard checks.allSatisfy(\.findings.isEmpty) else { return .found }
    let areRead = checks.allSatisfy { check in
      check.unread.isEmpty && check.failure == nil && check.fileCount > 0
    }
    return areRead && checks.contains { !$0.programs.isEmpty } ? .passes : .refused
  }

  /// Checks a file, or a folder with all files below it and the targets of its links.
  package mutating func look(atPath path: String) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      failure = .missing(path)
      return
    }
    self.isFolder = isFolder.boolValue
    guard self.isFolder else {
      do { look(at: try data(atPath: path), named: path) } catch { failure = error }
      return
    }
    var walk = FolderWalk(path)
    while !isFull, let (place, problem) = walk.next() {
      if let problem {
        note(problem, of: place)
        continue
      }
      do { look(at: try data(atPath: place), named: place) } catch {
        note(Self.reason(of: error), of: place)
      }
    }
  }

  private func data(atPath path: String) throws(FileError) -> Data {
    try FileError.reading(URL(filePath: path), bytesMax: limits.fileBytes)
  }

  private static func reason(of error: FileError) -> ReadingError {
    switch error {
    case .missing: .unreadable("it no longer exists")
    case .unreadable(_, let reason), .unwritable(_, let reason): .unreadable(reason)
    case .tooLarge(_, _, let limit): .tooMuch("bytes", limit: limit)
    }
  }

  /// Checks the content of a file.
  package mutating func look(at data: Data, named name: String) {
    look(at: ByteWindow(data), named: name, depth: 0)
  }

  private mutating func note(_ reason: ReadingError, of name: String) {
    let row = Unread(file: name, reason: reason)
    let path = pathsToPassOver.first { path in
      let rest = name.dropFirst(path.count)
      return name.hasPrefix(path) && (rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix(":"))
    }
    // A limit for all files together is not specific to one path.
    guard let path, !isFull else {
      unread.append(row)
      return
    }
    passedOverPaths.insert(path)
    passedOver.append(row)
  }

  private mutating func look(at file: ByteWindow, named name: String, depth: Int) {
    // The limit was reported once, and is not reported again for each of the other files.
    guard !isFull else { return }
    do throws(ReadingError) {
      isFull = fileCount >= limits.files
      guard !isFull else { throw .tooMuch("files", limit: limits.files) }
      try proveRoom(for: file.count)
      fileCount += 1
      bytesLeft -= file.count
      // A packed body has the same name as its content.
      if let noun = HarnessFile.noun(ofPlace: name), findings.last?.file != name {
        findings.append(Finding(file: name, reason: noun))
      }
      try open(file, named: name, depth: depth)
    } catch {
      note(error, of: name)
    }
  }

  /// Searches a file and opens an archive. Throws if the file cannot be read.
  private mutating func open(
    _ file: ByteWindow,
    named name: String,
    depth: Int
  ) throws(ReadingError) {
    switch FileKind(of: file) {
    case .program:
      let modules = findModules(in: file, named: name)
      if MachOFile.isMeant(by: file), try MachOFile.isEncrypted(file) { throw .encryptedProgram }
      programs.append(Program(file: name, modules: modules))
      // A program can unpack an archive at its end.
      if ZipArchive.endsIn(file) { try openEntries(of: file, named: name, depth: depth) }
    case .zip: try openEntries(of: file, named: name, depth: depth)
    case .gzip:
      try proveDepth(depth)
      guard Inflate.isThere else { throw .noZLib }
      let bytesMax = min(limits.fileBytes, bytesLeft, ZipArchive.openedMax(of: file.count))
      guard let opened = Inflate.open(file.content, as: .gzip, bytesMax: bytesMax) else {
        throw .damaged("it cannot be decompressed as gzip within \(bytesMax) bytes")
      }
      look(at: ByteWindow(opened), named: name, depth: depth + 1)
    case .closed(let format):
      findModules(in: file, named: name)
      throw .format(format)
    case .other:
      // A file of an unknown format can contain a program that is not packed.
      findModules(in: file, named: name)
      if let noun = HarnessFile.noun(of: file) {
        findings.append(Finding(file: name, reason: noun))
      }
      if ZipArchive.endsIn(file) { try openEntries(of: file, named: name, depth: depth) }
    }
  }

  private mutating func openEntries(
    of file: ByteWindow,
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

  private mutating func proveRoom(for bytes: Int) throws(ReadingError) {
    isFull = bytes > bytesLeft
    guard !isFull else {
      throw .tooMuch("bytes in total", limit: limits.bytes)
    }
  }

  private func proveDepth(_ depth: Int) throws(ReadingError) {
    guard depth < limits.depth else {
      throw .tooMuch("nested archives", limit: limits.depth)
    }
  }

  /// Returns the modules in a file. Adds a finding for each module that a release must not contain.
  @discardableResult
  private mutating func findModules(in file: ByteWindow, named name: String) -> [ReleaseModule] {
    let modules = ReleaseModule.all(in: file)
    findings += modules.filter { !$0.isShipped }.map { module in
      Finding(file: name, module: module, reason: module.reason)
    }
    return modules
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 25)
