// The help texts. They are output: a test pins each of them.

extension Tool {
  /// What there is.
  static var help: String {
    """
    Put your network layer in the wind tunnel: record its real traffic, replay it,
    make the weather bad on purpose, and read off how the client flew.

    \(columns(commands.map { ($0.name, $0.summary) }))

    Example: windtunnel drill
    Each command has its own --help. --version says which windtunnel this is.

    """
  }

  /// What a command does, and its flags.
  static func help(for command: any Command.Type) -> String {
    let flags = command.flags.map { flag in
      ([flag.name] + (flag.value.map { [$0] } ?? [])).joined(separator: " ")
    }
    let lines = columns(Array(zip(flags, command.flags.map(\.summary))))
    return """
      \(command.summary)

        windtunnel \(command.name) \(command.synopsis)
      \(lines.isEmpty ? "" : "\n\(lines)\n")
      Example: \(command.example)

      """
  }

  /// The commands behind one word.
  static func help(of group: [any Command.Type]) -> String {
    """
    \(group.map { "  windtunnel \($0.name) \($0.synopsis)\n      \($0.summary)" }.joined(separator: "\n"))

    Each has its own --help.

    """
  }

  private static func columns(_ rows: [(left: String, right: String)]) -> String {
    let width = rows.map(\.left.count).max() ?? 0
    return rows.map { left, right in
      "  \(left)\(String(repeating: " ", count: width - left.count))  \(right)"
    }.joined(separator: "\n")
  }
}
