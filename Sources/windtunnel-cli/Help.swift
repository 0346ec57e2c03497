internal import WindTunnelCommandLine

// The help texts. They are output: a test pins each of them.

extension Tool {
  /// What there is.
  static var help: String {
    """
    Put your network layer in the wind tunnel: record its real traffic, replay it,
    make the weather bad on purpose, and read off how the client flew.

    \(HelpText.columns(commands.map { ($0.name, $0.summary) }))

    Example: windtunnel drill
    Each command has its own --help. --version says which windtunnel this is.

    """
  }

  /// What a command does, and its flags.
  static func help(for command: any Command.Type) -> String {
    HelpText.text(
      command.summary,
      usage: "windtunnel \(command.name) \(command.synopsis)",
      flags: command.flags,
      example: command.example
    )
  }

  /// The commands behind one word.
  static func help(of group: [any Command.Type]) -> String {
    """
    \(group.map { "  windtunnel \($0.name) \($0.synopsis)\n      \($0.summary)" }.joined(separator: "\n"))

    Each has its own --help.

    """
  }
}
