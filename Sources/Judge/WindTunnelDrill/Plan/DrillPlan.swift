public import Foundation
package import WindTunnelServer
public import WindTunnelSymptoms
package import WindTunnelVirtualTime

/// The plan of a drill: the scenarios, the clients and their calls.
public struct DrillPlan: Sendable {
  /// The cassette with the responses to the calls.
  public var cassette: Cassette
  /// The cassette's file, which may have side files. `nil` if it was not read from a file.
  public var cassetteFile: URL?
  /// The scenarios, run one after the other.
  public var scenarios: [Scenario]
  /// The names of the clients. The first client is judged, and the others are for comparison.
  public var subjects: [String]
  /// The clients that the plan can name.
  var clients: [PlannedClient] = []
  /// Whether the other clients are compared with the judged client, call by call.
  public var comparesSubjects = false
  /// The number of calls that a client makes in each scenario. `nil` means the scenario's number,
  /// or ``standardCalls`` if it has none.
  public var calls: Int?
  /// The part of the calls that this machine makes. `nil` means all calls.
  public var shard: Shard?
  /// The times at which the calls begin.
  public var load = Load.standard
  /// The weights of the requests among the calls.
  public var mix = Mix()
  /// The query parameters that are ignored when requests are compared, such as parameters that a
  /// client adds to every query.
  public var ignoredQuery: [NamePattern] = []
  /// The critical requests: screens (GET and HEAD) and actions. If empty, these are the requests
  /// that the cassette or a scenario marks as critical, or every GET and HEAD if there are none.
  public var critical: [RequestPattern] = []
  /// The command, with its arguments, that the client `exec` starts for each call. The placeholders
  /// `{url}`, `{base}`, `{origins}`, `{kept}`, `{method}`, `{body}` and `{call}` have the values of
  /// the call, and `{ca}` is the file of the run's certificate authority. A command without a
  /// placeholder of a call is started once and receives each call as a line of JSON.
  public var command: [String] = []
  /// The time that a call may take. `nil` means the scenario's deadline, or ``standardDeadline`` if
  /// it has none.
  public var deadline: Duration?
  /// The maximum time that one attempt may wait without receiving a byte.
  public var attemptTimeout = Duration.seconds(5)
  /// The seed of all random draws.
  public var seed: UInt64 = 1
  /// The stage of the drill. `nil` means the wire if real faults are possible, else in process.
  public var stage: Stage?
  /// The versions of HTTP that the servers of a drill on the wire speak.
  package var httpVersions = HTTPVersions.any
  /// The clock that the drill runs by.
  public var time = DrillClock.realTime
  /// The number of threads that run in virtual time at once. No result depends on it.
  var workers = 1
  /// The order of work that becomes ready at the same instant of virtual time.
  package var order = TurnOrder.arrival
  /// The time after which a call counts as hung. `nil` means a time derived from the deadline.
  package var patience: Duration?
  /// The platform whose errors the faults produce in process.
  public var errors = Symptom.Platform.current
  /// The gates in addition to the scenarios' own. A prefix selects the scenarios of a gate. A gate
  /// without a prefix applies to each scenario in which calls can succeed.
  public var gates: [Gate] = []
  /// The bars that the judged client must clear, such as `Bars.mobile`. `nil` means no bars.
  public var bars: Bars?
  /// The rules of findings that may be broken, in addition to the rules that a scenario allows.
  public var allowed: [AllowedRule] = []

  /// The request of each call of the judged client, on the stage where the client runs by default.
  var workload: Workload {
    let isInProcess = stage == .inProcess || !usesProcesses
    return workload(of: subjects.first ?? "", on: isInProcess ? .inProcess : .onTheWire)
  }

  /// Returns the request of each call of a client on a stage.
  func workload(of subject: String, on stage: Stage, in scenario: Scenario? = nil) -> Workload {
    Workload(
      cassette,
      mix: asked,
      seed: seed,
      matcher: matcher,
      holdingConversations: isProgram
        || client(named: subject)?.conversationStages.contains(stage) == true,
      coveringAllBy: scenario.flatMap { coveringCalls(in: $0) }
    )
  }

