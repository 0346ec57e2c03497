internal import Foundation
internal import WindTunnelServer
internal import WindTunnelSymptoms

/// The choice of a target on which a scenario can be flown.
enum Targets {
  /// Says why a scenario cannot be flown on the wire; `nil` where it can.
  ///
  /// - Parameters:
  ///   - scenario: The scenario.
  ///   - isProgram: Whether the client is a program, which can be told of the authority that issues
  ///     the certificates and started in a network of its own.
  /// - Returns: Half a sentence.
  static func obstacle(to scenario: Scenario, isProgram: Bool = false) -> String? {
    let failsHandshakesAlone = scenario.connectionFaults.allSatisfy { fault in
      if case .tls = fault { true } else { fault.symptom == nil }
    }
    for rule in scenario.rules {
      for case .connection(let fault) in rule.faults {
        if rule.trigger.request != nil {
          return "it fails connections by their request, and a connection comes before any request"
        }
        if !rule.isForConnections {
          return "it fails a connection and its requests by one rule, and a failed one has none"
        }
        // These are lost one by one, by whoever counts them.
        if case .lostSYNs = fault, rule.faults.count == 1 { continue }
        // Connections that go on shake hands, and whoever trusts the authority comes through.
        if isProgram, failsHandshakesAlone { continue }
        if rule.trigger != .always || rule.faults.count > 1 {
          return
            "it fails some connections and lets others through, and an address does one or the other"
        }
        if case .tls(let kind) = fault, kind.needsTrust {
          return
            "\(kind.rawValue) is met only by a client that trusts the certificate's authority, "
            + "and no subject is told of one"
        }
      }
    }
    if scenario.losesSYNs, !ReplayServer.canLoseSYNs {
      return "attempts to connect are lost by a full accept queue, which drops them on Linux alone"
    }
    if isProgram, needsNames(scenario), let reason = PrivateNetwork.obstacle {
      return
        "its names are looked up late, which takes a network of the program's own, and that is not to be "
        + "had here (\(reason))"
    }
    guard needsCertificates(scenario, isProgram: isProgram) else { return nil }
    do { _ = try CertificateAuthority() } catch {
      return "its certificates cannot be made. \(error)"
    }
    return nil
  }

  /// Returns the reason for which a scenario of a program runs in real time, in half a sentence;
  /// `nil` if virtual time can carry it.
  static func obstacleToWorld(of scenario: Scenario) -> String? {
    // RFC 6298 §2: the kernel repeats a SYN after a second of its own time.
    for case .lostSYNs in scenario.connectionFaults {
      return "the system repeats a lost SYN in its own time"
    }
    return needsNames(scenario) ? "its names are looked up in a network of its own" : nil
  }

