enum InitCommand: Command {
  static let name = "init"
  static let summary =
    "Write windtunnel.json, the file from which a drill reads its flags, or a CI workflow."
  static let synopsis = "[--from CASSETTE] [--ci github|gitlab|shell] [--force] [-- CMD …]"
  static let example = "windtunnel init --from api.json -- ./my-client {url}"
  static let takesCommand = true
  static let flags = [
    Flag("--from", "CASSETTE")
      .help("Cassette of the drill; its successful GET and HEAD requests become critical."),
    Flag("--ci", "CI", choices: Workflow.allCases.map(\.rawValue))
      .help("Write a workflow that runs the plan: github, gitlab or shell."),
    Flag("--force", nil, "Replace an existing file."),
    Flag("-- CMD")
      .help(
        "Client to judge, as in windtunnel drill -- CMD. A client that adds its own paths needs {base} "
          + "instead of the {url} of record: windtunnel init --from api.json -- env MY_API={base} ./my-app. "
          + "It is started for each call, and must exit with a code other than 0 if a screen failed."
      ),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let workflow = try arguments.choice("--ci", among: Workflow.allCases.map(\.rawValue)) {
      Workflow(rawValue: $0)
    }
    let cassette = try arguments.value("--from")
    let writesPlan = workflow == nil || cassette != nil || !arguments.command.isEmpty
    guard writesPlan || exists(PlanFile.name) else {
      throw CommandError(
        .noInput,
        "\(PlanFile.name) is missing; name your client as well: "
          + "windtunnel init --ci \(workflow?.rawValue ?? "") -- ./my-client {url}."
      )
    }
    let names = (writesPlan ? [PlanFile.name] : []) + (workflow.map { [$0.path] } ?? [])
    if !arguments.has("--force"), let name = names.first(where: exists) {
      throw CommandError(
        .cannotWrite,
        "\(name) already exists; nothing was written. Pass --force to replace it."
      )
    }
    var lines: [String] = []
    let plan =
      writesPlan
      ? try NewPlan(
        cassette: cassette,
        client: arguments.command,
        flags: DrillCommand.flags
      ) : nil
    try workflow?.makeFolder()
    if let plan {
      try FileError.writing(Data(plan.json.fileBytes()), to: URL(typed: PlanFile.name))
      lines.append("\(PlanFile.name): \(plan.words)")
      lines += workflow == nil ? plan.next : []
    }
    if let workflow {
      try workflow.write()
      lines += ["\(workflow.path): \(workflow.words)"]
    }
    for line in lines { Terminal.answer(line: line) }
    return .done
  }

  private static func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: URL(typed: name).path)
  }
}
