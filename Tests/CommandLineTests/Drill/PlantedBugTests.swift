import TestSupport
import WindTunnelReports

/// Clients in other languages, each with one planted bug or with none, flown by the one command of a
/// program. They lie in `Tests/PlantedBugs`.
@Suite(.timeLimit(.minutes(5))) struct PlantedBugTests {
  /// A client in the scenario that shows its bug, or in many where it has none.
  struct Client: Decodable, Sendable, CustomTestStringConvertible {
    var name: String
    var language: String
    var command: [String]
    /// The file of the cassette that it asks; `nil`: the one that ships.
    var cassette: String?
    /// Shipped ones, by their names.
    var scenarios: [String]
    /// The calls in each scenario; `nil`: as many as the scenario says.
    var calls: Int?
    /// The rule that has to be found; `nil`: none.
    var rule: String?
    /// Other rules that the same bug breaks.
    var follows: [String]
    /// The bug in a line; `nil`: it has none.
    var bug: String?
    /// The time that a call may take, where the scenario's would be long.
    var timeout: String?
    /// The exit code, where it is that of calls that say nothing about a client.
    var code: Int32?
    /// A command that fails where something is missing that the client needs beside its language.
    var needs: [String]?
    /// Whether the value tier flies it: it is the one program that breaks its rule there.
    var isOfValueTier: Bool?

    var testDescription: String { "\(name) in \(scenarios.joined(separator: ", "))" }

    /// The words after `drill` that say how it is flown.
    var flight: [String] {
      scenarios.flatMap { ["--scenario", $0] } + (calls.map { ["--calls", "\($0)"] } ?? [])
        + (timeout.map { ["--timeout", $0] } ?? [])
        + (cassette.map { ["--cassette", absolute($0)] } ?? [])
    }

    /// With paths that lead there from anywhere.
    func absolute(_ word: String) -> String {
      word.contains("/") && !word.hasPrefix("{")
        ? PlantedBugTests.folder.appendingPathComponent(word).path : word
    }
  }

  fileprivate static let folder = Repository.root.appendingPathComponent("Tests/PlantedBugs")

  /// The reason why the clients in Go could not be built, if there is one; they are one program.
  private static let goProblem = Task { () async throws -> String in
    let words = ["sh", "-c", "cd \"$1\" && go build -o planted .", "sh"]
    let place = folder.appendingPathComponent("go").path
    let run = try await Companion.run(words + [place], in: Scratch())
    return run.code == 0 ? "" : run.text
  }

  private static let clients: [Client] = {
    do {
      let file = folder.appendingPathComponent("clients.json")
      return try JSONDecoder().decode([Client].self, from: Data(contentsOf: file))
    } catch {
      Issue.record("\(error)")
      return []
    }
  }()

  @Test(arguments: clients.filter { $0.isOfValueTier == true })
  func `a rule that no other test breaks by a program is broken by one`(client: Client) async throws
  {
    try await run(client)
  }

  @Test(.world, arguments: clients.filter { $0.isOfValueTier != true })
  func `each planted bug is found by its name, and nothing else is`(client: Client) async throws {
    try await run(client)
  }

  private func run(_ client: Client) async throws {
    var tools = [client.language == "go" ? "go" : client.command[0]]
    if client.language == "shell" { tools.append("curl") }
    for tool in tools where Companion.find(tool) == nil {
      try Test.cancel("\(client.name): this machine has no \(tool)")
    }
    if client.language == "go" {
      let problem = try await Self.goProblem.value
      try #require(problem == "")
    }
    let scratch = try Scratch()
    if let needs = client.needs, try await Companion.run(needs, in: scratch).code != 0 {
      try Test.cancel("\(client.name): on this machine \(needs.joined(separator: " ")) fails")
    }
    let run = try await scratch.run(
      ["drill"] + client.flight + ["--report", "drill.json", "--"]
        + client.command.map(client.absolute)
    )
    let report = try Report(contentsOf: scratch.file("drill.json"))
    let found = report.findings.map(\.finding)
    if let rule = client.rule, !found.contains(where: { $0.rule == rule }) {
      // A rule of time is silent if programs wait for one another longer than for the server.
      let busy = ["\nnot judged, machine busy: ", "\nlatencies may be due to the machine: "]
      if busy.contains(where: run.out.contains) {
        try Test.cancel("\(client.name): this machine is too busy to judge waits")
      }
      Issue.record("\(rule) is not found: \(run.out)")
    }
    let errors = Set(found.filter { $0.severity == .error }.map(\.rule))
    let foreseen = Set(client.follows + [client.rule].compactMap { $0 })
    expectEqual(errors.subtracting(foreseen), [], "\(run.out)")
    let falls = errors.contains("crashes") || errors.contains("hangs")
    // A machine that is too busy to judge a client by time says so.
    let isBusy = run.out.contains("\nnot judged, machine busy: ")
    let code: Int32 = falls ? 97 : !errors.isEmpty ? 99 : isBusy ? run.code : 0
    expectEqual(run.code, client.code ?? code, "\(run.out)")
    #expect([0, 97, 98, 99].contains(run.code))
  }

  @Test func `every language has a careful client, and every other client a rule that there is`() {
    let clients = Self.clients
    #expect(clients.count > 30)
    for client in clients {
      expectEqual(client.name.contains("/careful"), (client.rule == nil), "\(client.name)")
      expectEqual((client.bug == nil), (client.rule == nil), "\(client.name)")
      #expect(client.name.hasPrefix(client.language + "/"), "\(client.name)")
      for rule in client.follows + [client.rule].compactMap({ $0 }) {
        #expect(FindingRule.named(rule) != nil, "\(rule)")
      }
    }
    let careful = Set(clients.filter { $0.rule == nil }.map(\.language))
    expectEqual(careful, Set(clients.map(\.language)))
  }
}