  static func target(
    _ stage: Stage,
    _ deck: Deck,
    _ scenario: Scenario,
    _ errors: Symptom.Platform,
    _ authority: CertificateAuthority? = nil,
    _ names: LateNames? = nil,
    servers: [RequestURL] = []
  ) async throws -> any Target {
    guard stage == .onTheWire else {
      return InProcessTarget(deck, errors: errors, servers: servers)
    }
    func server(keeps: Bool = false, tls: ServerTLS? = nil) async throws -> ReplayServer {
      var options = ReplayServer.Options()
      options.tls = tls
      (options.network, options.domain) = (names?.network, names.map { _ in LateNames.domain })
      // A redirect out of TLS leads to one of them.
      options.opensPlainPorts = scenario.leavesTLS && tls != nil
      // A client's library re-sends by itself on a connection it kept; every attempt of a drill
      // starts on its own, unless it is connections that are kept that the scenario is about.
      options.closesConnections = !keeps
      // One byte more shows that a body is longer.
      options.watchedBytesMax = SentValues.bodyBytesMax + 1
      return try await ReplayServer(deck, options)
    }
    func target(_ server: ReplayServer, _ naming: ServedTarget.Naming) -> ServedTarget {
      ServedTarget(server: server, naming: naming, names: names, deck: deck, servers: servers)
    }
    switch connectionFault(of: scenario) {
    case nil where scenario.leavesTLS && authority != nil:
      let tls = authority.map { ServerTLS(authority: $0) }
      return target(try await server(tls: tls), .port(scheme: "https"))
    case nil where scenario.showsWhatMayBeKept:
      return target(try await server(keeps: true), .lentPort)
    case nil:
      let server = try await server(keeps: scenario.keepsConnections)
      let ports = try await ServerPorts(of: servers, on: deck) { origin in
        try await origin == nil ? server.port : server.openPort(lane: .deck, origin: origin)
      }
      return target(server, .path(ports))
    case .tls?:
      let isNeeded = needsCertificates(scenario, isProgram: authority != nil)
      let tls =
        isNeeded ? try authority.map { ServerTLS(authority: $0) } ?? ServerTLS() : nil
      return target(try await server(tls: tls), .port(scheme: "https"))
    case .connectTimeout?, .lostSYNs?:
      return target(try await server(), .port(scheme: "http"))
    case .offline?, .refused?:
      let closed = try ClosedPort()
      return try UnreachableTarget(at: "http://127.0.0.1:\(closed.port)", closed, servers: servers)
    case .hostNotFound?: return try UnreachableTarget(at: "http://\(unknownName)", servers: servers)
    }
  }

  /// Tells whether a client that can be started in a network of its own looks names up late there;
  /// where there is no server to connect to, no client waits for a name either.
  static func needsNames(_ scenario: Scenario) -> Bool {
    guard scenario.looksUpLate else { return false }
    switch connectionFault(of: scenario) {
    case nil, .tls?, .lostSYNs?, .connectTimeout?: return true
    case .offline?, .refused?, .hostNotFound?: return false
    }
  }

  /// Tells whether every attempt of a client comes to the harness: what is tried where there is
  /// nobody to connect to, nobody sees.
  static func seesAttempts(in scenario: Scenario, on stage: Stage) -> Bool {
    guard stage == .onTheWire else { return true }
    switch connectionFault(of: scenario) {
    case nil, .tls?, .lostSYNs?: return true
    case .offline?, .refused?, .hostNotFound?, .connectTimeout?: return false
    }
  }

  private static func connectionFault(of scenario: Scenario) -> ConnectionFault? {
    let faults = scenario.connectionFaults
    // What is only late does not say where there is nobody at all.
    return faults.first { $0.symptom != nil } ?? faults.first
  }

  /// Tells whether some handshake gets as far as a certificate: one that fails there, or one that
  /// does not fail.
  private static func needsCertificates(_ scenario: Scenario, isProgram: Bool) -> Bool {
    guard case .tls(let first) = connectionFault(of: scenario) else {
      return isProgram && connectionFault(of: scenario) == nil && scenario.leavesTLS
    }
    let failsAll = scenario.rules.contains { rule in
      rule.trigger == .always
        && rule.faults.contains { if case .connection(.tls) = $0 { true } else { false } }
    }
    if isProgram, !failsAll { return true }
    return first.needsCertificate
  }

  /// A name of 254 characters, which are 256 octets on the wire: one more than a name has (RFC 1035
  /// §3.1), so nobody has it and no packet is sent to find that out. Not one character more, for
  /// beyond 255 some clients say that they were asked wrongly; and `.invalid` (RFC 2606 §2), for
  /// whoever asks all the same.
  static let unknownName =
    (Array(repeating: "nowhere", count: 30) + ["nobody", "invalid"]).joined(separator: ".")
}

extension DrillPlan.LeftOut {
  /// Leaves out what has this name, with the reason as half a sentence.
  fileprivate init(_ name: String, _ reason: String) {
    self.init(name: name, reason: "\(name): \(reason)")
  }
}

extension Scenario {
  /// Returns the error that it cannot be flown so.
  fileprivate func refusal(_ words: String) -> DrillError {
    .plan("Scenario \"\(name)\" cannot be flown \(words)")
  }

