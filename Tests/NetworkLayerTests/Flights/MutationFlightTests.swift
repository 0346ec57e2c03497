import TestSupport
import WindTunnel
import WindTunnelHAR
import WindTunnelNetworkLayer
import WindTunnelNetworkLayerDebug
import WindTunnelTesting

/// A server with a bug in its answers: each of them is an error that says where, or a default.
@Suite(.cassette("flights", matching: .pathAndQuery, then: .repeat))
struct MutationFlightTests {
  struct User: Decodable, Equatable {
    var id: Int
    @Fallback<EmptyText> var name: String
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var mutation: Mutation
    var end: Result<String, NetworkError>
    var testDescription: String { "\(mutation)" }
  }

  static let rows = [
    Row(mutation: .null(at: "$.data.name"), end: .success("")),
    Row(mutation: .missing(at: "$.data.name"), end: .success("")),
    Row(mutation: .extra(at: "$.data"), end: .success("Ada")),
    Row(mutation: .null(at: "$.data.id"), end: .failure(.decode(.missing("data.id")))),
    Row(mutation: .missing(at: "$.data"), end: .failure(.decode(.missing("data")))),
    Row(mutation: .truncate(afterBodyBytes: 14), end: .failure(.decode(.notJSON))),
    Row(mutation: .truncate(afterBodyBytes: 0), end: .failure(.decode(.notJSON))),
    Row(mutation: .missing(at: "$.retcode"), end: .failure(.decode(.missing("retcode")))),
  ]

  func run(_ mutation: Mutation, _ stage: Stage, _ rules: ResponseRules) async throws
    -> Result<String, NetworkError>
  {
    try await withFaults([.always(.always, .mutate(mutation))]) {
      try await FlightStand.run(on: stage) { stand in
        let endpoint = Endpoint(.get, "/users/7", rules: rules)
        let decoder: ResponseDecoder<User> = .envelope()
        return await ended { () throws(NetworkError) in
          try await stand.client.value(of: endpoint, by: decoder).name
        }
      }
    }
  }

  @Test(arguments: rows, Stage.allCases)
  func `a mutated answer is told by its place, or has a default`(row: Row, stage: Stage)
    async throws
  {
    try await expectEqual(run(row.mutation, stage, ResponseRules()), row.end)
  }

  @Test(arguments: Stage.allCases)
  func `a field of another type is no default and no crash`(stage: Stage) async throws {
    let rows: [(JSONPath, String)] = [("$.data.id", "data.id"), ("$.data.name", "data.name")]
    for (place, path) in rows {
      let end = try await run(.wrongType(at: place), stage, ResponseRules())
      guard case .failure(.decode(.mismatch(let found, _))) = end else {
        Issue.record("\(end)")
        continue
      }
      expectEqual(found, path)
    }
  }

  @Test(arguments: Stage.allCases)
  func `rules find a gap before anybody decodes`(stage: Stage) async throws {
    let rules = ResponseRules.json(requiring: "data.name")
    let end = try await run(.null(at: "$.data.name"), stage, rules)
    expectEqual(end, .failure(.decode(.missing("data.name"))))
  }

  @Test(.faults([.always(.first(1), .reset(.afterRequest))]))
  func `a journal of the field becomes a fixture that plays the same again`() async throws {
    let journal = CallJournal(time: ManualTime())
    func client(_ deck: Deck) throws -> NetworkClient {
      NetworkClient(
        builder: RequestBuilder(
          baseURL: try #require(URL(string: FlightStand.origin)),
          commonHeaders: ["Authorization": "Bearer hush-3"]
        ),
        policy: RetryPolicy(backoff: Backoff(base: .zero)),
        transport: ReplayEngine(deck),
        observer: journal,
        // However long the machine takes.
        limits: CallLimits(deadline: nil)
      )
    }
    let first = try await client(.current).call(Endpoint(.get, "/users/7"))
    expectEqual(first.attempts, 2)
    let cassette = journal.cassette()
    expectEqual(cassette.interactions.map { $0.failure?.symptom }, [.connectionLost, nil])
    #expect(!String(decoding: cassette.data(), as: UTF8.self).contains("hush-3"))
    #expect(!String(decoding: HARExport(cassette).data, as: UTF8.self).contains("hush-3"))
    // Nothing but the fixture: the failure comes first, and then the answer.
    let written = try Cassette(data: cassette.data(), source: "journal")
    let again = try await client(Deck(written, matcher: .pathAndQuery)).call(
      Endpoint(.get, "/users/7")
    )
    #expect((again.body, again.attempts) == (first.body, first.attempts))
    expectEqual(journal.records.count, 2)
  }
}
