#if os(macOS) || os(Linux)
  import Foundation

  /// A doc comment and the declaration that it stands in front of.
  struct DocComment {
    let path: String
    /// The line of its beginning, from 1.
    let line: Int
    /// Its lines, without the slashes and the space behind them.
    let text: [Substring]
    /// The line that declares, without attributes and indentation.
    let declaration: Substring

    var place: String { "\(path):\(line): \(text.first ?? "")" }

    var isPublic: Bool { declaration.hasPrefix("public ") || declaration.hasPrefix("open ") }

    /// The word that says what is declared: `struct`, `func`, `var` …
    var kind: Substring? {
      let modifiers: Set<Substring> = [
        "public", "open", "static", "final", "override", "mutating", "consuming", "convenience",
        "indirect", "required",
      ]
      let words = declaration.split { !$0.isLetter }
      let kind = words.first { !modifiers.contains($0) }
      // A method of the type itself.
      return kind == "class" && words.contains("func") ? "func" : kind
    }

    var opening: Substring { text.joinedWords.first?.prefix { $0.isLetter } ?? "" }

    /// Tells whether it opens with a verb in the third person.
    var opensWithVerb: Bool { opening.hasSuffix("s") && !Self.nouns.contains(opening) }

    /// Its Swift code, each example as its lines without indentation and empty ones.
    var examples: [[Substring]] {
      var found: [[Substring]] = []
      var example: [Substring]?
      for line in text {
        let line = line.trimmingPrefix { $0 == " " }
        if line.hasPrefix("```") {
          if let code = example { found.append(code) }
          example = line == "```swift" ? [] : nil
        } else if !line.isEmpty {
          example?.append(line)
        }
      }
      return found
    }

    /// Words in -s that open a sentence and are no verbs.
    private static let nouns: Set<Substring> = [
      "This", "Its", "Always", "As", "Others", "Bodies", "Bytes", "Fields", "Keys", "Letters",
      "Lines", "Members", "Requests", "Responses", "Seconds", "Secrets", "Times", "Values", "Words",
    ]

    static func all(in folder: String) throws -> [DocComment] {
      try House.sources(in: folder).flatMap { path, lines in
        var found: [DocComment] = []
        var text: [Substring] = []
        for (number, line) in lines.enumerated() {
          let line = line.trimmingPrefix { $0 == " " }
          if line.hasPrefix("///") {
            text.append(line.dropFirst(line.hasPrefix("/// ") ? 4 : 3))
          } else if !text.isEmpty, !line.hasPrefix("@") || line.contains(" public ") {
            let attributes = line.hasPrefix("@") ? line.range(of: "public ") : nil
            found.append(
              DocComment(
                path: path,
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
  }

  extension [Substring] {
    fileprivate var joinedWords: [Substring] { flatMap { $0.split(separator: " ") } }
  }
#endif
