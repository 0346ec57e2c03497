import Foundation
import Testing
import WindTunnel
import WindTunnelReports

/// Clients in other languages, each with one planted bug or with none, flown by the one command of a
/// program. They lie in `Tests/PlantedBugs`.
@Suite(.serialized, .timeLimit(.minutes(20))) struct PlantedBugTests {
  /// A client in the scenario that shows its bug.
  struct Client: Decodable, Sendable, CustomTestStringConvertible {
    var name: String
    var command: [String]
    var scenario: String
    var calls: Int
    /// The rule that has to be found; `nil`: none.
    var rule: String?
    /// Other rules that the same bug breaks.
    var follows: [String]
    /// The time that a call may take, where the whole drill's would be long.
    var timeout: String?

    var testDescription: String { "\(name) in \(scenario)" }

    /// With paths that lead there from anywhere.
    func absolute(_ word: String) -> String {
      word.contains("/") && !word.hasPrefix("{")
        ? PlantedBugTests.folder.appendingPathComponent(word).path : word
    }
  }

  fileprivate static let folder = Repository.root.appendingPathComponent("Tests/PlantedBugs")

  private static let clients: [Client] = {
    do {
      let file = folder.appendingPathComponent("clients.json")
      return try JSONDecoder().decode([Client].self, from: Data(contentsOf: file))
    } catch {
      Issue.record("\(error)")
      return []
    }
  }()

  @Test(arguments: clients)
  func `each planted bug is found by its name, and nothing else is`(client: Client) async throws {
    guard Companion.find(client.command[0]) != nil else {
      try Test.cancel("\(client.name): this machine has no \(client.command[0])")
    }
    let scratch = try Scratch()
    let run = try await Program.run(
      [
        "drill", "--scenario", client.absolute(client.scenario), "--calls", "\(client.calls)",
        "--timeout", client.timeout ?? "10s", "--report", "drill.json", "--",
      ] + client.command.map(client.absolute),
      in: scratch
    )
    let report = try Report(contentsOf: scratch.file("drill.json"))
    let found = report.findings.map(\.finding)
    if let rule = client.rule {
      #expect(found.contains { $0.rule == rule }, "\(run.out)")
    }
    let errors = Set(found.filter { $0.severity == .error }.map(\.rule))
    let foreseen = Set(client.follows + [client.rule].compactMap { $0 })
    #expect(errors.subtracting(foreseen) == [], "\(run.out)")
    let falls = errors.contains("crashes") || errors.contains("hangs")
    #expect(run.code == (falls ? 97 : errors.isEmpty ? 0 : 99), "\(run.out)")
  }

  @Test func `every language has a careful client, and every other client a rule that there is`() {
    let clients = Self.clients
    #expect(clients.count > 30)
    for client in clients {
      #expect(client.name.hasSuffix("/careful") == (client.rule == nil), "\(client.name)")
      for rule in client.follows + [client.rule].compactMap({ $0 }) {
        #expect(FindingRule.named(rule) != nil, "\(rule)")
      }
    }
    let languages = Set(clients.map { $0.name.prefix { $0 != "/" } })
    let careful = Set(clients.filter { $0.rule == nil }.map { $0.name.prefix { $0 != "/" } })
    #expect(careful == languages)
  }
}