  /// Tells whether nothing in it can be seen of a client that keeps nothing from call to call. A
  /// credential may be refused again within one.
  fileprivate var isAboutWhatOutlivesCalls: Bool {
    keepsConnections && credential == nil || cancellation != nil
  }

  /// Tells whether each of its faults is done to a conversation, or refuses one.
  fileprivate var isAboutConversations: Bool {
    let faults = rules.flatMap(\.faults)
    return faults.contains { $0.isOfConversation }
      && rules.allSatisfy { rule in
        rule.trigger.header?.name.lowercased() == "sec-websocket-key"
          || rule.faults.allSatisfy { $0.isOfConversation }
      }
  }

  /// Tells whether each of its faults is done to a stream of events.
  fileprivate var isAboutStreams: Bool {
    let faults = rules.flatMap(\.faults)
    return !faults.isEmpty
      && faults.allSatisfy { fault in
        if case .alter(.body(let content)) = fault { content.isOfEvents } else { false }
      }
  }

  /// The faults of connections that it has, in their order.
  fileprivate var connectionFaults: [ConnectionFault] {
    rules.flatMap(\.faults).compactMap { fault in
      if case .connection(let fault) = fault { fault } else { nil }
    }
  }
}

extension Fault {
  fileprivate var isOfConversation: Bool {
    if case .conversation = self { true } else { false }
  }
}

extension Cassette {
  /// Tells whether an answer is a stream of events.
  fileprivate var streamsEvents: Bool {
    interactions.contains { interaction in
      let type = interaction.response?.headers["Content-Type"]
      return type.flatMap { EventStream.Format(contentType: $0) } != nil
    }
  }
}

extension DrillPlan {
  /// Returns the stage on which a scenario is flown.
  ///
  /// - Parameters:
  ///   - scenario: The scenario.
  ///   - seeingAttempts: Whether a place where every attempt is seen is preferred to real sockets.
  /// - Returns: The stage.
  /// - Throws: `DrillError.plan` where the asked-for stage cannot carry it.
  func stage(of scenario: Scenario, seeingAttempts: Bool = false) throws -> Stage {
    let stage = try chosenStage(of: scenario, seeingAttempts: seeingAttempts)
    if workload(of: subjects.first ?? "", on: stage).isEmpty, !workload.isEmpty {
      throw DrillError.plan(
        "Scenario \"\(scenario.name)\" is flown in process, where no client holds a conversation, and the "
          + "cassette has nothing else."
      )
    }
    return stage
  }

  private func chosenStage(of scenario: Scenario, seeingAttempts: Bool) throws -> Stage {
    let obstacle = Targets.obstacle(to: scenario, isProgram: isProgram)
    let inProcessObstacle = scenario.obstacle(on: .inProcess)
    if !usesProcesses { return try stageInVirtualTime(of: scenario, inProcessObstacle) }
    if let subject = subjectOnSockets { return try stage(of: scenario, on: subject, obstacle) }
    switch stage {
    case nil where !command.isEmpty:
      guard let obstacle else { return .onTheWire }
      throw scenario.refusal("by a program: \(obstacle).")
    case nil:
      if let obstacle, let inProcessObstacle {
        throw DrillError.plan(
          "Scenario \"\(scenario.name)\" can be flown nowhere: on the wire \(obstacle), and "
            + "\(inProcessObstacle). Make two scenarios of it."
        )
      }
      let isBlind = !Targets.seesAttempts(in: scenario, on: .onTheWire)
      let wantsInProcess = obstacle != nil || seeingAttempts && isBlind
      return wantsInProcess && inProcessObstacle == nil ? .inProcess : .onTheWire
    case .inProcess? where !command.isEmpty:
      throw scenario.refusal(
        "in process by a program: it is another process. Fly it with --stage wire."
      )
    case .inProcess?:
      guard let inProcessObstacle else { return .inProcess }
      throw scenario.refusal("in process: \(inProcessObstacle). Fly it with --stage wire.")
    case .onTheWire?:
      guard let obstacle else { return .onTheWire }
      throw scenario.refusal("on the wire: \(obstacle). Fly it with --stage in-process.")
    }
  }

