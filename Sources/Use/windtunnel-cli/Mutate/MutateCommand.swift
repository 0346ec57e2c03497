enum MutateCommand: Command {
  static let name = "mutate"
  static let summary =
    "Break recorded responses one by one, and report the faults that tests do not notice."
  static let synopsis = "[--cassette FILE] [--only PATTERN] [--fault NAME] … -- CMD …"
  static let example = "windtunnel mutate -- swift test"
  static let takesCommand = true
  static let flags = [
    Flag("--cassette", "FILE", "Play this cassette to CMD at {url}; Swift tests need no flag."),
    MatchFlag.flag("method, path and query"),
    Flag("--proxy", nil, "Play it in a proxy that decrypts TLS, for clients with fixed hosts."),
    Flag("--junit", "PATH", "JUnit XML that CMD writes, to judge each of its tests."),
    Flag("--plugin", "NAME", choices: ["pytest"])
      .help("Write the plug-in for pytest to this folder, and exit."),
    Flag("--only", "PATTERN", "Mutate the responses to these requests, such as \"GET /orders\"."),
    Flag("--fault", "NAME", choices: MutationOperator.all.map(\.name))
      .help("Use this mutation, such as status-500. May be repeated."),
    Flag("--budget", "TIME", "Stop after this time, and report the number of untested mutants."),
    Flag("--timeout", "TIME")
      .help("Time after which a run is hung (default: from the slowest test, at least 10s)."),
    Flag("--seed", "N", "Seed of all random draws (default: 1)."),
    Flag("--report", "FILE", "Write the report, as FILE.html or FILE.json."),
    Flag("--accept", nil, "Accept all blind spots and hangs that are found."),
    Flag("--reason", "TEXT", "accept: the reason."),
    Flag("--accepted", "FILE", "File of the accepted blind spots (default: mutate.json)."),
    Flag("--log", "FILE", "Write the results to FILE, or resume from it."),
    Flag("--all", nil, "Print a row for each endpoint."),
    Flag("-- CMD", nil, "Command that runs the tests."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    if try arguments.choice("--plugin", ["pytest": true]) != nil {
      _ = try PytestPlugin.install(in: URL(typed: "."))
      return .done
    }
    let order = try MutateOrder(arguments)
    if let file = order.cassette { _ = try CassetteFile.read(file) }
    try ToolEnvironment.needProcess()
    let (folder, start) = (try TemporaryFolder(), ContinuousClock.now)
    let file = order.log ?? folder.url.appending(path: "log.jsonl")
    let log = try MutationLogFile(resuming: file, order)
    var server: ServedCassette?
    if let file = order.cassette { server = try await ServedCassette(file, order, in: folder.url) }
    let served = server
    let (result, signal) = await Interruption.run {
      try await mutate(order, log, served, in: folder.url)
    }
    var (end, stop) = (ClientCommand.Exit.interrupted, MutationReport.Stop?.none)
    do { end = try result.get() } catch is CancellationError {}
    await served?.stop()
    let events = try log.load()
    if let signal, end == .interrupted {
      let copy = FileManager.default.temporaryDirectory
        .appending(path: "windtunnel-mutate-\(UUID().uuidString).jsonl")
      if order.log == nil { try FileManager.default.copyItem(at: log.file, to: copy) }
      let kept = (order.log ?? copy).relativePath
      stop = (signal == SIGTERM ? .terminated : .interrupted, kept)
    }
    // Separately, because a file of this tool's own flags would count as a program of the command.
    let words = order.words.split(separator: "--", maxSplits: 1, omittingEmptySubsequences: false)
      .map { CommandWords(Array($0)).words }
    let report = MutationReport(
      events: events,
      cassettes: try Set(events.tests.map(\.cassette)).reduce(into: [:]) {
        $0[$1] = try CassetteFile.read($1)
      },
      accepted: order.accepted.survivors,
      acceptedFile: order.accepted.file.relativePath,
      command: Array(words.joined(separator: ["--"])),
      duration: .now - start,
      stop: stop
    )
    let lines = try FileError.reading(log.file, bytesMax: MutationLog.bytesMax).split(separator: 10)
    let longCount = lines.count { $0.count > MutationEvent.lineBytesMax }
    if longCount > 0 { Terminal.complain("Skipped overlong lines of the log: \(longCount).\n") }
    Terminal.answer(report: report.text(isLong: arguments.has("--all")))
    for (file, form) in order.reports {
      try FileError.writing(form == "html" ? report.htmlData() : report.jsonData(), to: file)
    }
    // An interrupted run has not tried each fault with each test.
    if let reason = order.reason, stop == nil {
      try FileError.writing(report.accepting(reason: reason).data(), to: order.accepted.file)
    }
    if let complaint = end.complaint, report.verdict == .undecided {
      Terminal.complain("\(order.command.name) \(complaint).\n")
    } else if events.tests.isEmpty, order.cassette == nil, stop == nil {
      Terminal.complain(
        "No test used a cassette. Swift tests need .cassette; other commands need --cassette, as in "
          + "windtunnel mutate --cassette api.json -- ./run-tests {url}\n"
      )
    }
    if case .signalled = end, report.verdict == .undecided { return .fell }
    if order.reason != nil, report.isAcceptable { return .done }
    return ExitCode(rawValue: report.verdict.rawValue) ?? .software
  }

  /// Runs the command without mutants and with them. Returns the end of the first run.
  private static func mutate(
    _ order: MutateOrder,
    _ log: MutationLogFile,
    _ served: ServedCassette?,
    in folder: URL
  ) async throws -> ClientCommand.Exit {
    let suite = LoggedSuite(order: order, log: log, folder: folder, served: served)
    let count = try log.load().count
    let start = ContinuousClock.now
    let first = try await CommandRun(order, served) { try await suite.run() }
    var parts = PartMutation(suite, since: start, first.duration)
    try await parts.run()
    // A command that writes no line about a test does not support mutants.
    guard let served, try log.load().dropFirst(count).tests.allSatisfy(\.isPart) else {
      return first.end
    }
    if let junit = order.junit { _ = try JUnitResults.read(junit) }
    var mutation = CommandMutation(order, log, served, first)
    try await mutation.run()
    return first.end
  }
}
