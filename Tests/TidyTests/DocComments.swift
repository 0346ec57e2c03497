#if os(macOS) || os(Linux)
  /// A doc comment and the declaration that follows it.
  struct DocComment {
    let path: String
    /// The number of its first line, from 1.
    let line: Int
    /// Its lines, without the slashes and the space behind them.
    let text: [Substring]
    /// The line of the declaration, without attributes and indentation.
    let declaration: Substring

    var place: String { "\(path):\(line): \(text.first ?? "")" }

    /// Its Swift code, each example as its lines without indentation and empty ones.
    var examples: [[Substring]] {
      var found: [[Substring]] = []
      var example: [Substring]?
      for line in text.map(\.trimmed) {
        if line.hasPrefix("```") {
          if let code = example { found.append(code) }
          example = line == "```swift" ? [] : nil
        } else if !line.isEmpty {
          example?.append(line)
        }
      }
      return found
    }

    /// All doc comments of `Sources`.
    static let all = Result { try SourceFile.sources.get().flatMap(comments) }

    private static func comments(in file: SourceFile) -> [DocComment] {
      var found: [DocComment] = []
      var text: [Substring] = []
      for (number, line) in file.lines.enumerated() {
        let line = line.trimmed
        if line.utf8.starts(with: "///".utf8) {
          text.append(line.dropFirst(line.hasPrefix("/// ") ? 4 : 3))
        } else if !text.isEmpty, !line.hasPrefix("@") || line.contains(" public ") {
          let attributes = line.hasPrefix("@") ? line.firstRange(of: "public ") : nil
          found.append(
            DocComment(
              path: file.path,
              line: number - text.count + 1,
              text: text,
              declaration: attributes.map { line[$0.lowerBound...] } ?? line
            )
          )
          text = []
        }
      }
      return found
    }
  }
#endif
