/// The files of a repository as they were at a commit, read with `git`.
struct GitHistory {
  /// A file that was changed, added or removed.
  struct File {
    /// Its path relative to the top of the repository.
    var name: String
    /// The current location of the file.
    var url: URL
    /// The file's name at the commit if it was renamed.
    var formerName: String?
    var isHere: Bool { FileManager.default.fileExists(atPath: url.path) }
  }

  private let commit: String
  private let top: URL

  init(_ ref: String) throws {
    guard let top = try Self.git(["rev-parse", "--show-toplevel"]) else {
      throw CommandError(.noInput, "The current folder is not in a git repository.")
    }
    let spelled = "\(ref)^{commit}"
    let isFlag = ref.hasPrefix("-")
    let arguments = ["rev-parse", "--verify", "--quiet", spelled]
    guard !isFlag, let commit = try Self.git(arguments) else {
      throw CommandError.usage("--git \(ref): no such commit or branch.")
    }
    self.top = URL(filePath: Self.line(top))
    self.commit = Self.line(commit)
  }

  /// Returns the changed cassettes below these paths, or of the whole repository.
  func changed(_ paths: [String]) throws -> [File] {
    for path in paths where !FileManager.default.fileExists(atPath: URL(typed: path).path) {
      let names = try Self.git(["ls-tree", "-r", "--name-only", commit, "--", path])
      guard let names, !names.isEmpty else {
        throw CommandError(
          .noInput,
          "\(path): no such file, in the working tree or at \(commit.prefix(12))."
        )
      }
    }
    let among = ["--"] + (paths.isEmpty ? [":/"] : paths)
    let lists = [
      ["diff", "--name-only", "--no-renames", "-z", commit] + among,
      ["ls-files", "--others", "--exclude-standard", "--full-name", "-z"] + among,
    ]
    let names = try lists.flatMap { try listed($0, of: paths) }
    let files = try Set(names).sorted().map(file).filter { try isCassette($0, isNamed: paths) }
    return try renamed(files)
  }

  /// Returns the cassette at the commit; `nil` if there was none.
  func cassette(_ file: File) throws -> Cassette? {
    let name = file.formerName ?? file.name
    guard let data = try content(name) else { return nil }
    let stem = String(name.dropLast(".json".count))
    return try Cassette(data: data, source: "\(name) at \(commit.prefix(12))") { body in
      try content("\(stem).bodies/\(body)")
    }
  }

  /// Returns the cassette at the commit; `nil` if there was none, or the file was not a cassette.
  func readable(_ file: File) throws -> Cassette? {
    do { return try cassette(file) } catch is FormatError { return nil }
  }

  /// Returns whether a file counts as a cassette.
  ///
  /// A file that is named by its own path always counts. In a folder, other JSON is ignored.
  private func isCassette(_ file: File, isNamed paths: [String]) throws -> Bool {
    let here = file.url.standardizedFileURL.path
    if paths.contains(where: { URL(typed: $0).standardizedFileURL.path == here }) { return true }
    let data = file.isHere ? try FileError.reading(file.url, bytesMax: Cassette.fileBytesMax) : nil
    let beginnings = [data, try content(file.name)].compactMap { $0?.prefix(4096) }
    return beginnings.contains { $0.range(of: Data("\"windtunnel\"".utf8)) != nil }
  }

  func content(_ name: String) throws -> Data? {
    try Self.git(["cat-file", "blob", "\(commit):\(name)"])
  }

  private static func line(_ data: Data) -> String {
    var text = String(decoding: data, as: UTF8.self)
    if text.hasSuffix("\n") { text.removeLast() }
    return text
  }

  /// Returns the output of git; `nil` if its exit code is not 0.
  static func git(_ arguments: [String]) throws -> Data? {
    let process = SpawnedProcess(URL(filePath: "/usr/bin/env"), ["git"] + arguments)
    process.currentDirectoryURL = ToolEnvironment.current.folder
    process.environment = ToolEnvironment.current.variables
    let data: Data
    // This tool's own errors have better sentences.
    do { data = try process.output() } catch { throw CommandError.noGit }
    // A refusal is an exit code. After a signal nothing is known about the commit.
    guard process.terminationReason == .exit else {
      throw CommandError(
        .software,
        "git \(arguments.joined(separator: " ")) was ended by a signal."
      )
    }
    // The exit code of `env` if there is no such program (POSIX).
    guard process.terminationStatus != 127 else { throw CommandError.noGit }
    return process.terminationStatus == 0 ? data : nil
  }
  /// Returns the same files, with renamed ones combined.
  ///
  /// A missing file and a new file with most of its recordings are one renamed file. The contents
  /// decide and not git, which detects no rename before the new file is added.
  func renamed(_ files: [File]) throws -> [File] {
    let added = try files.filter { try $0.isHere && content($0.name) == nil }
    guard !added.isEmpty else { return files }
    let deleted = [
      "diff", "--name-only", "--no-renames", "--diff-filter=D", "-z", commit, "--", ":/",
    ]
    var left = try listed(deleted, of: [commit]).map(file).compactMap { file in
      try readable(file).map { (file: file, cassette: $0) }
    }
    var files = files
    for new in added {
      guard let index = files.firstIndex(where: { $0.name == new.name }),
        // A file that cannot be read is reported when it is compared.
        let cassette = try? Cassette(contentsOf: new.url),
        let found = left.firstIndex(where: { Self.isMostly($0.cassette, cassette) })
      else { continue }
      let former = left.remove(at: found).file.name
      files[index].formerName = former
      files.removeAll { $0.name == former }
    }
    return files
  }

  /// Returns the names of JSON files that a git command lists.
  private func listed(_ words: [String], of paths: [String]) throws -> [String] {
    guard let data = try Self.git(words) else {
      throw CommandError(.noInput, "git cannot compare \(paths.joined(separator: " ")).")
    }
    return data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      .filter { $0.hasSuffix(".json") }
  }

  private func file(_ name: String) -> File {
    File(name: name, url: top.appendingPathComponent(name))
  }

  /// Returns whether the cassettes have at least half of the larger one's recordings in common.
  private static func isMostly(_ old: Cassette, _ new: Cassette) -> Bool {
    let count = max(old.interactions.count, new.interactions.count)
    let kept = new.interactions.count - new.added(since: old).count
    return kept > 0 && kept * 2 >= count
  }
}
