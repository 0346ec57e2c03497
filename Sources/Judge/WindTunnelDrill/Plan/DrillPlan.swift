public import Foundation
public import WindTunnel
public import WindTunnelSymptoms
package import WindTunnelVirtualTime

/// The plan of a drill: scenarios × subjects × calls.
public struct DrillPlan: Sendable {
  /// The cassette that answers the calls.
  public var cassette: Cassette
  /// The cassette's file, which may have side files; `nil` for a cassette that was never in one.
  public var cassetteFile: URL?
  /// The scenarios, one after the other.
  public var scenarios: [Scenario]
  /// The names of the subjects; the first is judged, the others are yardsticks.
  public var subjects: [String]
  /// The clients that ``subjects`` can name.
  var clients: [PlannedClient] = []
  /// Tells whether the other subjects are compared with the judged one, call by call.
  public var comparesSubjects = false
  /// The number of calls that a subject makes in each scenario; `nil`: the scenario's number, else
  /// ``standardCalls``.
  public var calls: Int?
  /// The part of the calls that this machine makes; `nil`: all.
  public var shard: Shard?
  /// The times at which the calls begin.
  public var load = Load.standard
  /// The weights of the requests among the calls.
  public var mix = Mix()
  /// The query parameters that no request is compared by, such as those that a client adds to every
  /// query.
  public var ignoredQuery: [NamePattern] = []
  /// The requests that a person needs: screens (GET and HEAD) and actions. Empty: those that the
  /// cassette or a scenario calls critical, else every GET and HEAD.
  public var critical: [RequestPattern] = []
  /// The program that the subject `exec` starts for each call, with its arguments. In them `{url}`,
  /// `{base}`, `{origins}`, `{kept}`, `{method}`, `{body}` and `{call}` stand for those of the
  /// call, and `{ca}` for the file of the authority that issues the run's certificates. Without a
  /// placeholder of a call's own, the program is started once and gets each call as a line of JSON.
  public var command: [String] = []
  /// The time that a call may take; `nil`: the scenario's deadline, else ``standardDeadline``.
  public var deadline: Duration?
  /// The time for which one attempt may wait without receiving a byte.
  public var attemptTimeout = Duration.seconds(5)
  /// The seed of all random draws.
  public var seed: UInt64 = 1
  /// The stage of the drill; `nil`: the wire where the faults can be made for real, else in
  /// process.
  public var stage: Stage?
  /// The time in which it is flown.
  public var time = DrillClock.realTime
  /// The number of threads that fly in virtual time at once; no figure depends on it.
  var workers = 1
  /// The order in which what is ready at one instant of virtual time has its turn.
  package var order = TurnOrder.arrival
  /// The time after which a call hangs; `nil`: by its deadline.
  package var patience: Duration?
  /// The platform whose errors faults surface as in process.
  public var errors = Symptom.Platform.current
  /// The gates besides the scenarios' own. A prefix chooses the scenarios of a gate; without one it
  /// is held in each scenario in which calls can succeed.
  public var gates: [Gate] = []
  /// The bars that the judged client must clear, such as `Bars.mobile`; `nil`: none.
  public var bars: Bars?
  /// The rules of findings that may be broken in any scenario, beside those that a scenario allows.
  public var allowed: [AllowedRule] = []

  /// The request that each call of the judged subject makes, where it is flown as it is by itself.
  var workload: Workload {
    let isInProcess = stage == .inProcess || !usesProcesses
    return workload(of: subjects.first ?? "", on: isInProcess ? .inProcess : .onTheWire)
  }

  /// Returns the request that each call of a subject makes on a stage.
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

  /// The number of calls that make each request at least once; `nil` in a scenario with faults.
  func coveringCalls(in scenario: Scenario) -> Int? {
    scenario.hasNoFaults ? calls(in: scenario) : nil
  }

  /// Returns the client of a name; `nil` if it is not among ``clients``.
  private func client(named name: String) -> PlannedClient? { clients.first { $0.name == name } }

  /// The first subject that sends by sockets of its own; `nil` if there is none.
  var subjectOnSockets: String? {
    subjects.first { client(named: $0)?.hasOwnSockets == true }
  }

