/// A check before a release: no part of the harness may be in it.
enum CheckReleaseCommand: Command {
  static let name = "check-release"
  static let summary =
    "Find the debug product, the harness or a cassette in a release; exit 1 if any."
  static let synopsis = "BINARY | APP | IPA | APK | ZIP | FOLDER … [--pass-over PATH …] [--json]"
  static let example = "windtunnel check-release Export/Shop.ipa"
  static let operandsMax = 1000
  static let flags = [
    Flag("--pass-over", "PATH")
      .help("Skip unreadable files at PATH (as printed) or below. May be repeated."),
    Flag("--json", nil, "Print the findings as JSON."),
  ]

  /// A path on the command line, with its check.
  private typealias Look = (path: String, check: ReleaseCheck)

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    _ = try arguments.operand(0, "FILE", "the program, app, archive or folder to check")
    // The module of the check accepts paths as text, which the system resolves.
    try ToolEnvironment.needProcess()
    let pathsToPassOver = arguments.all("--pass-over").map { path in
      path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
    let looks = arguments.operands.map { path -> Look in
      var check = ReleaseCheck(passingOver: pathsToPassOver)
      check.look(atPath: path)
      return (path, check)
    }
    let checks = looks.map(\.check)
    let used = checks.reduce(into: Set<String>()) { $0.formUnion($1.passedOverPaths) }
    let unused = pathsToPassOver.filter { !used.contains($0) }
    var verdict = ReleaseCheck.verdict(on: checks)
    if verdict == .passes, !unused.isEmpty { verdict = .refused }
    if arguments.has("--json") {
      Terminal.answer(ReleaseReport.json(of: checks, verdict: verdict))
    } else {
      for look in looks { answer(look, passes: verdict == .passes) }
    }
    for look in looks { complain(of: look) }
    advise(on: checks)
    if checks.allSatisfy({ $0.programs.isEmpty && $0.findings.isEmpty && $0.failure == nil }),
      checks.allSatisfy(\.unread.isEmpty)
    {
      for look in looks {
        let count = look.check.fileCount
        let files =
          switch (look.check.isFolder, count) {
          case (false, 0...1): "it is not a"
          case (true, 1): "its only file is not a"
          default: "not one of its \(count) files is a"
          }
        Terminal.complain(
          "\(look.path) was not checked: \(files) program in ELF or Mach-O format, or an archive of "
            + "programs. Name the released app, archive or program.\n"
        )
      }
    } else {
      for look in looks where look.check.isFolder && look.check.fileCount == 0 {
        Terminal.complain("\(look.path) is empty; omit it, or name another.\n")
      }
    }
    for path in unused {
      Terminal.complain(
        "windtunnel: --pass-over \(path) matches no unreadable file; write the path as it is "
          + "printed, or omit the flag.\n"
      )
    }
    switch verdict {
    case .passes: return .done
    case .found: return .found
    case .refused:
      let failure = checks.lazy.compactMap(\.failure).first
      return failure.map { CommandError($0).code } ?? (unused.isEmpty ? .data : .usage)
    }
  }

  private static func answer(_ look: Look, passes: Bool) {
    let check = look.check
    for finding in check.findings {
      let module = finding.module.map { "\($0.name), " } ?? ""
      Terminal.answer(line: "\(finding.file): \(module)\(finding.reason)")
    }
    for row in check.passedOver {
      Terminal.answer(line: "\(row.file) \(row.reason): skipped because of --pass-over")
    }
    guard passes else { return }
    let programs = check.programs.count.counted("program")
    let files = check.fileCount.counted("file")
    let modules = Set(check.programs.flatMap(\.modules)).map(\.name).sorted()
    let parts =
      modules.isEmpty
      ? "nothing of WindTunnel"
      : "\(modules.joined(separator: ", ")), and nothing else of WindTunnel"
    Terminal.answer(line: "\(look.path): \(programs) in \(files): \(parts)")
  }

  private static func complain(of look: Look) {
    if let failure = look.check.failure {
      Terminal.complain("windtunnel: \(CommandError(failure).sentence)\n")
    }
    for row in look.check.unread { Terminal.complain("\(row.file) \(row.reason).\n") }
  }

  /// Prints the next steps, once for all paths.
  private static func advise(on checks: [ReleaseCheck]) {
    let findings = checks.flatMap(\.findings)
    let modules = Set(findings.compactMap { $0.module?.name })
    if !modules.isEmpty {
      Terminal.complain(
        "A release may link only WindTunnelNetworkLayer and WindTunnelNetworkLayerSockets; link the "
          + "other products only in tests and debug builds.\n"
      )
    }
    if findings.contains(where: { $0.module == nil }) {
      Terminal.complain(
        "Do not copy these files into the release; tests can read them from their own folders.\n"
      )
    }
    if checks.contains(where: { !$0.unread.isEmpty }) {
      Terminal.complain("The check does not pass, because some files were not checked.\n")
    }
    let isOfFormat = { (row: ReleaseCheck.Unread) in
      if case .format = row.reason { true } else { false }
    }
    if checks.contains(where: { $0.unread.contains(where: isOfFormat) }) {
      Terminal.complain(
        "If a file with an unknown format is an archive, unpack it and check the folder.\n"
      )
    }
  }
}
