internal import Foundation
internal import WindTunnelServer
internal import WindTunnelSymptoms

/// The choice of a target on which a scenario can run.
enum Targets {
  /// Returns the reason why a scenario cannot run on the wire, or `nil` if it can.
  ///
  /// - Parameters:
  ///   - scenario: The scenario.
  ///   - isProgram: Whether the client is a program. A program can receive the certificate
  ///     authority, and can be started in a network of its own.
  /// - Returns: The reason as a clause.
  static func obstacle(to scenario: Scenario, isProgram: Bool = false) -> String? {
    let failsHandshakesAlone = scenario.connectionFaults.allSatisfy { fault in
      if case .tls = fault { true } else { fault.symptom == nil }
    }
    for rule in scenario.rules {
      for case .connection(let fault) in rule.faults {
        if rule.trigger.request != nil {
          return "it selects connections by their request, which they precede"
        }
        if !rule.isForConnections {
          return "one rule fails a connection and its requests, which exclude each other"
        }
        // Lost attempts to connect are counted one by one.
        if case .lostSYNs = fault, rule.faults.count == 1 { continue }
        // Other connections complete their handshake if the client trusts the authority.
        if isProgram, failsHandshakesAlone { continue }
        if rule.trigger != .always || rule.faults.count > 1 {
          return "it fails only some connections, but an address fails all or none"
        }
        if case .tls(let kind) = fault, kind.needsTrust {
          return
            "\(kind.rawValue) occurs only if the client trusts the certificate's authority, but "
            + "this client cannot be configured to"
        }
      }
    }
    if scenario.losesSYNs, !ReplayServer.canLoseSYNs {
      return "a full accept queue drops connection attempts, which works only on Linux"
    }
    if isProgram, needsNames(scenario), let reason = PrivateNetwork.obstacle {
      return
        "its slow name lookups require a separate network for the program, which is not possible "
        + "here (\(reason))"
    }
    guard needsCertificates(scenario, isProgram: isProgram) else { return nil }
    do { _ = try CertificateAuthority() } catch {
      return "its certificates cannot be created. \(error)"
    }
    return nil
  }

  /// Returns the reason why a scenario of a program runs in real time, as a clause, or `nil` if it
  /// can run in virtual time.
  static func obstacleToWorld(of scenario: Scenario) -> String? {
    // RFC 6298 §2: the kernel repeats a SYN after a second of its own clock.
    for case .lostSYNs in scenario.connectionFaults {
      return "the system repeats a lost SYN in its own time"
    }
    return needsNames(scenario) ? "its names are resolved in a separate network" : nil
  }

