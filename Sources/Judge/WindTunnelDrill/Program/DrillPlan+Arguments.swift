internal import Foundation
internal import WindTunnelCommandLine

// Sets the properties of a plan from the flags of a drill.
extension DrillPlan {
  /// Sets the scenarios. A scenario that is selected twice, for example by two groups, runs once.
  ///
  /// - Returns: The names of the scenarios that were selected only with a group.
  mutating func apply(scenarios arguments: Arguments, _ speaker: String) throws -> Set<String> {
    let asked = arguments.all("--scenario")
    if asked.isEmpty { return Set(scenarios.map(\.name)) }
    var (found, group, single): ([Scenario], Set<String>, Set<String>) = ([], [], [])
    for text in asked {
      let some =
        Shipped.preRelease.contains(text)
        ? try Shipped.scenarios(named: [text])
        : try Scenarios.findAll(text, in: Shipped.scenarios())
      for scenario in some {
        if some.count > 1 { group.insert(scenario.name) } else { single.insert(scenario.name) }
        guard found.contains(scenario) else {
          found.append(scenario)
          continue
        }
        if some.count == 1 {
          Terminal.complain("\(speaker): \(scenario.name) is requested twice but runs once.\n")
        }
      }
    }
    scenarios = found
    return group.subtracting(single)
  }

  /// Sets the cassette. The process of a client reads the file itself, unless some recordings are
  /// in a journal beside it.
  mutating func apply(cassette file: URL) throws {
    cassette = try CassetteFile.readToPlay(file)
    let left = RecordingJournal.file(besides: file)
    cassetteFile = FileManager.default.fileExists(atPath: left.path) ? nil : file
  }

  /// Sets the clients: the judged client first, the others beside it. A program runs alone, because
  /// its results are not comparable with a Swift client's. If several clients are named, only these
  /// run and they are compared.
  ///
  /// - Parameters:
  ///   - arguments: The command line.
  ///   - variants: The names of clients that run only if they are named.
  /// - Throws: `CommandError` if a name is unknown or the flags contradict each other.
  mutating func apply(subject arguments: Arguments, _ variants: [String]) throws {
    let asked = arguments.all("--subject")
    // A program follows `--`, and `exec` is the only client that runs any program.
    let names = asked.isEmpty && !arguments.command.isEmpty ? [Self.execSubject] : asked
    let known = subjects + [Self.execSubject]
    for name in names where !known.contains(name) && !variants.contains(name) {
      // The word after a colon selects a variant of a client.
      let isVariant = name.contains(":") && !variants.isEmpty
      throw CommandError.choice("--subject", name, among: isVariant ? variants : known)
    }
    guard names.contains(Self.execSubject) else {
      guard arguments.command.isEmpty else { throw CommandError.commandWithoutExec }
      if Set(names).count < names.count {
        let flags = names.joined(separator: " --subject ")
        throw CommandError.usage("--subject \(flags): a client cannot be compared with itself.")
      }
      comparesSubjects = names.count > 1
      if comparesSubjects {
        subjects = names
      } else if let name = names.first {
        subjects = [name] + subjects.filter { $0 != name }
      }
      return
    }
    guard names.count == 1 else {
      throw CommandError.usage(
        "--subject exec must be alone: a program cannot be compared with a client in Swift."
      )
    }
    guard let program = arguments.command.first else { throw CommandError.execWithoutCommand }
    guard Executable.find(program) != nil else { throw CommandError.noCommand(program) }
    (subjects, command, load) = ([Self.execSubject], arguments.command, .programs)
    if command.isService {
      load = .service
      return
    }
    // Results that are compared with others need the same load.
    followsCalm = !["--rate", "--concurrency", "--duration", "--shard", "--baseline"].contains {
      arguments.has($0)
    }
  }

  /// Sets the number of calls, the load, the shard, and the query parameters that are not compared.
  mutating func apply(load arguments: Arguments) throws {
    let concurrency = try arguments.int("--concurrency", in: 1...Load.inAirMax)
    let rate = try arguments.number("--rate", in: 0.001...Load.callsPerSecondMax)
    switch (concurrency, rate) {
    case (let concurrency?, nil): load = .closedLoop(concurrency: concurrency)
    case (nil, let rate?): load = .openLoop(callsPerSecond: rate)
    case (nil, nil): break
    case (_?, _?): throw CommandError.both("--rate", "--concurrency")
    }
    calls = try arguments.int("--calls", in: 1...Self.callsMax) ?? calls
    if let duration = try arguments.duration("--duration") {
      guard !arguments.has("--calls") else { throw CommandError.both("--duration", "--calls") }
      guard case .openLoop(let rate) = load else {
        throw CommandError.both("--duration", "--concurrency")
      }
      let count = (duration.inMilliseconds / 1000 * rate).rounded()
      guard 1...Double(Self.callsMax) ~= count else {
        throw CommandError.usage(
          "--duration at \(rate) calls per second is \(Int(count)) calls; expected 1 to "
            + "\(Self.callsMax)."
        )
      }
      calls = Int(count)
    }
    let weight = "a request and its weight, as in GET /home=5"
    mix.shares = try arguments.all("--mix", shouldBe: weight) { Mix.Share($0) }
    critical = try arguments.patterns("--critical")
    let parameter = "the name of a query parameter, such as _ or utm_*"
    ignoredQuery = try arguments.all("--ignore-query", shouldBe: parameter) { text in
      text.contains { $0 != "*" } ? NamePattern(text) : nil
    }
    if let text = try arguments.value("--shard") { shard = try Self.shard(text) }
  }

  private static func shard(_ text: String) throws -> Shard {
    if text == "env" {
      let environment = ToolEnvironment.current.variables
      guard let shard = Shard(environment: environment) else {
        throw CommandError.noShard(in: environment)
      }
      return shard
    }
    guard let shard = Shard(text) else {
      throw CommandError.value("--shard", text, shouldBe: "a part from 1/N to N/N, or env")
    }
    return shard
  }

  /// The scenarios of a short run on sockets: each shows an error of a client without a policy.
  private static let shortScenarios: Set = [
    "calm", "rate-limited", "server-errors", "captive-portal", "broken-answers",
  ]
  /// The number of calls of a client in a scenario of the short run.
  private static let shortCalls = 20

  /// Reduces the default run to 20 seconds, for systems without virtual time.
  mutating func keepShort() {
    scenarios = scenarios.filter { Self.shortScenarios.contains($0.name) }
    calls = calls ?? Self.shortCalls
  }

  /// The minimum duration of a run that the program announces.
  private static let boundMin = Duration.seconds(90)

  /// The upper bound of the duration of a run in real time, as text, or `nil` if the run is short.
  var timeBoundWords: String? {
    guard time == .realTime else { return nil }
    let bound = scenarios.reduce(Duration.zero) { sum, scenario in
      let calls = numbers(in: scenario).count
      let patience = DrillCall.patience(deadline(in: scenario))
      return sum + duration(of: calls, patience, load.atMost(scenario.callsPerSecond))
        * subjects.count
    }
    guard bound >= Self.boundMin else { return nil }
    let seconds = Int(bound.inMilliseconds / 1000)
    let words = seconds < 120 ? "\(seconds) s" : "\(seconds / 60 + 1) min"
    return "\(scenarios.count.counted("scenario")), at most \(words)"
  }

  private func duration(of calls: Int, _ patience: Duration, _ load: Load) -> Duration {
    switch load {
    case .openLoop(let rate): .milliseconds(Int(Double(calls) / rate * 1000)) + patience
    case .closedLoop(let concurrency): patience * ((calls + concurrency - 1) / concurrency)
    }
  }
}
