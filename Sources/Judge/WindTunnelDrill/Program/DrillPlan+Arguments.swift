internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine

// What the flags of a drill make of its plan.
extension DrillPlan {
  /// Takes the scenarios. One that is asked for twice, as two groups do, is flown once.
  ///
  /// - Returns: The names of those that nobody asked for by themselves, but with a group.
  mutating func apply(scenarios arguments: Arguments, _ speaker: String) throws -> Set<String> {
    let asked = arguments.all("--scenario")
    if asked.isEmpty { return Set(scenarios.map(\.name)) }
    var (found, group, single): ([Scenario], Set<String>, Set<String>) = ([], [], [])
    for text in asked {
      let some = try Scenarios.findAll(text, in: Shipped.scenarios())
      for scenario in some {
        if some.count > 1 { group.insert(scenario.name) } else { single.insert(scenario.name) }
        guard found.contains(scenario) else {
          found.append(scenario)
          continue
        }
        if some.count == 1 {
          Terminal.complain("\(speaker): \(scenario.name) is asked for twice and flown once.\n")
        }
      }
    }
    scenarios = found
    return group.subtracting(single)
  }

  /// Takes the cassette. A subject's process reads the file itself, if all that is played stands in
  /// it.
  mutating func apply(cassette file: URL) throws {
    cassette = try CassetteFile.readToPlay(file)
    let left = RecordingJournal.file(besides: file)
    cassetteFile = FileManager.default.fileExists(atPath: left.path) ? nil : file
  }

  /// Takes the subjects: the judged one first, the others beside it. A program flies alone, since
  /// what it is good for is not what a client in Swift is. Of several that are asked for, no other
  /// flies, and they are compared.
  ///
  /// - Parameters:
  ///   - arguments: The words.
  ///   - variants: The names of clients that run only if they are named.
  /// - Throws: `Refusal` of what is unknown or does not go together.
  mutating func apply(subject arguments: Arguments, _ variants: [String]) throws {
    let asked = arguments.all("--subject")
    // Behind -- stands a program, and only one subject is any program.
    let names = asked.isEmpty && !arguments.command.isEmpty ? [Self.execSubject] : asked
    let known = subjects + [Self.execSubject]
    for name in names where !known.contains(name) && !variants.contains(name) {
      // The word behind a colon chooses among the variants of a client.
      let isVariant = name.contains(":") && !variants.isEmpty
      throw Refusal.choice("--subject", name, among: isVariant ? variants : known)
    }
    guard names.contains(Self.execSubject) else {
      guard arguments.command.isEmpty else { throw Refusal.commandWithoutExec }
      if Set(names).count < names.count {
        let flags = names.joined(separator: " --subject ")
        throw Refusal.usage("--subject \(flags): a client is not compared with itself.")
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
      throw Refusal.usage(
        "--subject exec flies alone: what a program is good for is not what a client in Swift is."
      )
    }
    guard let program = arguments.command.first else { throw Refusal.execWithoutCommand }
    guard Executable.find(program) != nil else { throw Refusal.noCommand(program) }
    (subjects, command, load) = ([Self.execSubject], arguments.command, .programs)
    if command.isService {
      load = .service
      return
    }
    // What is compared to others must be asked alike.
    followsCalm = !["--rate", "--concurrency", "--duration", "--shard", "--baseline"].contains {
      arguments.has($0)
    }
  }

  /// Takes the number of calls, their moments, the part that is flown here, and what of a query is
  /// not compared.
  mutating func apply(load arguments: Arguments) throws {
    let concurrency = try arguments.int("--concurrency", in: 1...Load.inAirMax)
    let rate = try arguments.number("--rate", in: 0.001...Load.callsPerSecondMax)
    switch (concurrency, rate) {
    case (let concurrency?, nil): load = .closedLoop(concurrency: concurrency)
    case (nil, let rate?): load = .openLoop(callsPerSecond: rate)
    case (nil, nil): break
    case (_?, _?): throw Refusal.both("--rate", "--concurrency")
    }
    calls = try arguments.int("--calls", in: 1...Self.callsMax) ?? calls
    if let duration = try arguments.duration("--duration") {
      guard !arguments.has("--calls") else { throw Refusal.both("--duration", "--calls") }
      guard case .openLoop(let rate) = load else {
        throw Refusal.both("--duration", "--concurrency")
      }
      let count = (duration.inMilliseconds / 1000 * rate).rounded()
      guard 1...Double(Self.callsMax) ~= count else {
        throw Refusal.usage(
          "--duration at \(rate) calls a second makes \(Int(count)) calls; "
            + "there can be 1 to \(Self.callsMax)."
        )
      }
      calls = Int(count)
    }
    let weight = "a request and its weight, as in GET /home=5,"
    mix.shares = try arguments.all("--mix", shouldBe: weight) { Mix.Share($0) }
    critical = try arguments.patterns("--critical")
    let parameter = "the name of a query parameter, such as _ or utm_*,"
    ignoredQuery = try arguments.all("--ignore-query", shouldBe: parameter) { text in
      text.contains { $0 != "*" } ? NamePattern(text) : nil
    }
    if let text = try arguments.value("--shard") { shard = try Self.shard(text) }
  }

  private static func shard(_ text: String) throws -> Shard {
    if text == "env" {
      let environment = ToolEnvironment.current.variables
      guard let shard = Shard(environment: environment) else {
        throw Refusal.noShard(in: environment)
      }
      return shard
    }
    guard let shard = Shard(text) else {
      throw Refusal.value("--shard", text, shouldBe: "a part from 1/N to N/N, or env,")
    }
    return shard
  }
}

extension DrillPlan {
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

  /// A shorter run needs no word about its duration.
  private static let boundMin = Duration.seconds(90)

  /// The upper bound of the duration of a run in real time, in words; `nil` if it is short.
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
    let noun = scenarios.count == 1 ? "scenario" : "scenarios"
    return "\(scenarios.count) \(noun), at most \(words)"
  }

  private func duration(of calls: Int, _ patience: Duration, _ load: Load) -> Duration {
    switch load {
    case .openLoop(let rate): .milliseconds(Int(Double(calls) / rate * 1000)) + patience
    case .closedLoop(let concurrency): patience * ((calls + concurrency - 1) / concurrency)
    }
  }
}
