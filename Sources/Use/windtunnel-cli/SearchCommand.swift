@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelSearch

/// The search for the smallest fault sets that make the reference client fail.
enum SearchCommand: Command {
  static let name = "search"
  static let summary = "Search for small fault sets that make the reference client fail."
  static let synopsis = "[--cassette FILE] [--depth N] [--budget T] [--gate EXPR …] [--report FILE]"
  static let example = "windtunnel search --depth 2 --gate \"finds == 0\" --report search.txt"
  static let flags = [
    Flag("--cassette", "FILE")
      .help("Cassette whose requests the flow sends (default: the shipped shop)."),
    Flag("--depth", "N", "Number of faults in a set: 1 to \(SearchPlan.depthMax) (default: 2)."),
    Flag("--budget", "T", "Time after which no further fault set is run (default: 5m)."),
    Flag("--fault-sets", "N", "Maximum fault sets; the seed then selects the same ones."),
    Flag("--orders", "N", "Task orders in which the flow is run without faults (default: 100)."),
    Flag("--orders-of-singles", "N", "Task orders for each set of one fault (default: 4)."),
    Flag("--finds", "N", "Number of finds after which the search ends (default: 100)."),
    Flag("--exactly-once", "REQUEST")
      .help("Request that must happen once under any faults, such as a POST."),
    Flag("--allow", "RULE", "Rule that the client may break. May be repeated."),
    Flag("--workers", "N", "Number of threads; results are the same (default: the processors)."),
    Flag("--restarts", nil, "Also end the client's process and start the flow again."),
    Flag("--timeout", "T", "Maximum time of a call (default: 20s)."),
    Flag("--seed", "N", "Seed of all random draws (default: 1)."),
    Flag("--gate", "EXPR", "Gate, such as \"searchedDepth >= 2\" (default: \"finds == 0\")."),
    Flag("--baseline", "FILE", "Earlier certificate, for \"newFinds == 0\"."),
    Flag("--report", "FILE", "Write the certificate: .json or .txt. May be repeated."),
    Flag("--scenarios", "DIR", "Write each find as a scenario file."),
    Flag("--json", nil, "Print the certificate as JSON."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let cassette = try arguments.value("--cassette").map {
      try CassetteFile.readToPlay(URL(typed: $0))
    }
    let gates = try arguments.all("--gate").map { text in
      do { return try SearchGate(text) } catch {
        throw CommandError.value("--gate", text, shouldBe: "a gate such as \"finds == 0\"")
      }
    }
    if gates.contains(where: { $0.needsBaseline }), !arguments.has("--baseline") {
      throw CommandError.missing(
        "--baseline",
        "the earlier certificate that newFinds compares with"
      )
    }
    let baseline = try arguments.value("--baseline").map {
      try SearchBaseline(contentsOf: URL(typed: $0))
    }
    let plan = try plan(arguments)
    let files = try CertificateFiles(arguments)
    try ToolEnvironment.needProcess()
    var drill = Drill(try cassette ?? Shipped.cassette())
    drill.plan.seed = try arguments.seed()
    drill.plan.deadline = try arguments.duration("--timeout")
    guard let flow = ReferenceClient.flow?(drill.plan.cassette) else { return .software }
    let bound = plan.budget.map { "at most \(Int($0.inMilliseconds / 1000)) s" }
    Terminal.complain(
      "windtunnel: searching up to depth \(plan.depth), \(bound ?? "until all are tried")\n"
    )
    let shown = Locked(0)
    var certificate = try await drill.search(
      as: ReferenceClient.name,
      plan,
      progress: { certificate in
        // A finding is printed immediately, even if standard error is not a terminal.
        let finds = shown.withLock { count in
          defer { count = max(count, certificate.finds.count) }
          return certificate.finds.dropFirst(count)
        }
        if !finds.isEmpty { Terminal.progress("") }
        for find in finds {
          Terminal.complain("found: \(find.violation.rule): \(find.violation.seen)\n")
        }
        Terminal.progress(certificate.summary)
      }
    ) { try await flow($0) }
    Terminal.progress("")
    if let baseline { certificate = certificate.compared(to: baseline) }
    arguments.answer(certificate.text, json: certificate.data())
    try files.write(certificate)
    return code(of: certificate, gates.isEmpty ? [try SearchGate("finds == 0")] : gates)
  }

  private static func plan(_ arguments: Arguments) throws -> SearchPlan {
    var plan = SearchPlan()
    plan.depth = try arguments.int("--depth", in: 1...SearchPlan.depthMax) ?? plan.depth
    plan.orders = try arguments.int("--orders", in: 0...SearchPlan.ordersMax) ?? plan.orders
    plan.ordersOfSingles =
      try arguments.int("--orders-of-singles", in: 0...SearchPlan.ordersMax)
      ?? plan.ordersOfSingles
    plan.faultSets = try arguments.int("--fault-sets", in: 1...SearchPlan.faultSetsMax)
    plan.finds = try arguments.int("--finds", in: 1...plan.finds) ?? plan.finds
    plan.budget = try arguments.duration("--budget") ?? (plan.faultSets == nil ? plan.budget : nil)
    plan.invariants = try arguments.patterns("--exactly-once").map { .exactlyOnce($0) }
    plan.workers =
      try arguments.int("--workers", in: 1...SearchPlan.workersMax)
      ?? min(ProcessInfo.processInfo.activeProcessorCount, SearchPlan.workersMax)
    plan.allowed = Set(arguments.all("--allow"))
    plan.restarts = arguments.has("--restarts")
    let known = Set(FindingRule.all.map(\.id) + Violation.rules.map(\.key))
    for name in plan.allowed.sorted() where !known.contains(name) {
      throw CommandError.choice("--allow", name, among: known.sorted())
    }
    return plan
  }

  /// Returns the exit code. A failed gate is the worst result, unless the client crashed or hung.
  private static func code(of certificate: SearchReport, _ gates: [SearchGate]) -> ExitCode {
    let failed = gates.filter { $0.isMet(by: certificate) != true }
    for gate in failed { Terminal.complain("windtunnel: gate \"\(gate)\" failed\n") }
    let fell = certificate.finds.contains {
      [FindingRule.hangs.id, FindingRule.crashes.id].contains($0.violation.rule)
    }
    return failed.isEmpty ? .done : fell ? .fell : .gateFailed
  }
}

/// The files for a certificate and for the scenarios of its findings.
private struct CertificateFiles {
  private let files: [(file: URL, form: String)]
  private let directory: URL?

  /// Reads the flags, and refuses files that could not be written later.
  init(_ arguments: Arguments) throws {
    let forms = ["json", "txt"]
    files = try arguments.files("--report", endingIn: forms) { forms.contains($0) ? $0 : nil }
    directory = try arguments.value("--scenarios").map { URL(typed: $0) }
    if let directory {
      do {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      } catch {
        throw FileError.unwritable(directory.relativePath, reason: FileError.reason(error))
      }
      try FileError.probeWriting(to: directory.appending(path: "find.json"))
    }
  }

  func write(_ certificate: SearchReport) throws {
    for (file, form) in files {
      let data = form == "json" ? certificate.data() : Data(certificate.text.utf8)
      try FileError.writing(data, to: file)
    }
    guard let directory else { return }
    for find in certificate.finds {
      let file = directory.appending(path: "\(find.faultSet.scenario.name).json")
      try FileError.writing(Data(find.faultSet.file.utf8), to: file)
    }
  }
}