  /// Returns the number of calls that cover all requests; `nil` in a scenario with faults.
  func coveringCalls(in scenario: Scenario) -> Int? {
    scenario.hasNoFaults ? calls(in: scenario) : nil
  }

  /// Returns the client with a name, or `nil` if it is not among ``clients``.
  private func client(named name: String) -> PlannedClient? { clients.first { $0.name == name } }

  /// The first client that sends by sockets of its own, or `nil` if there is none.
  var subjectOnSockets: String? {
    subjects.first { client(named: $0)?.hasOwnSockets == true }
  }

  /// The plan without comparison clients that support no request of the cassette.
  var withoutIdleSubjects: DrillPlan {
    var plan = self
    plan.subjects = subjects.enumerated().filter { place, subject in
      place == 0 || !workload(of: subject, on: .onTheWire).isEmpty
    }.map(\.element)
    return plan
  }

  /// The parts by which requests are compared.
  package var matcher: Matcher { Self.matcher(of: cassette, ignoring: ignoredQuery) }

  /// Returns the parts by which requests for a cassette are compared.
  static func matcher(of cassette: Cassette, ignoring query: [NamePattern]) -> Matcher {
    var matcher = Matcher.pathAndQuery
    matcher.ignoredQuery = query
    // The query of a start request contains facts of the launch, or a value that prevents caching.
    // It therefore differs for each launch.
    matcher.pathsWithoutQuery = cassette.startup?.paths ?? []
    return matcher
  }

  /// The mix, limited to `GET` requests if the command cannot receive a method.
  var asked: Mix {
    let isToldMethod = command.contains { CallPlaceholders.has($0, "method") }
    return Mix(mix.shares, isReadOnly: mix.isReadOnly || isProgramACall && !isToldMethod)
  }

  /// The endpoints that are not called because the command has no `{method}`; empty if all are.
  var uncalled: String {
    guard asked.isReadOnly, !mix.isReadOnly else { return "" }
    let all = Workload(cassette, mix: mix, matcher: matcher, holdingConversations: true).all
    return Self.list(all.filter { $0.method != "GET" }.map(\.endpointName))
  }

  /// The number of the only call to make. `nil` means all calls. The call meets the same faults as
  /// in the whole drill.
  public var onlyCall: Int?

  /// Returns the number of calls that a client makes in a scenario.
  func calls(in scenario: Scenario) -> Int { calls ?? scenario.calls ?? Self.standardCalls }

  /// Returns the numbers of a scenario's calls that this machine makes.
  func numbers(in scenario: Scenario) -> [Int] {
    if let onlyCall { return [onlyCall] }
    let calls = calls(in: scenario)
    return shard?.calls(of: calls) ?? Array(0..<calls)
  }

  /// Returns the time that a call may take in a scenario.
  package func deadline(in scenario: Scenario) -> Duration {
    deadline ?? scenario.deadline ?? Self.standardDeadline
  }

  /// Returns the maximum time that one attempt may stay silent in a scenario. A client without its
  /// own deadline ends an attempt only by this time.
  func attemptTimeout(in scenario: Scenario) -> Duration {
    min(attemptTimeout, deadline(in: scenario))
  }

  /// Whether programs begin as often as this machine can start them, as measured in `calm`, with
  /// the load as the maximum. If `false`, the load is fixed.
  var followsCalm = false
  /// The number of programs that this machine starts per second, as measured in `calm`.
  var shownStarts: Double?
  /// The calls without faults that ran before the drill, because all its scenarios have faults.
  var trial: [Observation] = []

  /// Whether such calls are needed to judge times. Recorded conversations are an exception: a
  /// conversation lasts as long as its recording, which is not the time that a call takes.
  var needsTrial: Bool {
    subjects.first == Self.execSubject && onlyCall == nil && !isInWorlds
      && !scenarios.contains(where: \.hasNoFaults)
      && !cassette.interactions.contains(where: \.isConversation)
  }

  /// The selected scenarios that cannot run.
  var leftOut: [LeftOut] = []
  /// The age of the scenario at the first attempt. `nil` means that it begins with the attempt.
  var elapsed: Duration?

  /// Whether the plan is for a program. A program can receive the file of the certificate
  /// authority, but `URLSession` code on Linux cannot. A program can also be started in another
  /// network namespace.
  var isProgram: Bool { !command.isEmpty }

