/// `record --mode verify`: compares a cassette with the live server.
enum Verification {
  /// Refuses the flags that only this mode supports.
  static func refuseFlags(of arguments: Arguments) throws(CommandError) {
    let flags = ["--secret", "--unsafe", "--login", "--json"].filter { arguments.has($0) }
    if let flag = flags.first { throw .usage("\(flag) needs --mode verify.") }
  }

  private static func refuseOthers(of arguments: Arguments) throws(CommandError) {
    guard arguments.command.isEmpty else {
      throw .usage("--mode verify sends the requests itself and runs no command.")
    }
    let foreign = [
      IgnoredHost.name, "--port", "--tls", "--ca-out", "--connections-max", "--idle-seconds",
      "--request-seconds", "--dates", Flag.keepEncodings.name, Flag.adminPort.name, MatchFlag.name,
    ]
    if let flag = foreign.first(where: { arguments.has($0) }) {
      throw .usage("--mode verify records nothing and does not accept \(flag).")
    }
  }

  private static func secrets(_ arguments: Arguments) throws(CommandError) -> [String: String] {
    let environment = ToolEnvironment.current.variables
    var secrets: [String: String] = [:]
    for word in arguments.all("--secret") {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw .value("--secret", word, shouldBe: "NAME=ENV, such as authorization=API_TOKEN")
      }
      guard let value = environment[parts[1]], !value.isEmpty else {
        throw .usage("--secret \(word): the environment variable \(parts[1]) is not set.")
      }
      // A line break in a header field would allow request injection.
      guard !value.utf8.contains(where: { $0 < 0x20 }) else {
        throw .usage("--secret \(word): the value of \(parts[1]) has more than one line.")
      }
      secrets[parts[0]] = value
    }
    return secrets
  }

  static func run(_ arguments: Arguments, _ order: RecordOrder) async throws -> ExitCode {
    try refuseOthers(of: arguments)
    let secrets = try secrets(arguments)
    let cassette = try CassetteFile.read(order.file)
    try refuseIdle(secrets.keys.sorted(), cassette, order.path)
    var verifier = Verifier(try order.server())
    verifier.recordedOrigin = order.origin
    verifier.secrets = secrets
    (verifier.asksUnsafe, verifier.logsIn) = (arguments.has("--unsafe"), arguments.has("--login"))
    (verifier.redaction, verifier.volatile) = (order.redaction, order.volatile)
    verifier.advice = { " (pass --secret \($0)=ENV)" }
    verifier.limits = order.limits
    verifier.limits.requestLineBytesMax = Limits.upstream.requestLineBytesMax
    if arguments.has("--response-seconds") {
      verifier.timeout = .seconds(order.limits.responseSeconds)
    }
    let drift = try await verifier.verify(cassette)
    arguments.answer("\(drift)", json: drift.data)
    if !drift.isEmpty { return .drift }
    guard drift.entries.count == drift.skipped.count else { return .done }
    let count = drift.entries.count
    let reason =
      switch count {
      case 0: "\(order.path) is empty"
      case 1: "the one interaction was skipped"
      default: "all \(count) interactions were skipped"
      }
    // Skipped interactions are neither drift nor proof of anything.
    Terminal.complain("Nothing was compared: \(reason).\n")
    return .inconclusive
  }

  /// Refuses a secret that matches nothing: its name is misspelt, and its interactions would be
  /// skipped.
  private static func refuseIdle(
    _ given: [String],
    _ cassette: Cassette,
    _ path: String
  ) throws(CommandError) {
    guard !given.isEmpty else { return }
    let (names, all) = Secrets.names(in: cassette.interactions)
    guard let idle = given.first(where: { !all.contains(Secrets.name($0)) }) else { return }
    let (name, known) = (Secrets.name(idle), names.sorted())
    let there = known.isEmpty ? "nothing redacted" : known.joined(separator: ", ")
    throw .usage(
      "--secret \(idle): no request in \(path) has a REDACTED-\(name)-N; "
        + "it has \(there).\(CommandError.didYouMean(name, among: known))"
    )
  }
}
