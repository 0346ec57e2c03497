/// `windtunnel.json`: a team's cassette, client and bars, with one key per flag of
/// `windtunnel drill`.
///
///     { "windtunnelPlan": 1, "cassette": "api.json", "client": ["./client", "{url}"], … }
struct PlanFile {
  /// The name of the file that a drill reads if it is in the working directory.
  static let name = "windtunnel.json"
  static let flag = Flag("--plan", "FILE")
    .help("Plan file with flags (default: windtunnel.json, if it exists).")
  static let versionKey = "windtunnelPlan"
  private static let bytesMax = 4 << 20
  /// The flag of the client's command.
  private static let clientFlag = "--"

  /// A key of the file, with its words on a command line.
  private struct PlanEntry {
    let key: String
    let flag: String
    let words: [String]
  }

  private let entries: [PlanEntry]

  /// Reads a plan file, version 1, for a drill with these flags.
  init(contentsOf file: URL, flags: [Flag]) throws {
    let data = try FileError.reading(file, bytesMax: Self.bytesMax)
    let source = file.relativePath
    var top = try ObjectReader(JSON(parsing: data, source: source), source: source, path: "")
    try CassetteFormat.checkVersion(&top, key: Self.versionKey, noun: "plan file")
    var entries: [PlanEntry] = []
    for key in PlanKey.known(to: flags) {
      entries.append(PlanEntry(key: key.name, flag: key.flag, words: try key.words(in: &top)))
    }
    let client = try top.values(PlanKey.client, "string") { $0.stringValue }
    let command = client.isEmpty ? [] : [Self.clientFlag] + client
    entries.append(PlanEntry(key: PlanKey.client, flag: Self.clientFlag, words: command))
    try top.refuseUnknownKeys()
    self.entries = entries.filter { !$0.words.isEmpty }
  }

  /// Returns the arguments of a drill, completed by its plan file.
  ///
  /// The file is named by `--plan`, or is `windtunnel.json` if that exists. Flags of the command
  /// line take precedence.
  static func completing(_ arguments: Arguments, flags: [Flag]) throws -> Arguments {
    let asked = try arguments.value(flag.name)
    if arguments.has("--again") {
      guard asked == nil else {
        throw CommandError.usage("--again takes its flags from the report; omit --plan.")
      }
      return arguments
    }
    let file = URL(typed: asked ?? name)
    guard asked != nil || FileManager.default.fileExists(atPath: file.path) else {
      return arguments
    }
    let plan = try PlanFile(contentsOf: file, flags: flags)
    let overruled = plan.entries.filter { PlanKey.isGiven($0.flag, in: arguments) }
    let taken = plan.entries.filter { !PlanKey.isGiven($0.flag, in: arguments) }
    Terminal.complain("windtunnel: \(line(of: file, taken, overruled))\n")
    let others = try Arguments(
      // A report must not overwrite the file.
      ["\(flag.name)=\(file.relativePath)"] + taken.flatMap(\.words),
      flags: flags + [flag],
      operandsMax: 0,
      takesCommand: true
    )
    return try arguments.entering(file.deletingLastPathComponent()).completed(
      by: others,
      adding: PlanKey.added
    )
  }

  private static func line(of file: URL, _ taken: [PlanEntry], _ overruled: [PlanEntry]) -> String {
    func names(_ entries: [PlanEntry]) -> String { entries.map(\.key).joined(separator: ", ") }
    let gives = taken.isEmpty ? "nothing" : names(taken)
    let words = overruled.isEmpty ? "" : "; the command line overrides \(names(overruled))"
    return "\(file.relativePath) sets \(gives)\(words)"
  }
}

extension Arguments {
  /// Changes the working directory to the folder of a plan file, to which its paths are relative.
  ///
  /// The client is also started there.
  ///
  /// - Returns: The arguments of the command line, whose paths refer to the same files as before.
  fileprivate func entering(_ folder: URL) throws -> Arguments {
    let here = URL(typed: ".").standardizedFileURL.path
    guard folder.standardizedFileURL.path != here else { return self }
    try ToolEnvironment.needProcess()
    var moved = resolvingFiles(of: PlanKey.fileFlags, named: PlanKey.nameFlags)
    moved.start = URL(filePath: here)
    guard FileManager.default.changeCurrentDirectoryPath(folder.path) else {
      throw CommandError(.noInput, "\(folder.relativePath) cannot be the working directory.")
    }
    return moved
  }
}
