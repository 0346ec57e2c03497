/// The properties of a file that every save changes, one that writes the same bytes included.
struct FileMark: Sendable, Hashable {
  private(set) var date: Date?
  private var size: Int?
  private var number: Int?

  /// Reads the mark of a file as it is now; `nil` if the file is missing.
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

/// The saves of files, which are looked for again and again.
struct FileWatch: Sendable {
  /// The marks with which files were reported.
  private var reported: [URL: FileMark]
  /// The marks of the last look, and the number of looks in a row that saw them.
  private var seen: [URL: (mark: FileMark, looks: Int)] = [:]
  /// A writer may pause: a save is whole when so many looks in a row have seen the same of it.
  private static let looksMin = 5

  /// Watches files from now on.
  init(_ files: [URL]) {
    reported = Self.marks(of: files)
  }

  /// Looks at files and returns those that were saved since they were last returned.
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
