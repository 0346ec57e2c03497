/// `record --mode verify`: holds a cassette against the live server.
struct Verification {
  private let order: RecordOrder
  private let secrets: [String: String]
  private let asksUnsafe: Bool
  private let logsIn: Bool
  private let tellsJSON: Bool
  /// The longest time that an answer may take, where that was said.
  private let responseSeconds: Double?

  /// Refuses what only this mode understands.
  static func refuseFlags(of arguments: Arguments) throws(Refusal) {
    let flags = ["--secret", "--unsafe", "--login", "--json"].filter { arguments.has($0) }
    if let flag = flags.first { throw .usage("\(flag) belongs to --mode verify.") }
  }

  init(_ arguments: Arguments, _ order: RecordOrder) throws(Refusal) {
    guard arguments.command.isEmpty else {
      throw .usage("--mode verify asks the server itself and runs no command.")
    }
    let foreign = [
      IgnoredHost.name, "--port", "--tls", "--ca-out", "--connections-max", "--idle-seconds",
      "--request-seconds", "--dates", EncodingsFlag.name, AdminFlag.name, MatchFlag.name,
    ]
    let flags = foreign.filter { arguments.has($0) }
    if let flag = flags.first {
      throw .usage("--mode verify records nothing and takes no \(flag).")
    }
    self.order = order
    responseSeconds = arguments.has("--response-seconds") ? order.limits.responseSeconds : nil
    (asksUnsafe, logsIn) = (arguments.has("--unsafe"), arguments.has("--login"))
    tellsJSON = arguments.has("--json")
    secrets = try Self.secrets(arguments, ToolEnvironment.current.variables)
  }

  private static func secrets(
    _ arguments: Arguments,
    _ environment: [String: String]
  ) throws(Refusal) -> [String: String] {
    var secrets: [String: String] = [:]
    for word in arguments.all("--secret") {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw .value("--secret", word, shouldBe: "NAME=ENV, such as authorization=API_TOKEN")
      }
      guard let value = environment[parts[1]], !value.isEmpty else {
        throw .usage("--secret \(word): there is no \(parts[1]) in the environment.")
      }
      // Whoever could break a field's line could write a request.
      guard !value.utf8.contains(where: { $0 < 0x20 }) else {
        throw .usage("--secret \(word): what \(parts[1]) holds is more than one line.")
      }
      secrets[parts[0]] = value
    }
    return secrets
  }

  func run() async throws -> ExitCode {
    let cassette = try CassetteFile.read(order.file)
    try refuseIdle(secrets.keys.sorted(), cassette)
    var verifier = Verifier(try order.server())
    verifier.recordedOrigin = order.origin
    verifier.secrets = secrets
    (verifier.asksUnsafe, verifier.logsIn) = (asksUnsafe, logsIn)
    (verifier.redaction, verifier.volatile) = (order.redaction, order.volatile)
    verifier.advice = { " (--secret \($0)=ENV gives one)" }
    verifier.limits = order.limits
    verifier.limits.requestLineBytesMax = Limits.upstream.requestLineBytesMax
    if let responseSeconds { verifier.timeout = .seconds(responseSeconds) }
    let drift = try await verifier.verify(cassette)
    if tellsJSON {
      Terminal.answer(json: drift.data)
    } else {
      Terminal.answer("\(drift)")
    }
    if !drift.isEmpty { return .drift }
    guard drift.entries.count == drift.skipped.count else { return .done }
    let count = drift.entries.count
    let reason =
      switch count {
      case 0: "there is nothing on \(order.path)"
      case 1: "the one interaction was skipped"
      default: "all \(count) interactions were skipped"
      }
    // What cannot be asked is no drift, and no proof of anything.
    Terminal.complain("Nothing was compared: \(reason).\n")
    return .inconclusive
  }

  /// A secret that fits nothing is a name misspelt, and what it was meant for would be skipped.
  private func refuseIdle(_ given: [String], _ cassette: Cassette) throws(Refusal) {
    guard !given.isEmpty else { return }
    let (names, all) = Secrets.names(in: cassette.interactions)
    guard let idle = given.first(where: { !all.contains(Secrets.name($0)) }) else { return }
    throw .idleSecret(idle, order.path, names.sorted())
  }
}
