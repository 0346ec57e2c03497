enum FaultsListCommand: Command {
  static let name = "faults list"
  static let summary = "List every kind of fault, with the symptom that clients report."
  static let synopsis = "[--json | --markdown]"
  static let example = "windtunnel faults list"
  static let flags = [
    Flag("--json", nil, "Print a list of objects, with an example of each."),
    Flag("--markdown", nil, "Print a table with the Swift and JSON form of each."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let rows = CatalogueRow.all
    if arguments.has("--json") { return Terminal.answer(JSON.array(rows.map(\.json))) }
    if arguments.has("--markdown") { return Terminal.answer(CatalogueRow.page) }
    let heads = ["fault", "layer", "Linux", "curl", "Apple (not measured)"]
    let cells = rows.map { [$0.name, $0.layer.rawValue] + $0.sights(mark: "", separator: "/") }
    return Terminal.answer(
      """
      \(Figures.lines([heads] + cells).joined(separator: "\n"))

      Linux and curl were measured with libcurl 7.88.1; Apple is documented, not measured. A name is
      followed by the code of the URLError; -1 is .unknown, and its text names the problem.
      The form of each in a scenario, or in a script of windtunnel dns: windtunnel faults list --json

      """
    )
  }
}

extension CatalogueRow {
  /// The row as JSON: `{name, layer, fault or script, expected, evidence}`.
  fileprivate var json: JSON {
    let expected = expected
    let (fault, script): (JSON?, JSON?) =
      switch self {
      case .fault(let kind): (kind.fault.json, nil)
      case .lookUp(let example): (nil, example.script.json)
      }
    return .object(
      JSON.members([
        "name": .text(name), "layer": .text(layer.rawValue), "fault": fault, "script": script,
        "expected": [
          "linux": .text(expected.linux.text),
          "linuxURLErrorCode": .orNull(expected.linuxCode),
          "curl": .numbers(expected.curl),
          "apple": .text(expected.apple.text),
          "appleURLErrorCode": .orNull(expected.appleCode),
        ],
        "evidence": [
          "linux": .text(expected.evidence.rawValue), "curl": .text(expected.evidence.rawValue),
          "apple": .text(expected.appleEvidence.rawValue),
        ],
      ])
    )
  }
}

enum FaultsSelftestCommand: Command {
  static let name = "faults selftest"
  static let summary = "Create each fault, and check it with a raw socket, curl and URLSession."
  static let synopsis = "[--fault NAME …] [--repeat N] [--json]"
  static let example = "windtunnel faults selftest --repeat 200"
  static let flags = [
    Flag("--fault", "NAME", choices: CatalogueRow.all.map(\.name))
      .help("Only this fault (default: all). May be repeated."),
    Flag("--repeat", "N", "Number of raw socket tests of faults that end at once (default: 1)."),
    Flag("--json", nil, "Print a list of objects instead of the table."),
  ]

  /// The first argument of a process that observes a fault. The second is the address.
  static let lookWord = "look-as-session"

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    guard let executable = Bundle.main.executableURL else { throw CommandError.selfNotFound }
    var test = SelfTest(executable: executable, arguments: [Self.lookWord])
    test.repeats = try arguments.int("--repeat", in: 1...SelfTest.repeatsMax) ?? test.repeats
    let names = arguments.all("--fault")
    let kinds = try names.map { name in
      guard let kind = CatalogueRow.named(name) else {
        throw CommandError.usage(
          "Unknown fault \"\(name)\"."
            + "\(CommandError.didYouMean(name, among: CatalogueRow.all.map(\.name))) "
            + "windtunnel faults list shows all."
        )
      }
      return kind
    }
    try ToolEnvironment.needProcess()
    OpenFiles.raise()
    let rows = await test.run(kinds.isEmpty ? CatalogueRow.all : kinds) { row in
      Terminal.progress(row.kind.name)
    }
    Terminal.progress("")
    arguments.answer(text(rows), json: JSON.array(rows.map(\.json)).fileBytes())
    return rows.allSatisfy { $0.passed || $0.isSkipped } ? .done : .found
  }

  private static func text(_ rows: [SelfTestRow]) -> String {
    let width = rows.map(\.kind.name.count).max() ?? 0
    var text = ""
    for row in rows {
      let mark = row.isSkipped ? "skip" : row.passed ? "ok" : "FAIL"
      let cells = [(mark, 4), (row.kind.name, width)].map { text, width in
        text.padding(toLength: width, withPad: " ", startingAt: 0)
      }
      text += "\(cells.joined(separator: "  "))  \(row.asked)\n"
      guard !row.passed else { continue }
      let indent = String(repeating: " ", count: 6)
      if let raw = row.raw {
        let looker = if case .lookUp = row.kind { "getaddrinfo" } else { "raw socket" }
        text += "\(indent)\(looker): \(raw) (as expected \(row.equalLooks) of \(row.looks) times)\n"
      }
      if let curl = row.curl {
        let codes = row.kind.expected.curl.map { String($0) }.joined(separator: " or ")
        text += "\(indent)curl: \(curl), expected \(codes)\n"
      }
      if let session = row.session {
        let seen = "\(session.text) \(row.sessionCode.map { "\($0)" } ?? "")"
        let expected = "\(row.expectedSession.text) \(row.expectedCode.map { "\($0)" } ?? "")"
        text += "\(indent)URLSession: \(seen), expected \(expected)\n"
      }
    }
    let (failed, skipped) = (
      rows.count { !$0.passed && !$0.isSkipped }, rows.count(where: \.isSkipped)
    )
    text += "\n\(rows.count) faults: \(rows.count - failed - skipped) as expected, "
    text += "\(failed) not, \(skipped) skipped\n"
    for reason in Set(rows.flatMap(\.skipped)).sorted() {
      let count = rows.count { $0.skipped.contains(reason) }
      text += "skipped \(count): \(reason)\n"
    }
    for reason in Set(rows.flatMap(\.unseenBy)).sorted() {
      let count = rows.count { $0.unseenBy.contains(reason) }
      text += "\(count) not observed by all clients: \(reason)\n"
    }
    return text
  }
}