  /// Returns the stage of a client that has sockets alone.
  private func stage(
    of scenario: Scenario,
    on subject: String,
    _ obstacle: String?
  ) throws -> Stage {
    if stage == .inProcess {
      throw scenario.refusal(
        "in process by \(subject), which sends by sockets alone. Fly it with --stage wire."
      )
    }
    guard let obstacle else { return .onTheWire }
    throw scenario.refusal("by \(subject), which sends by sockets alone: on the wire \(obstacle).")
  }

  /// Returns the stage of virtual time, which is this process alone.
  private func stageInVirtualTime(of scenario: Scenario, _ obstacle: String?) throws -> Stage {
    if stage == .onTheWire || subjectOnSockets != nil {
      throw DrillError.plan("Sockets have the machine's time. Fly it without --clock virtual.")
    }
    guard let obstacle else { return .inProcess }
    throw scenario.refusal("in virtual time: \(obstacle). Fly it without --clock virtual.")
  }

  /// Leaves out those of a group's scenarios that cannot be flown, as long as others can: whoever
  /// names a group wants all of it that there is, and is told what there is not.
  ///
  /// - Parameter group: The names of scenarios that nobody asked for by themselves.
  /// - Throws: The first refusal, where nothing is left; any of a scenario that was asked for by
  ///   itself.
  mutating func leaveOut(among group: Set<String>) throws {
    var kept: [Scenario] = []
    var first: DrillError?
    // A process a call has nothing left of the call before, and ends when its caller gives it up.
    let outlived = scenarios.filter {
      isProgramACall && $0.isAboutWhatOutlivesCalls && group.contains($0.name)
    }
    if !outlived.isEmpty {
      let names = outlived.map(\.name).joined(separator: ", ")
      let reason =
        "it is about what outlives a call, and a program that is started for each keeps nothing."
      leftOut.append(LeftOut(names, reason))
    }
    var idle = outlived
    func leave(_ reason: String, _ isIdle: (Scenario) -> Bool) {
      let found = scenarios.filter { group.contains($0.name) && isIdle($0) }
      idle += found
      leftOut += found.map { LeftOut($0.name, reason) }
    }
    leave("it is about streams of events, and the cassette has none.") {
      $0.isAboutStreams && !cassette.streamsEvents
    }
    leave("it is about conversations by WebSocket, and the drill has none.") {
      $0.isAboutConversations
        && (workload(of: subjects.first ?? "", on: .onTheWire).holdsNone || !usesProcesses)
    }
    let startup = try RecordedStartup(cassette)
    func isStartless(_ scenario: Scenario) -> Bool {
      scenario.startup.map { startup?.has($0) != true } ?? false
    }
    leave(
      startup == nil
        ? "it is about the start of an app, and the cassette has none."
        : "it serves an older configuration, and the cassette has one alone.",
      isStartless
    )
    if let scenario = scenarios.first(where: { isStartless($0) && !group.contains($0.name) }) {
      throw DrillError.plan(
        startup == nil
          ? "Scenario \"\(scenario.name)\" is about the start of an app, and the cassette has no "
            + "\"\(RecordedStartup.note)\". Give one that has a start, or none and only such "
            + "scenarios."
          : "Scenario \"\(scenario.name)\" serves an older configuration than the app has, and the "
            + "cassette has one alone. Record a second one behind it."
      )
    }
    for scenario in scenarios where !idle.contains(scenario) {
      do {
        _ = try stage(of: scenario)
        kept.append(scenario)
      } catch let error as DrillError where group.contains(scenario.name) {
        first = first ?? error
        leftOut.append(LeftOut(name: scenario.name, reason: error.description))
      }
    }
    if kept.isEmpty, let first { throw first }
    scenarios = kept
  }
}