  /// The same without subjects beside the judged one that nothing on the cassette is for.
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
    // The facts of a launch are others at each, and so is what keeps a probe out of caches.
    matcher.pathsWithoutQuery = cassette.startup?.paths ?? []
    return matcher
  }

  /// The mix, without what a program cannot be told to do.
  var asked: Mix {
    let isToldMethod = command.contains(where: CallPlaceholders.namesMethod)
    return Mix(mix.shares, isReadOnly: mix.isReadOnly || isProgramACall && !isToldMethod)
  }

  /// The endpoints that are not called because the command has no `{method}`; empty if all are.
  var uncalled: String {
    guard asked.isReadOnly, !mix.isReadOnly else { return "" }
    let all = Workload(cassette, mix: mix, matcher: matcher, holdingConversations: true).all
    return Self.list(all.filter { $0.method != "GET" }.map(\.endpointName))
  }

  /// The number of the only call to make; `nil`: all. The call meets the same faults as among the
  /// others.
  public var onlyCall: Int?

  /// Returns the number of calls that a subject makes in a scenario.
  func calls(in scenario: Scenario) -> Int { calls ?? scenario.calls ?? Self.standardCalls }

  /// Returns the numbers of a scenario's calls that are flown here.
  func numbers(in scenario: Scenario) -> [Int] {
    if let onlyCall { return [onlyCall] }
    let calls = calls(in: scenario)
    return shard?.calls(of: calls) ?? Array(0..<calls)
  }

  /// Returns the time that a call may take in a scenario.
  package func deadline(in scenario: Scenario) -> Duration {
    deadline ?? scenario.deadline ?? Self.standardDeadline
  }

  /// Returns the time for which one attempt may stay silent in a scenario: a client without a
  /// deadline of its own ends an attempt by this alone.
  func attemptTimeout(in scenario: Scenario) -> Duration {
    min(attemptTimeout, deadline(in: scenario))
  }

  /// Tells whether programs begin as often as `calm` shows that this machine can start them, at
  /// most as often as the load says; else the load is fixed.
  var followsCalm = false
  /// The number of programs that this machine starts per second, where `calm` has shown it.
  var shownStarts: Double?
  /// The calls without faults that ran before the drill, because no scenario of it has any.
  var trial: [Observation] = []

  /// Whether such calls are needed: times are judged, and a program's conversation, which lasts as
  /// long as it is recorded, is not what a call takes.
  var needsTrial: Bool {
    subjects.first == Self.execSubject && onlyCall == nil && !isInWorlds
      && !scenarios.contains(where: \.hasNoFaults)
      && !cassette.interactions.contains(where: \.isConversation)
  }

  /// The scenarios that were asked for among others and cannot be flown.
  var leftOut: [LeftOut] = []
  /// The age of the scenario when the first attempt comes; `nil`: it begins with that.
  var elapsed: Duration?

  /// Tells whether the plan is for a program: it can be told of the authority that issues the run's
  /// certificates, which code that uses `URLSession` on Linux cannot be, and it can be started in
  /// another network.
  var isProgram: Bool { !command.isEmpty }

  /// Whether subjects run in processes of their own: programs always do.
  var usesProcesses: Bool { time == .realTime || isProgram }

  /// Whether each scenario runs in a world of its own: a process, in virtual time with all that it
  /// starts.
  var isInWorlds: Bool { time == .virtualTime && isProgram }

  /// Tells whether the plan is for a program that is started once for each call.
  var isProgramACall: Bool { isProgram && !command.isService }

  /// A scenario that is not flown, and why not.
  struct LeftOut: Sendable, Hashable {
    /// The name in the report.
    var name: String
    /// The sentence that it would have been refused with.
    var reason: String
  }

  /// A plan without subjects.
  init(_ cassette: Cassette, in scenarios: [Scenario]) {
    self.cassette = cassette
    self.scenarios = scenarios
    subjects = []
  }

  /// The greatest number of calls that one subject makes in one scenario.
  public static let callsMax = Scenario.callsMax
  /// The number of calls in a scenario that does not state one.
  public static let standardCalls = 60
  /// The time that a call may take in a scenario that does not state one.
  public static let standardDeadline = Duration.seconds(20)
  /// The name of the subject that is an external program.
  public static let execSubject = "exec"

  /// Refuses what cannot be flown, whoever made it.
  func validate() throws(DrillError) {
    let known = clients.map(\.name)
    for name in subjects where !known.contains(name) {
      throw .plan("There is no subject \"\(name)\"; there are \(known.joined(separator: ", ")).")
    }
    guard !subjects.isEmpty else { throw .plan("There is no subject to judge.") }
    guard !scenarios.isEmpty else { throw .plan("There is no scenario to fly in.") }
    guard !cassette.interactions.isEmpty else {
      throw .plan("The cassette has no interactions, so there is nothing to call.")
    }
    if let startup = try RecordedStartup(cassette) {
      for state in scenarios.compactMap(\.startup) { try startup.refuseExpired(in: state) }
    }
    if let calls, !(1...Self.callsMax ~= calls) {
      throw .plan("\(calls) calls: a subject makes 1 to \(Self.callsMax) in a scenario.")
    }
    if let flaw = load.flaw { throw .plan(flaw) }
    if let onlyCall {
      for calls in scenarios.map(calls(in:)) where !(0..<calls).contains(onlyCall) {
        throw .plan("There is no call \(onlyCall) among \(calls), which are counted from 0.")
      }
    }
    guard !workload.isEmpty else {
      if !isProgram, cassette.interactions.allSatisfy(\.isConversation) {
        throw .plan(
          "The cassette has conversations by WebSocket alone, which a program holds: drill -- PROGRAM."
        )
      }
      throw .plan("Nothing on the cassette is left to call: every request has the weight 0.")
    }
    var names: Set<String> = []
    for scenario in scenarios where !names.insert(scenario.name).inserted {
      throw .plan(
        "Two scenarios are called \"\(scenario.name)\", and a report tells them apart by their names."
      )
    }
    try refuseWhatNothingIs()
    try refuseUnknownRules()
    guard subjects.contains(Self.execSubject) == !command.isEmpty else {
      throw .plan("The subject exec and the command that it starts belong together.")
    }
    try refuseBodiesOfNoText()
    let longest = Duration.seconds(86_400)
    guard .milliseconds(1)...longest ~= deadline ?? Self.standardDeadline,
      .milliseconds(1)...longest ~= attemptTimeout
    else { throw .plan("A call and an attempt take at least a millisecond and at most a day.") }
  }

  /// Refuses weights and gates that speak of requests which no call makes: such a weight would
  /// change nothing, and such a gate could not be judged, however many calls are made. Refuses
  /// gates that are held in no scenario.
  private func refuseWhatNothingIs() throws(DrillError) {
    let recorded = cassette.interactions.map(\.request)
    for share in mix.shares where !recorded.contains(where: { share.request.matches($0) }) {
      throw .plan(
        "--mix \(share.text): nothing on the cassette is \(share.request). There are "
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
        ? " A program whose command has no {method} is given the GETs alone." : ""
      throw .plan(
        "gate \"\(gate)\": no call is of such a request. There are "
          + "\(Self.list(called.map(\.endpointName))).\(why)"
      )
    }
  }

  /// Throws if the plan is a program in virtual time.
  func refuseWorlds() throws(DrillError) {
    guard isInWorlds else { return }
    throw .plan("Only windtunnel drill runs programs in virtual time. Leave --clock virtual out.")
  }

  /// Refuses what is allowed and could never be broken: its name is misspelled.
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

  /// Refuses a command with `{body}` where a recorded one cannot be a word of it.
  private func refuseBodiesOfNoText() throws(DrillError) {
    guard command.contains(where: { $0.contains("{body}") }) else { return }
    for request in workload.all where request.bodyForPrograms == nil {
      throw .plan(
        "{body} cannot be filled in for \(request.method) \(request.url.withoutSecrets): the recorded "
          + "body is no text of at most \(Request.programBytesMax) bytes."
      )
    }
  }
}

