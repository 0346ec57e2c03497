internal import WindTunnel
internal import WindTunnelCommandLine
internal import WindTunnelRelease

/// A gate for what is about to be released: no part of the harness may be in it.
enum CheckReleaseCommand: Command {
  static let name = "check-release"
  static let summary =
    "Find the debug product, the harness or a cassette in a release; exit 1 if any."
  static let synopsis = "BINARY | APP | IPA | APK | ZIP | FOLDER … [--json]"
  static let example = "windtunnel check-release Export/Shop.ipa"
  static let operandsMax = 1000
  static let flags = [Flag("--json", nil, "Print the findings as JSON.")]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    _ = try arguments.operand(0, "FILE", "which program, app, archive or folder to look through")
    var checks: [(path: String, check: ReleaseCheck)] = []
    for path in arguments.operands {
      var check = ReleaseCheck()
      try check.look(atPath: path)
      checks.append((path, check))
    }
    if arguments.has("--json") {
      Terminal.answer(json: report(of: checks.map(\.check)).fileBytes())
    } else {
      for (path, check) in checks { answer(check, of: path) }
    }
    for (path, check) in checks {
      complain(of: check)
      if check.lookedAtNothing {
        Terminal.complain("\(noProgram(path, fileCount: check.fileCount))\n")
      }
    }
    if checks.contains(where: { !$0.check.findings.isEmpty }) { return .found }
    return checks.allSatisfy(\.check.passes) ? .done : .data
  }

  /// Returns the reason not to pass what holds no program: nothing was looked through.
  private static func noProgram(_ path: String, fileCount: Int) -> String {
    let files = fileCount == 1 ? "it is no" : "none of its \(fileCount) files is a"
    return
      "\(path) was not looked through: \(files) program in ELF or Mach-O, or an archive of them; "
      + "name the app, the archive or the program that is released."
  }

  private static func answer(_ check: ReleaseCheck, of path: String) {
    for finding in check.findings { Terminal.answer(line: line(of: finding)) }
    guard check.passes else { return }
    let programs = check.programs.count == 1 ? "1 program" : "\(check.programs.count) programs"
    let files = check.fileCount == 1 ? "1 file" : "\(check.fileCount) files"
    let modules = Set(check.programs.flatMap(\.modules)).sorted().map(\.name)
    let parts =
      modules.isEmpty
      ? "nothing of WindTunnel" : "\(modules.joined(separator: ", ")), and no more of WindTunnel"
    Terminal.answer(line: "\(path): \(programs) in \(files): \(parts)")
  }

  private static func line(of finding: ReleaseCheck.Finding) -> String {
    let place = finding.architecture.map { "\(finding.file) (\($0))" } ?? finding.file
    return finding.module.map { "\(place): \($0.name), \(finding.reason)" }
      ?? "\(place): \(finding.reason)"
  }

  private static func complain(of check: ReleaseCheck) {
    for row in check.passedOver { Terminal.complain("\(row.file) \(row.reason).\n") }
    for row in check.unread { Terminal.complain("\(row.file) \(row.reason).\n") }
    let modules = Set(check.findings.compactMap { $0.module?.name })
    if !modules.isEmpty {
      Terminal.complain(
        "A release links the product NetworkLayer alone; leave the others to tests and debug builds.\n"
      )
    }
    if check.programs.contains(where: { $0.modules.contains { $0.name == sockets } }),
      modules.contains("WindTunnelServer")
    {
      Terminal.complain(
        "\(sockets) is linked, which brings WindTunnelServer and what that needs along.\n"
      )
    }
    if !check.unread.isEmpty {
      Terminal.complain("What was not looked through could hold anything: nothing is passed.\n")
    }
  }

  /// The product for Linux that depends on the server.
  private static let sockets = "WindTunnelNetworkLayerSockets"

  private static func report(of checks: [ReleaseCheck]) -> JSON {
    [
      "windtunnelRelease": 1,
      "files": .number(checks.reduce(0) { $0 + $1.fileCount }),
      "programs": .array(
        checks.flatMap(\.programs).map { program in
          [
            "file": .text(program.file), "architecture": .text(program.architecture),
            "modules": .array(program.modules.map { .text($0.name) }),
          ]
        }
      ),
      "findings": .array(
        checks.flatMap(\.findings).map { finding in
          [
            "file": .text(finding.file),
            "architecture": finding.architecture.map(JSON.text) ?? nil,
            "module": finding.module.map { JSON.text($0.name) } ?? nil,
            "reason": .text(finding.reason),
          ]
        }
      ),
      "unread": .array(checks.flatMap(\.unread).map(row)),
      "passedOver": .array(checks.flatMap(\.passedOver).map(row)),
    ]
  }

  private static func row(_ unread: ReleaseCheck.Unread) -> JSON {
    ["file": .text(unread.file), "reason": .text("\(unread.reason)")]
  }
}
