/// The properties of a file that every save changes, even if the bytes stay the same.
struct FileMark: Sendable, Hashable {
  private(set) var date: Date?
  private var size: Int?
  private var number: Int?

  /// Reads the current properties of a file; `nil` if the file is missing.
  init?(of file: URL) {
    // A file that is missing has no attributes.
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path) else {
      return nil
    }
    date = attributes[.modificationDate] as? Date
    size = (attributes[.size] as? NSNumber)?.intValue
    number = (attributes[.systemFileNumber] as? NSNumber)?.intValue
  }
}

/// Detects saved files by polling.
struct FileWatch: Sendable {
  /// The properties of the files that were reported last.
  private var reported: [URL: FileMark]
  /// The properties seen last, and the number of consecutive checks that saw them.
  private var seen: [URL: (mark: FileMark, looks: Int)] = [:]
  /// The number of equal checks after which a save is complete, because a writer may pause.
  private static let looksMin = 5

  /// Starts to watch files.
  init(_ files: [URL]) {
    reported = Self.marks(of: files)
  }

  /// Checks files, and returns those saved since they were last returned.
  mutating func saves(among files: [URL]) -> Set<URL> {
    var saved: Set<URL> = []
    for (file, mark) in Self.marks(of: files) where mark != reported[file] {
      let looks = seen[file].map { $0.mark == mark ? $0.looks + 1 : 1 } ?? 1
      seen[file] = (mark, looks)
      guard looks >= Self.looksMin else { continue }
      reported[file] = mark
      saved.insert(file)
    }
    return saved
  }

  private static func marks(of files: [URL]) -> [URL: FileMark] {
    Dictionary(files.compactMap { file in FileMark(of: file).map { (file, $0) } }) { first, _ in
      first
    }
  }
}
