/// The task of `windtunnel mutate`, read off the command line.
struct MutateOrder {
  let command: ClientCommand
  /// Whether it is `swift test`.
  let isSwiftTest: Bool
  /// The words behind `windtunnel mutate`, without flags of this run alone.
  let words: [String]
  let plan: MutationPlan
  /// The cassette that is played at a port; `nil`: the tests play theirs themselves.
  let cassette: URL?
  let matcher: Matcher
  let isProxied: Bool
  /// The JUnit XML that the command writes.
  let junit: URL?
  /// The time after which a mutant counts as hung; `nil`: it follows from runs without one.
  let timeout: Duration?
  let log: URL?
  /// The file of accepted blind spots, and its contents.
  let accepted: (file: URL, survivors: AcceptedSurvivors)
  /// The reason to accept every blind spot; `nil` to accept no blind spot.
  let reason: String?
  let reports: [(file: URL, form: String)]

  private static let acceptedBytesMax = 16 << 20
  private static let forms = ["html", "json"]
  /// The flags that the command line to repeat a part of the run has, too.
  private static let kept = ["--cassette", MatchFlag.name, "--junit", "--accepted"]

  init(_ arguments: Arguments) throws {
    guard let name = arguments.command.first else {
      throw Refusal.missing("The command that runs the tests", "windtunnel mutate -- swift test")
    }
    isSwiftTest = name.hasSuffix("swift") && arguments.command.dropFirst().first == "test"
    command = try ClientCommand(arguments.command)
    cassette = try arguments.value("--cassette").map { URL(typed: $0) }
    isProxied = arguments.has("--proxy")
    for flag in [MatchFlag.name, "--proxy", "--junit"] where arguments.has(flag) && cassette == nil
    {
      throw Refusal.usage("\(flag) needs --cassette, which is played to any command.")
    }
    matcher = try MatchFlag.matcher(arguments, over: isProxied ? .url : .pathAndQuery)
    junit = try arguments.value("--junit").map { URL(typed: $0) }
    if let junit, FileManager.default.fileExists(atPath: junit.path),
      (try? JUnitResults.read(junit)) == nil
    {
      let name = junit.relativePath
      throw Refusal.usage(
        "--junit would replace \(name), which is no JUnit XML: name another file."
      )
    }
    let names = MutationOperator.all.map(\.name)
    let unknown = arguments.all("--fault").first { !names.contains($0) }
    if let unknown { throw Refusal.choice("--fault", unknown, among: names) }
    var plan = MutationPlan(operators: arguments.has("--fault") ? arguments.all("--fault") : nil)
    (plan.seed, plan.budget) = (try arguments.seed(), try arguments.duration("--budget"))
    plan.only = try arguments.patterns("--only")
    self.plan = plan
    timeout = try arguments.duration("--timeout")
    log = try arguments.value("--log").map { URL(typed: $0) }
    let file = URL(typed: try arguments.value("--accepted") ?? "mutate.json")
    accepted = (file, try Self.survivors(file))
    reason = try arguments.value("--reason")
    guard arguments.has("--accept") == (reason != nil) else {
      throw Refusal.usage("--accept and --reason TEXT go together: a blind spot needs a reason.")
    }
    if reason != nil { try FileError.probeWriting(to: file) }
    reports = try arguments.files("--report", endingIn: Self.forms) { form in
      Self.forms.first { $0 == form }
    }
    words =
      Self.kept.flatMap { flag in arguments.all(flag).flatMap { [flag, $0] } }
      + (isProxied ? ["--proxy"] : []) + ["--"] + arguments.command
  }

  private static func survivors(_ file: URL) throws -> AcceptedSurvivors {
    guard FileManager.default.fileExists(atPath: file.path) else { return AcceptedSurvivors() }
    let data = try FileError.reading(file, bytesMax: acceptedBytesMax)
    return try AcceptedSurvivors(data: data, source: file.relativePath)
  }
}
