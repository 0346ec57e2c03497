/// The pages about the command line itself: its commands, exit codes and variables.
enum CommandPages {
  /// Every command with its flags.
  static func commands(_ commands: [any Command.Type]) -> String {
    var earlier: [[String]: String] = [:]
    return MarkdownPage.text(
      title: "Commands",
      abstract: "Look up every command of the tool with its flags, as `--help` has them.",
      command: "windtunnel help --markdown",
      parts: [
        "`windtunnel completions SHELL` prints a script that completes them. A space or `=` separates a "
          + "flag from its value."
      ] + commands.map { section($0, &earlier) }
    )
  }

  /// Returns the section of a command. A flag with a long summary is explained once, and named
  /// below the tables of later commands.
  private static func section(_ command: any Command.Type, _ earlier: inout [[String]: String])
    -> String
  {
    var flags: [[String]] = []
    var known: [(command: String, flag: String)] = []
    for flag in command.flags {
      let row = [MarkdownPage.code(flag.spelling), MarkdownPage.plain(flag.summary)]
      if flag.summary.count > 36, let name = earlier[row] {
        known.append((name, row[0]))
      } else {
        earlier[row] = command.name
        flags.append(row)
      }
    }
    let others = known.grouped(by: \.command).map { name, flags in
      "As for `\(name)`: \(flags.map(\.flag).joined(separator: ", "))."
    }
    let usage = "```\nwindtunnel \(command.name) \(command.synopsis)\n```"
    return
      ([
        "## windtunnel \(command.name)", MarkdownPage.plain(command.summary), usage,
      ] + (flags.isEmpty ? [] : [MarkdownPage.table(["Flag", "Meaning"], flags)])
      + others + ["```sh\n\(command.example)\n```"]).joined(separator: "\n\n")
  }

  /// The exit codes of commands.
  static var exitCodes: String {
    MarkdownPage.text(
      title: "Exit codes",
      abstract: "Look up the meaning of the code with which a command exits.",
      command: "windtunnel help exit-codes --markdown",
      parts: [
        "The codes from 64 to 78 are from `sysexits.h`. If several of 97, 98 and 99 apply, `drill` and "
          + "`mutate` exit\nwith the worst: 97, then 99, then 98. `serve`, `record`, `proxy` and `dns` exit with 0 "
          + "after SIGINT or SIGTERM.",
        MarkdownPage.table(
          ["Code", "Meaning"],
          ExitCode.allCases.map { [String($0.rawValue), MarkdownPage.plain($0.meaning)] }
        ),
      ]
    )
  }

  /// The environment variables that are read and set.
  static var environment: String {
    func table(_ user: String, _ variables: [EnvironmentVariable]) -> String {
      MarkdownPage.table(
        ["Variable", user, "Meaning"],
        variables.map {
          [MarkdownPage.code($0.name), MarkdownPage.plain($0.user), MarkdownPage.plain($0.meaning)]
        }
      )
    }
    return MarkdownPage.text(
      title: "Environment variables",
      abstract:
        "Look up the variables that the tool and tests read, and the variables set for programs.",
      command: "windtunnel help environment --markdown",
      parts: [
        "## Read",
        "`xcodebuild test` passes on variables with the prefix `TEST_RUNNER_`, without it.",
        table("Read by", EnvironmentVariable.read), "## Set for programs that are started",
        table("Set by", EnvironmentVariable.set),
      ]
    )
  }

  /// The exit codes, formatted for a terminal.
  static var exitCodesText: String {
    HelpText.columns(ExitCode.allCases.map { (String($0.rawValue), $0.meaning) }) + "\n"
  }

  /// The environment variables, formatted for a terminal.
  static var environmentText: String {
    func lines(_ variables: [EnvironmentVariable]) -> String {
      HelpText.columns(variables.map { ($0.name, "\($0.user): \($0.meaning)") })
    }
    return """
      Read:

      \(lines(EnvironmentVariable.read))

      Set for programs that are started:

      \(lines(EnvironmentVariable.set))

      """
  }
}