  /// Whether clients run in processes of their own. Programs always do.
  var usesProcesses: Bool { time == .realTime || isProgram }

  /// Whether each scenario runs in a world of its own: a process in virtual time, with all programs
  /// that it starts.
  var isInWorlds: Bool { time == .virtualTime && isProgram }

  /// Whether the plan is for a program that is started once for each call.
  var isProgramACall: Bool { isProgram && !command.isService }

  /// A scenario that does not run, and the reason.
  struct LeftOut: Sendable, Hashable {
    /// The name in the report.
    var name: String
    /// The sentence of the error if this were the only scenario.
    var reason: String
  }

  /// Creates a plan without clients.
  init(_ cassette: Cassette, in scenarios: [Scenario]) {
    self.cassette = cassette
    self.scenarios = scenarios
    subjects = []
  }

  /// The maximum number of calls that one client makes in one scenario.
  public static let callsMax = Scenario.callsMax
  /// The number of calls in a scenario that does not state one.
  public static let standardCalls = 60
  /// The time that a call may take in a scenario that does not state one.
  public static let standardDeadline = Duration.seconds(20)
  /// The name of the client that is an external program.
  public static let execSubject = "exec"

  /// Throws if the plan cannot run, regardless of how it was created.
  func validate() throws(DrillError) {
    let known = clients.map(\.name)
    for name in subjects where !known.contains(name) {
      throw .plan("There is no client \"\(name)\"; there are \(known.joined(separator: ", ")).")
    }
    guard !subjects.isEmpty else { throw .plan("There is no client to judge.") }
    guard !scenarios.isEmpty else { throw .plan("There is no scenario to run.") }
    guard !cassette.interactions.isEmpty else {
      throw .plan("The cassette has no interactions, so there is nothing to call.")
    }
    if let startup = try RecordedStartup(cassette) {
      for state in scenarios.compactMap(\.startup) { try startup.refuseExpired(in: state) }
    }
    if let calls, !(1...Self.callsMax ~= calls) {
      throw .plan("\(calls) calls: a client makes 1 to \(Self.callsMax) in a scenario.")
    }
    if let flaw = load.flaw { throw .plan(flaw) }
    if let onlyCall {
      for calls in scenarios.map(calls(in:)) where !(0..<calls).contains(onlyCall) {
        throw .plan("There is no call \(onlyCall) among \(calls), which are counted from 0.")
      }
    }
    guard !workload.isEmpty else {
      if !isProgram, cassette.interactions.allSatisfy(\.isConversation) {
        throw .plan("The cassette has only WebSocket conversations. Use drill -- PROGRAM.")
      }
      throw .plan("No recorded request can be called: every request has the weight 0.")
    }
    var names: Set<String> = []
    for scenario in scenarios where !names.insert(scenario.name).inserted {
      throw .plan(
        "Two scenarios are called \"\(scenario.name)\", but a report needs distinct names."
      )
    }
    try refuseWhatNothingIs()
    try refuseUnknownRules()
    guard subjects.contains(Self.execSubject) == !command.isEmpty else {
      throw .plan("--subject exec requires a command, and a command requires --subject exec.")
    }
    try refuseBodiesOfNoText()
    let longest = Duration.seconds(86_400)
    guard .milliseconds(1)...longest ~= deadline ?? Self.standardDeadline,
      .milliseconds(1)...longest ~= attemptTimeout
    else { throw .plan("The time limit of a call or an attempt is from a millisecond to a day.") }
  }

  /// Throws if a weight or a gate is for a request that no call makes. Such a weight has no effect,
  /// and such a gate cannot be judged with any number of calls. Also throws if a gate applies to no
  /// scenario.
  private func refuseWhatNothingIs() throws(DrillError) {
    let recorded = cassette.interactions.map(\.request)
    for share in mix.shares where !recorded.contains(where: { share.request.matches($0) }) {
      throw .plan(
        "--mix \(share.text): the cassette has no \(share.request). It has "
          + "\(Self.list(recorded.map(\.endpointName)))."
      )
    }
    try refuseUnknownCritical(among: recorded)
    let called = workload.all
    do throws(GateError) {
      for gate in scenarios.flatMap(\.gates) { try gate.checkAsOwn() }
      for gate in gates { try gate.check(against: scenarios.gateSites) }
    } catch {
      throw .plan("\(error)")
    }
    for gate in gates where !called.contains(where: { gate.isAbout($0) }) {
      let why =
        asked.isReadOnly && !mix.isReadOnly
        ? " A program whose command has no {method} receives only the GETs." : ""
      throw .plan(
        "gate \"\(gate)\": no call matches this request. There are "
          + "\(Self.list(called.map(\.endpointName))).\(why)"
      )
    }
  }