  static func target(
    _ stage: Stage,
    _ deck: Deck,
    _ scenario: Scenario,
    _ errors: Symptom.Platform,
    _ authority: CertificateAuthority? = nil,
    _ names: LateNames? = nil,
    speaking httpVersions: HTTPVersions = .any,
    servers: [RequestURL] = []
  ) async throws -> any Target {
    guard stage == .onTheWire else {
      return InProcessTarget(deck, errors: errors, servers: servers)
    }
    func server(keeps: Bool = false, tls: ServerTLS? = nil) async throws -> ReplayServer {
      var options = ReplayServer.Options()
      options.tls = tls
      // Most clients do not speak HTTP/2 in clear.
      if tls != nil || httpVersions == .http1 { options.httpVersions = httpVersions }
      (options.network, options.domain) = (names?.network, names.map { _ in LateNames.domain })
      // A redirect from TLS to plain HTTP leads to one of these ports.
      options.opensPlainPorts = scenario.leavesTLS && tls != nil
      // On a kept connection, a client's library repeats requests by itself. In a drill, each
      // attempt therefore has its own connection, unless the scenario is about kept connections.
      options.closesConnections = !keeps
      // One more byte shows that a body is longer.
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

  /// Returns whether a client in a network of its own resolves names with a delay. Without a
  /// reachable server, no client waits for a name.
  static func needsNames(_ scenario: Scenario) -> Bool {
    guard scenario.looksUpLate else { return false }
    switch connectionFault(of: scenario) {
    case nil, .tls?, .lostSYNs?, .connectTimeout?: return true
    case .offline?, .refused?, .hostNotFound?: return false
    }
  }

  /// Returns whether the harness observes every attempt of a client. Attempts without a reachable
  /// server are not observed.
  static func seesAttempts(in scenario: Scenario, on stage: Stage) -> Bool {
    guard stage == .onTheWire else { return true }
    switch connectionFault(of: scenario) {
    case nil, .tls?, .lostSYNs?: return true
    case .offline?, .refused?, .hostNotFound?, .connectTimeout?: return false
    }
  }

  private static func connectionFault(of scenario: Scenario) -> ConnectionFault? {
    let faults = scenario.connectionFaults
    // A fault that only delays connections does not determine whether a server is reachable.
    return faults.first { $0.symptom != nil } ?? faults.first
  }

  /// Returns whether any handshake sends a certificate, because it fails at the certificate or does
  /// not fail.
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

  /// A name of 254 characters, which are 256 octets on the wire: one more than a name may have (RFC
  /// 1035 §3.1). No host has it, and no query is sent for it. It is not longer, because some
  /// clients report names beyond 255 characters as invalid. It ends in `.invalid` (RFC 2606 §2), in
  /// case a client sends a query anyway.
  static let unknownName =
    (Array(repeating: "nowhere", count: 30) + ["nobody", "invalid"]).joined(separator: ".")
}

extension DrillPlan.LeftOut {
  /// Creates a skipped item with a name. The reason is a clause.
  fileprivate init(_ name: String, _ reason: String) {
    self.init(name: name, reason: "\(name): \(reason)")
  }
}

extension Scenario {
  /// Returns the error that the scenario cannot run in a certain way.
  fileprivate func refusal(_ words: String) -> DrillError {
    .plan("Scenario \"\(name)\" cannot run \(words)")
  }

  /// Whether each of its faults is applied to a conversation, or rejects one.
  fileprivate var isAboutConversations: Bool {
    let faults = rules.flatMap(\.faults)
    return faults.contains { $0.isOfConversation }
      && rules.allSatisfy { rule in
        rule.trigger.header?.name.lowercased() == "sec-websocket-key"
          || rule.faults.allSatisfy { $0.isOfConversation }
      }
  }

  /// Whether each of its faults is applied to a stream of events.
  fileprivate var isAboutStreams: Bool {
    let faults = rules.flatMap(\.faults)
    return !faults.isEmpty
      && faults.allSatisfy { fault in
        if case .alter(.body(let content)) = fault { content.isOfEvents } else { false }
      }
  }

  /// The connection faults of the scenario, in their order.
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
  /// Whether any response is a stream of events.
  fileprivate var streamsEvents: Bool {
    interactions.contains { interaction in
      let type = interaction.response?.headers["Content-Type"]
      return type.flatMap { EventStream.Format(contentType: $0) } != nil
    }
  }
}

extension DrillPlan {
  /// Returns the stage on which a scenario runs.
  ///
  /// - Parameters:
  ///   - scenario: The scenario.
  ///   - seeingAttempts: Whether a stage that observes every attempt is preferred to real sockets.
  /// - Returns: The stage.
  /// - Throws: `DrillError.plan` if the requested stage cannot run the scenario.
  func stage(of scenario: Scenario, seeingAttempts: Bool = false) throws -> Stage {
    let stage = try chosenStage(of: scenario, seeingAttempts: seeingAttempts)
    if workload(of: subjects.first ?? "", on: stage).isEmpty, !workload.isEmpty {
      throw DrillError.plan(
        "Scenario \"\(scenario.name)\" runs in process, where conversations are not supported, and "
          + "the cassette has only conversations."
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
          "Scenario \"\(scenario.name)\" cannot run: on the wire \(obstacle), and "
            + "\(inProcessObstacle). Split it into two scenarios."
        )
      }
      let isBlind = !Targets.seesAttempts(in: scenario, on: .onTheWire)
      let wantsInProcess = obstacle != nil || seeingAttempts && isBlind
      return wantsInProcess && inProcessObstacle == nil ? .inProcess : .onTheWire
    case .inProcess? where !command.isEmpty:
      throw scenario.refusal(
        "in process by a program: it is another process. Run it with --stage wire."
      )
    case .inProcess?:
      guard let inProcessObstacle else { return .inProcess }
      throw scenario.refusal("in process: \(inProcessObstacle). Run it with --stage wire.")
    case .onTheWire?:
      guard let obstacle else { return .onTheWire }
      throw scenario.refusal("on the wire: \(obstacle). Run it with --stage in-process.")
    }
  }

  /// Returns the stage of a client that sends only by sockets.
  private func stage(
    of scenario: Scenario,
    on subject: String,
    _ obstacle: String?
  ) throws -> Stage {
    if stage == .inProcess {
      throw scenario.refusal(
        "in process by \(subject), which only uses sockets. Run it with --stage wire."
      )
    }
    guard let obstacle else { return .onTheWire }
    throw scenario.refusal("by \(subject), which only uses sockets: on the wire \(obstacle).")
  }

  /// Returns the stage in virtual time, which is in process only.
  private func stageInVirtualTime(of scenario: Scenario, _ obstacle: String?) throws -> Stage {
    if stage == .onTheWire || subjectOnSockets != nil {
      throw DrillError.plan("Sockets use the machine's time. Run it without --clock virtual.")
    }
    guard let obstacle else { return .inProcess }
    throw scenario.refusal("in virtual time: \(obstacle). Run it without --clock virtual.")
  }

  /// Skips the scenarios of a group that cannot run, as long as others can. A group selects all
  /// scenarios that are possible, and the skipped ones are reported.
  ///
  /// - Parameter group: The names of scenarios that were selected only by a group.
  /// - Throws: The first error, if no scenario is left. Also the error of a scenario that was
  ///   selected by itself.
  mutating func leaveOut(among group: Set<String>) throws {
    var kept: [Scenario] = []
    var first: DrillError?
    // A program that is started for each call keeps no state of the previous call, and ends when
    // its caller cancels. A refused credential can be repeated within a call.
    let outlived = scenarios.filter {
      let outlivesCalls = $0.keepsConnections && $0.credential == nil || $0.cancellation != nil
      return isProgramACall && outlivesCalls && group.contains($0.name)
    }
    if !outlived.isEmpty {
      let names = outlived.map(\.name).joined(separator: ", ")
      let reason =
        "it requires state between calls, but a program that starts for each call keeps none."
      leftOut.append(LeftOut(names, reason))
    }
    var idle = outlived
    func leave(_ reason: String, _ isIdle: (Scenario) -> Bool) {
      let found = scenarios.filter { group.contains($0.name) && isIdle($0) }
      idle += found
      leftOut += found.map { LeftOut($0.name, reason) }
    }
    leave("it requires event streams, but the cassette has none.") {
      $0.isAboutStreams && !cassette.streamsEvents
    }
    leave("it requires WebSocket conversations, but the drill has none.") {
      $0.isAboutConversations
        && (workload(of: subjects.first ?? "", on: .onTheWire).holdsNone || !usesProcesses)
    }
    let startup = try RecordedStartup(cassette)
    func isStartless(_ scenario: Scenario) -> Bool {
      scenario.startup.map { startup?.has($0) != true } ?? false
    }
    leave(
      startup == nil
        ? "it requires an app start, but the cassette has none."
        : "it serves an older configuration, but the cassette has only one.",
      isStartless
    )
    if let scenario = scenarios.first(where: { isStartless($0) && !group.contains($0.name) }) {
      throw DrillError.plan(
        startup == nil
          ? "Scenario \"\(scenario.name)\" requires an app start, but the cassette has no "
            + "\"\(RecordedStartup.note)\". Pass a cassette with a start, or omit it and run "
            + "only such scenarios."
          : "Scenario \"\(scenario.name)\" serves an older configuration, but the cassette "
            + "has only one. Record a second one after it."
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
