import Schemas
import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

/// What else speaks of faults says what the catalogue says: the schema, the page, the stages and the
/// report. Each test names the line that is missing.
@Suite struct CatalogueTests {
  private static let root = ShippedFileTests.folder.deletingLastPathComponent()

  private static let recorded = Interaction(
    Request("GET", "http://api.example.test/users/7"),
    Response(
      headers: ["Content-Type": "text/plain", "Content-Length": "10"],
      body: Body("0123456789")
    )
  )

  private static let stream = Interaction(
    Request("GET", "http://api.example.test/events"),
    Response(
      headers: ["Content-Type": "text/event-stream"],
      body: Body("data: 1\n\ndata: 2\n\ndata: 3\n\n")
    )
  )

  private static func delivery(_ kind: FaultKind, on stage: Stage) -> Delivery {
    let outcome = Outcome(
      id: 0,
      request: recorded.request,
      source: .recording(recorded, place: 0),
      decision: FaultDecision(
        lane: .deck,
        key: "",
        ordinal: 1,
        faults: [kind.fault.resolved { 0.5 }]
      )
    )
    return Delivery(outcome, on: stage)
  }

  @Test func `the schema of scenarios has each fault`() throws {
    let file = Self.root.appending(path: "Cassettes/format/scenario-1.schema.json")
    let schema = try JSONSchema(contentsOf: file)
    let fault = try #require(schema.root["$defs"]?["fault"])
    let missing = FaultKind.all.filter { !schema.problems($0.fault.json, fault).isEmpty }
    #expect(
      missing.isEmpty,
      "\(missing.map(\.fault.json)) have no line in \(file.lastPathComponent)"
    )
  }

  @Test func `each word for a fault in the schema of scenarios is read`() throws {
    let file = Self.root.appending(path: "Cassettes/format/scenario-1.schema.json")
    let schema = try JSONSchema(contentsOf: file)
    let options = try #require(schema.root["$defs"]?["fault"]?["oneOf"])
    var count = 0
    for option in options.elements {
      guard let required = option["required"]?.elements, required.count == 1,
        let key = required[0].stringValue
      else { continue }
      for word in option["properties"]?[key]?["enum"]?.elements ?? [] {
        let object = JSON.object([JSON.Member(JSON.Text(key), word)])
        let fault = try Fault(reading: ObjectReader(object, source: "schema", path: ""))
        expectEqual(fault.json, object)
        count += 1
      }
    }
    #expect(count > 80)
  }

  @Test func `the article on scenarios names each key of a fault`() throws {
    let file = Self.root.appending(path: "Sources/Values/WindTunnel/WindTunnel.docc/Scenarios.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let keys = FaultKind.all.flatMap { $0.fault.json.members.map(\.name.value) }
    let missing = Set(keys).filter { key in
      // What goes for a reset goes for its like, as the page says.
      let like = ["close", "halfClose", "stall"].filter { key.hasPrefix($0) }
        .map { "reset" + key.dropFirst($0.count) }
      return !([key] + like).contains { text.contains("\"\($0)\"") || text.contains("`\($0)`") }
    }
    #expect(missing.isEmpty, "\(missing.sorted()) have no line in \(file.lastPathComponent)")
  }

  @Test(arguments: FaultKind.all.filter { if case .connection = $0.fault { false } else { true } })
  func `a stage plays what it says that it can, and lacks what it says`(kind: FaultKind) {
    for stage in Stage.allCases {
      let lacking = Self.delivery(kind, on: stage).needs.subtracting(stage.abilities)
      expectEqual(lacking, Set([kind.fault.ability(lackingOn: stage)].compactMap(\.self)))
    }
  }

  @Test(arguments: FaultKind.all)
  func `a report says of a broken answer what a client sees`(kind: FaultKind) {
    let told: [Symptom] = [
      .connectionLost, .truncated, .timedOut, .emptyAnswer, .malformedResponse,
    ]
    guard case .failure(let symptom) = kind.expected.linux, told.contains(symptom) else { return }
    let faults = [kind.fault]
    if case .connection = kind.fault {
      let decision = FaultDecision(lane: .deck, key: "", ordinal: 1, faults: faults)
      expectEqual(AnswerSummary(connection: decision).symptom, symptom)
    } else {
      let recorded = if case .cut(.event, _) = kind.fault { Self.stream } else { Self.recorded }
      expectEqual(AnswerSummary(faults, over: recorded).symptom, symptom)
    }
  }
}
