#if os(macOS) || os(Linux)
  import Foundation

  /// A Swift file of the package. All tests share one reading of the tree.
  struct SourceFile {
    let path: String
    /// Its lines as `grep` counts them: an empty one after the last line feed is none.
    let lines: [Substring]

    static let sources = Result { try all(in: "Sources") }
    static let tests = Result { try all(in: "Tests") }

    /// The number of lines that are neither blank nor comments.
    var codeLines: Int {
      lines.count {
        let text = $0.trimmed.utf8
        return !text.isEmpty && !text.starts(with: "//".utf8)
      }
    }

    private static func all(in folder: String) throws -> [SourceFile] {
      let top = House.root.appending(path: folder)
      let paths = try FileManager.default.subpathsOfDirectory(atPath: top.path)
      return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
        let text = try String(contentsOf: top.appending(path: path), encoding: .utf8)
        // By bytes: to find the limits of characters takes ten times as long.
        var lines = text.utf8.split(separator: 10, omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return SourceFile(path: "\(folder)/\(path)", lines: lines.map { Substring($0) })
      }
    }
  }

  extension Substring {
    /// The text without white space at its beginning.
    var trimmed: Substring { Substring(utf8.drop { $0 == 32 || (9...13).contains($0) }) }
  }
#endif
