@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelSearch

/// The search for the smallest fault sets that sink the reference client.
enum SearchCommand: Command {
  static let name = "search"
  static let summary = "Search every small fault set for those that sink the reference client."
  static let synopsis = "[--cassette FILE] [--depth N] [--budget T] [--gate EXPR …] [--report FILE]"
  static let example = "windtunnel search --depth 2 --gate \"finds == 0\" --report search.txt"
  static let flags = [
    Flag("--cassette", "FILE")
      .help("The cassette whose requests the flow makes (default: the shipped shop)."),
    Flag("--depth", "N", "Things that go wrong at once: 1 to \(SearchPlan.depthMax) (default: 2)."),
    Flag("--budget", "T", "Time after which no further fault set is flown (default: 5m)."),
    Flag("--fault-sets", "N", "Fault sets at most; each search of a seed then flies the same."),
    Flag("--orders", "N", "Orders of turns in which the flow is flown in calm (default: 100)."),
    Flag("--orders-of-singles", "N", "The same for each fault set of one thing (default: 4)."),
    Flag("--finds", "N", "Finds with which the search ends (default: 100)."),
    Flag("--exactly-once", "REQUEST")
      .help("A request that is done once whatever comes, such as a POST."),
    Flag("--allow", "RULE", "A rule that the client may break. May be repeated."),
    Flag("--workers", "N", "Threads; nothing found depends on it (default: the processors)."),
    Flag("--restarts", nil, "The client's process ends, too, and the flow begins anew."),
    Flag("--timeout", "T", "Time that a call may take (default: 20s)."),
    Flag("--seed", "N", "Seed of all random draws (default: 1)."),
    Flag("--gate", "EXPR", "A bar, such as \"searchedDepth >= 2\" (default: \"finds == 0\")."),
    Flag("--baseline", "FILE", "An earlier certificate, for \"newFinds == 0\"."),
    Flag("--report", "FILE", "Write the certificate: .json or .txt. May be repeated."),
    Flag("--scenarios", "DIR", "Write each find as a scenario's file."),
    Flag("--json", nil, "Print the certificate as JSON."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let cassette = try arguments.value("--cassette").map {
      try CassetteFile.readToPlay(URL(typed: $0))
    }
    let gates = try arguments.all("--gate").map { text in
      do { return try SearchGate(text) } catch {
        throw Refusal.value("--gate", text, shouldBe: "a bar such as \"finds == 0\"")
      }
    }
    if gates.contains(where: { $0.needsBaseline }), !arguments.has("--baseline") {
      throw Refusal.missing("--baseline", "the certificate that newFinds is counted from")
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
        // A find is printed when it is made, also if standard error is no terminal.
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
      throw Refusal.choice("--allow", name, among: known.sorted())
    }
    return plan
  }

  /// A gate that failed is the worst, unless the client crashed or hung.
  private static func code(of certificate: SearchReport, _ gates: [SearchGate]) -> ExitCode {
    let failed = gates.filter { $0.isMet(by: certificate) != true }
    for gate in failed { Terminal.complain("windtunnel: gate \"\(gate)\" failed\n") }
    let fell = certificate.finds.contains {
      [FindingRule.hangs.id, FindingRule.crashes.id].contains($0.violation.rule)
    }
    return failed.isEmpty ? .done : fell ? .fell : .gateFailed
  }
}

/// The files that a certificate is written to, and those of its finds.
private struct CertificateFiles {
  private let files: [(file: URL, form: String)]
  private let directory: URL?

  /// Reads the flags, and refuses now what could not be written later.
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
