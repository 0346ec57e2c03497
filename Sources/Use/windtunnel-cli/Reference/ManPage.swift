/// A page for `man`, in the macros of man(7).
struct ManPage {
  /// The name of the page, such as `windtunnel-cassette-show`.
  let name: String
  /// The page as its file has it.
  let text: String

  private init(_ name: String, _ version: String, _ sections: [(title: String, lines: [String])]) {
    self.name = name
    let head = [
      #".\" Made by: windtunnel help --man"#,
      ".TH \"\(Self.plain(name.uppercased()))\" 1 \"\" \"windtunnel \(version)\" \"WindTunnel\"",
      // Neither is a word broken nor a line spread: what is typed stands as it is typed.
      ".nh", ".ad l",
    ]
    let body = sections.flatMap { [".SH \"\($0.title)\""] + $0.lines }
    text = (head + body).joined(separator: "\n") + "\n"
  }

  /// The page of one command.
  init(_ command: any Command.Type, among commands: [any Command.Type], version: String) {
    let name = Self.name(command)
    let flags = command.flags.flatMap { flag in
      Self.item(
        Self.bold(flag.name) + (flag.value.map { " \\fI\(Self.plain($0))\\fR" } ?? ""),
        flag.summary
      )
    }
    let group = command.name.split(separator: " ")[0]
    let others = commands.filter { $0.name != command.name && $0.name.hasPrefix("\(group) ") }
    self.init(
      name,
      version,
      [
        ("NAME", ["\(Self.plain(name)) \\- \(Self.plain(Self.unended(command.summary)))"]),
        ("SYNOPSIS", [Self.bold("windtunnel \(command.name)"), Self.line(command.synopsis)]),
      ] + (flags.isEmpty ? [] : [("OPTIONS", flags)]) + [
        ("EXAMPLE", [".EX", Self.line(command.example), ".EE"]),
        ("EXIT STATUS", Self.exitCodes),
        ("SEE ALSO", Self.seeAlso(["windtunnel"] + others.map(Self.name))),
      ]
    )
  }

  /// The page of the tool.
  init(of commands: [any Command.Type], version: String) {
    let variables = EnvironmentVariable.read + EnvironmentVariable.set
    self.init(
      "windtunnel",
      version,
      [
        (
          "NAME",
          ["windtunnel \\- record HTTP traffic, replay it, and judge clients in bad networks"]
        ),
        ("SYNOPSIS", [Self.bold("windtunnel"), "\\fICOMMAND\\fR [\\fIARGUMENT\\fR ...]"]),
        (
          "DESCRIPTION",
          ["Each command has a page of its own, and its own \(Self.bold("--help"))."]
            + commands.flatMap { Self.item(Self.bold($0.name), $0.summary) }
        ),
        ("EXIT STATUS", Self.exitCodes),
        (
          "ENVIRONMENT",
          variables.flatMap { Self.item(Self.bold($0.name), "\($0.user): \($0.meaning)") }
        ),
        ("SEE ALSO", Self.seeAlso(commands.map(Self.name))),
      ]
    )
  }

  /// The page of the tool and those of all commands.
  static func all(of commands: [any Command.Type], version: String) -> [ManPage] {
    [ManPage(of: commands, version: version)]
      + commands.map { ManPage($0, among: commands, version: version) }
  }

  private static func name(_ command: any Command.Type) -> String {
    "windtunnel-\(command.name.replacing(" ", with: "-"))"
  }

  private static var exitCodes: [String] {
    ExitCode.allCases.flatMap { item(bold(String($0.rawValue)), $0.meaning) }
  }

  private static func seeAlso(_ names: [String]) -> [String] {
    names.enumerated().map { number, name in
      ".BR \(plain(name)) (1)\(number == names.count - 1 ? "" : ",")"
    }
  }

  /// A tag and, behind it, what it means.
  private static func item(_ tag: String, _ meaning: String) -> [String] {
    [".TP", tag, line(meaning)]
  }

  private static func bold(_ text: String) -> String { "\\fB\(plain(text))\\fR" }

  /// A summary as the line NAME has it, without its full stop.
  private static func unended(_ summary: String) -> String {
    summary.hasSuffix(".") ? String(summary.dropLast()) : summary
  }

  /// A line of its own, which no full stop or quote at its beginning makes a request.
  private static func line(_ text: String) -> String {
    let text = plain(text)
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&\(text)" : text
  }

  /// A text in which no character is roff's; what is typed keeps its dashes and quotes.
  private static func plain(_ text: String) -> String {
    text.map { character in
      switch character {
      case "\\": "\\e"
      case "-": "\\-"
      case "'": "\\(aq"
      case "`": "\\(ga"
      case "^": "\\(ha"
      case "~": "\\(ti"
      case "\"": "\\(dq"
      case "…": "\\&..."
      case "→": "\\(->"
      default: String(character)
      }
    }.joined()
  }
}