  /// Throws if the plan is a program in virtual time.
  func refuseWorlds() throws(DrillError) {
    guard isInWorlds else { return }
    throw .plan("Only windtunnel drill runs programs in virtual time. Omit --clock virtual.")
  }

  /// Throws if the plan allows an unknown rule, because its name is misspelled.
  private func refuseUnknownRules() throws(DrillError) {
    for rule in scenarios.flatMap(\.allowed) + allowed where FindingRule.named(rule.rule) == nil {
      throw .plan(
        "There is no rule \"\(rule.rule)\" to allow; windtunnel rules list has all of them."
      )
    }
  }

  private static let listedMax = 10

  static func list(_ names: [String]) -> String {
    var seen: Set<String> = []
    let all = names.filter { seen.insert($0).inserted }
    return all.prefix(listedMax).joined(separator: ", ") + (all.count > listedMax ? ", …" : "")
  }

  /// Throws if the command has `{body}` but a recorded body cannot be a word of a command.
  private func refuseBodiesOfNoText() throws(DrillError) {
    guard command.contains(where: { $0.contains("{body}") }) else { return }
    for request in workload.all where request.bodyForPrograms == nil {
      throw .plan(
        "{body} cannot be filled in for \(request.method) \(request.url.withoutSecrets): the "
          + "recorded body is not text of at most \(Request.programBytesMax) bytes."
      )
    }
  }
}

/// The clocks that a drill can run by.
public enum DrillClock: Sendable, Hashable {
  /// The clock of the machine.
  case realTime
  /// A clock that advances only when no work is ready: hours take seconds, and the same seed gives
  /// the same run to the instant. For Swift code in process that awaits tasks and clocks.
  case virtualTime
}

/// The error of a drill whose plan cannot be carried out or whose harness failed.
public enum DrillError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The plan asks for something that does not exist or is impossible.
  case plan(String)
  /// The harness itself failed.
  case harness(String)
  /// The client makes no request that can be judged.
  case client(String)

  /// The error in a sentence.
  public var description: String {
    switch self {
    case .plan(let problem), .client(let problem): problem
    case .harness(let problem): "The drill failed: \(problem)."
    }
  }
}

// The parts of a recorded request that a program receives in its command and its environment.
extension Request {
  /// The maximum size in bytes of a word of a command or a variable on Linux (MAX_ARG_STRLEN is 128
  /// KiB).
  fileprivate static let programBytesMax = 100 << 10

  /// The body, or `nil` if it is not text that a word of a command can contain.
  var bodyForPrograms: String? {
    guard body.count <= Self.programBytesMax, let text = body.text, !text.utf8.contains(0) else {
      return nil
    }
    return text
  }

  /// The header fields that a client sets. The fields of the connection and the content's length
  /// (RFC 9110 §7.6.1) belong to its library and are excluded.
  package var fieldsOfClient: [(name: String, value: String)] {
    headers.map { ($0.name, $0.value) }.filter { field in
      !Self.transportFields.contains(field.0.lowercased())
        && !field.1.utf8.contains { $0 < 0x20 && $0 != 0x09 }
    }
  }

  /// The same fields, one `Name: value` per line, without fields that do not fit into a variable.
  var fieldsForPrograms: String {
    var text = ""
    for field in fieldsOfClient {
      let line = "\(field.name): \(field.value)\n"
      if text.utf8.count + line.utf8.count <= Self.programBytesMax { text += line }
    }
    return text
  }

  private static let transportFields: Set<String> = [
    "host", "content-length", "connection", "keep-alive", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade", "expect",
  ]
}
