/// The form of help texts.
package enum HelpText {
  /// Returns the help of one command, with its flags.
  ///
  /// - Parameters:
  ///   - summary: One line about it.
  ///   - usage: How it is typed.
  ///   - flags: Its flags.
  ///   - example: One line that works.
  /// - Returns: The text.
  package static func text(
    _ summary: String,
    usage: String,
    flags: [Flag],
    example: String
  ) -> String {
    let lines = columns(flags.map { ($0.spelling, $0.summary) })
    return """
      \(summary)

        \(usage)
      \(lines.isEmpty ? "" : "\n\(lines)\n")
      Example: \(example)

      """
  }

  /// Two columns, the second of which begins where the first one's longest ends.
  package static func columns(
    _ rows: [(left: String, right: String)],
    indent: String = "  "
  ) -> String {
    let width = rows.map(\.left.count).max() ?? 0
    return rows.map { left, right in
      "\(indent)\(left)\(String(repeating: " ", count: width - left.count))  \(right)"
    }.joined(separator: "\n")
  }

  /// Tells whether help is asked for. What stands behind `--` is another program's.
  package static func isAsked(by words: some Sequence<String>) -> Bool {
    words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
  }
}
