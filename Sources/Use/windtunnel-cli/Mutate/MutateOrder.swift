/// The task of `windtunnel mutate`, read from the command line.
struct MutateOrder {
  private(set) var command: ClientCommand
  /// Whether the command is `swift test`.
  private(set) var isSwiftTest: Bool
  /// The arguments of `windtunnel mutate`, without flags of this run alone.
  let words: [String]
  let plan: MutationPlan
  /// The cassette that is played on a port; `nil` if the tests play their own.
  let cassette: URL?
  let matcher: Matcher
  let isProxied: Bool
  /// The JUnit XML that the command writes.
  let junit: URL?
  /// The time after which a mutant counts as hung; `nil` to derive it from runs without one.
  let timeout: Duration?
  let log: URL?
  /// The file of accepted blind spots, with its contents.
  let accepted: (file: URL, survivors: AcceptedSurvivors)
  /// The reason to accept every blind spot; `nil` to accept none.
  let reason: String?
  let reports: [(file: URL, form: String)]

  private static let acceptedBytesMax = 16 << 20
  private static let forms = ["html", "json"]
  /// The flags that are kept in the command line for repeating a part of the run.
  private static let kept = ["--cassette", MatchFlag.name, "--junit", "--accepted"]

  init(_ arguments: Arguments) throws {
    guard let name = arguments.command.first else {
      throw CommandError.missing(
        "The command that runs the tests",
        "windtunnel mutate -- swift test"
      )
    }
    isSwiftTest = name.hasSuffix("swift") && arguments.command.dropFirst().first == "test"
    command = try ClientCommand(arguments.command)
    cassette = try arguments.value("--cassette").map { URL(typed: $0) }
    isProxied = arguments.has("--proxy")
    for flag in [MatchFlag.name, "--proxy", "--junit"] where arguments.has(flag) && cassette == nil
    {
      throw CommandError.usage("\(flag) needs --cassette, the cassette to play to the command.")
    }
    matcher = try MatchFlag.matcher(arguments, over: isProxied ? .url : .pathAndQuery)
    junit = try arguments.value("--junit").map { URL(typed: $0) }
    if let junit, FileManager.default.fileExists(atPath: junit.path),
      (try? JUnitResults.read(junit)) == nil
    {
      let name = junit.relativePath
      throw CommandError.usage(
        "--junit would overwrite \(name), which is not JUnit XML. Name another file."
      )
    }
    let names = MutationOperator.all.map(\.name)
    let unknown = arguments.all("--fault").first { !names.contains($0) }
    if let unknown { throw CommandError.choice("--fault", unknown, among: names) }
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
      throw CommandError.usage("--accept and --reason TEXT need each other: state a reason.")
    }
    if reason != nil { try FileError.probeWriting(to: file) }
    reports = try arguments.files("--report", endingIn: Self.forms) { form in
      Self.forms.first { $0 == form }
    }
    words =
      Self.kept.flatMap { flag in arguments.all(flag).flatMap { [flag, $0] } }
      + (isProxied ? ["--proxy"] : []) + ["--"] + arguments.command
  }

  /// Replaces the command by a program that it has started.
  mutating func start(_ program: ClientCommand) { (command, isSwiftTest) = (program, false) }

  private static func survivors(_ file: URL) throws -> AcceptedSurvivors {
    guard FileManager.default.fileExists(atPath: file.path) else { return AcceptedSurvivors() }
    let data = try FileError.reading(file, bytesMax: acceptedBytesMax)
    return try AcceptedSurvivors(data: data, source: file.relativePath)
  }
}