/// The times in which a drill can be flown.
public enum DrillClock: Sendable, Hashable {
  /// The time of the machine.
  case realTime
  /// A time that moves when nothing is left to do: hours take seconds, and the same seed has the
  /// same flight to the instant. For Swift code in process that awaits tasks and clocks.
  case virtualTime
}

/// The error of a drill whose plan cannot be carried out or whose harness failed.
public enum DrillError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The plan asks for something that does not exist or is impossible.
  case plan(String)
  /// The harness itself failed.
  case harness(String)
  /// The client asks for nothing that can be judged.
  case client(String)

  /// The error in a sentence.
  public var description: String {
    switch self {
    case .plan(let problem), .client(let problem): problem
    case .harness(let problem): "The drill failed: \(problem)."
    }
  }
}

// What was recorded of a request, as a program is told it: by a word of its command and in its
// environment.
extension Request {
  /// A word of a command and a variable hold this much on Linux (MAX_ARG_STRLEN, 128 KiB with its
  /// name and a null).
  fileprivate static let programBytesMax = 100 << 10

  /// The body; `nil` where it is no text that a word can hold.
  var bodyForPrograms: String? {
    guard body.count <= Self.programBytesMax, let text = body.text, !text.utf8.contains(0) else {
      return nil
    }
    return text
  }

  /// The fields that a client sets, without those of the connection and the content's length
  /// (RFC 9110 §7.6.1), which are its library's.
  package var fieldsOfClient: [(name: String, value: String)] {
    headers.map { ($0.name, $0.value) }.filter { field in
      !Self.transportFields.contains(field.0.lowercased())
        && !field.1.utf8.contains { $0 < 0x20 && $0 != 0x09 }
    }
  }

  /// The same, `Name: value` in a line each, as much of them as a variable holds.
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
