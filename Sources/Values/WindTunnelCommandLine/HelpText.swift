/// The layout of help texts.
package enum HelpText {
  /// Returns the help of one command, with its flags.
  ///
  /// - Parameters:
  ///   - summary: One line about the command.
  ///   - usage: The syntax of the command line.
  ///   - flags: The flags of the command.
  ///   - example: One valid command line.
  /// - Returns: The text.
  package static func text(
    _ summary: String,
    usage: String,
    flags: [Flag],
    example: String
  ) -> String {
    let width = flags.map(\.spelling.count).max() ?? 0
    let rows = flags.flatMap { flag in
      wrapped(flag.summary, at: columnsMax - width - 4).enumerated()
        .map { ($0.offset == 0 ? flag.spelling : "", $0.element) }
    }
    let lines = columns(rows)
    return """
      \(summary)

        \(usage)
      \(lines.isEmpty ? "" : "\n\(lines)\n")
      Example: \(example)

      """
  }

  /// The maximum length of a line in characters.
  private static let columnsMax = 100

  /// Returns a text wrapped into lines of a maximum length.
  private static func wrapped(_ text: String, at width: Int) -> [String] {
    text.split(separator: " ").reduce(into: [String]()) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
  }

  /// Returns rows in two columns; the longest left cell determines the position of the second
  /// column.
  package static func columns(
    _ rows: [(left: String, right: String)],
    indent: String = "  "
  ) -> String {
    let width = rows.map(\.left.count).max() ?? 0
    return rows.map { left, right in
      "\(indent)\(left)\(String(repeating: " ", count: width - left.count))  \(right)"
    }.joined(separator: "\n")
  }

  /// Whether the words contain a help flag. Words after `--` belong to another program.
  package static func isAsked(by words: some Sequence<String>) -> Bool {
    words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
  }
}
