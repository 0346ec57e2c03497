enum CassetteDiffCommand: Command {
  static let name = "cassette diff"
  static let summary = "Show the differences between cassettes, apart from dates, ids and timings."
  static let synopsis =
    "A B | --git REF [PATH…] [--format FORMAT | --json] [--volatile NAME …]"
  static let example = "windtunnel cassette diff --git main Cassettes"
  static let operandsMax = Int.max
  static let flags = [
    Flag("--git", "REF", "Compare the files with a commit or a branch."),
    Flag("--format", "FORMAT", "text or markdown (default: text).", choices: formats.map(\.key)),
    VolatileFlag.flag,
    Flag("--json", nil, "Print the differences as JSON."),
  ]

  /// The formats, each with whether it is Markdown.
  private static let formats: KeyValuePairs<String, Bool> = ["text": false, "markdown": true]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let isMarkdown = try arguments.choice("--format", formats) ?? false
    let volatile = try VolatileFlag.names(arguments)
    let asJSON = arguments.has("--json")
    if asJSON, arguments.has("--format") { throw CommandError.both("--json", "--format") }
    var differs = false
    var files: [JSON] = []
    for pair in try pairs(arguments) {
      let difference = CassetteDifference(from: pair.old, to: pair.new, volatile: volatile)
      if asJSON { files.append(difference.json(title: pair.title)) }
      guard !difference.isEmpty else { continue }
      defer { differs = true }
      if asJSON { continue }
      if differs { Terminal.answer("\n") }
      Terminal.answer(
        isMarkdown ? difference.markdown(title: pair.title) : difference.text(title: pair.title)
      )
    }
    if asJSON { Terminal.answer(["windtunnelDiff": 1, "files": .array(files)] as JSON) }
    return differs ? .found : .done
  }

  private typealias Pair = (title: String, old: Cassette, new: Cassette)

  private static func pairs(_ arguments: Arguments) throws -> [Pair] {
    if let ref = try arguments.value("--git") {
      let history = try GitHistory(ref)
      return try history.changed(arguments.operands).map { file in
        let title = file.formerName.map { "\($0) → \(file.name)" } ?? file.name
        let new = file.isHere ? try CassetteFile.read(file.url) : Cassette()
        return (title, try history.cassette(file) ?? Cassette(), new)
      }
    }
    guard arguments.operands.count == 2 else {
      throw CommandError.usage("Pass two cassettes, or --git REF.")
    }
    let (old, new) = (arguments.operands[0], arguments.operands[1])
    return [("\(old) → \(new)", try CassetteFile.read(old), try CassetteFile.read(new))]
  }
}
