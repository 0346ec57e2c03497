import Schemas
import TestSupport
import WindTunnelReports

/// The schema that ships beside the format describes what the writer writes.
@Suite struct ReportSchemaTests {
  private static let file = ShippedFileTests.folder.appending(path: "format/report-1.schema.json")

  private func problems(_ report: JSON) throws -> [String] {
    let schema = try JSONSchema(contentsOf: Self.file)
    return schema.problems(report, schema.root)
  }

  private func everything() throws -> JSON {
    let gates = try gates("p95 <= baseline", "calls == 200", "p99 <= 1ms", "calls == 1")
    let before = Flights.report(Flights.drawn(200, seed: 2), facts: [.init("os", "x")])
    let report = Flights.report(
      Flights.drawn(200, seed: 1),
      gates: gates,
      facts: [.init("os", "x")]
    )
    return try JSON(parsing: report.compared(to: before).data(), source: "r")
  }

  @Test func `what is written is what the schema says`() throws {
    try expectEqual(problems(everything()), [])
    try expectEqual(problems(JSON(parsing: ReportFormatTests.report().data(), source: "r")), [])
    try expectEqual(problems(JSON(parsing: Flights.report([]).data(), source: "r")), [])
    try expectEqual(problems(JSON(parsing: CoverageTests.report().data(), source: "r")), [])
    var barred = Flights.report(Flights.drawn(30, seed: 1))
    var hard = Scenario(barred.scenarios[0].name)
    hard.survival = Survival(.some, by: "care", wrong: "haste")
    (barred.bars, barred.scenarios[0].scenario) = (.mobile, hard)
    try expectEqual(problems(JSON(parsing: barred.data(), source: "r")), [])
    let strange = Flights.report(NotOnCassetteTests.calls(1...2))
    try expectEqual(problems(JSON(parsing: strange.data(), source: "r")), [])
    var calls = Flights.drawn(1, seed: 3)
    var sent = Observation.Sent()
    (sent.content, sent.credentials, sent.isElsewhere) = (1, [2, 3], true)
    (sent.deed, sent.isSecure) = (7, true)
    (sent.key, sent.marks, sent.apiKeys) = (4, [5], [6])
    (sent.addsParameters, sent.secretParameters) = (true, ["token"])
    (sent.resumesAt, sent.isResumedConditionally) = (40, true)
    calls[0].attempts[0].sent = sent
    calls[0].joinsVersions = true
    (calls[0].replacesScalars, calls[0].showsCutEvent) = (true, false)
    (calls[0].showsMojibake, calls[0].hidesErrorEvent) = (true, true)
    calls[0].rogueResponse = .shown
    calls[0].configuration = .init(kept: 5, isGiven: true, signed: [4], changed: [6], used: [6])
    var log = ConversationLog()
    log.messages = [
      .init(from: .server, at: .zero, number: 1, digest: 1),
      .init(from: .client, at: .zero, number: 2, asks: true),
    ]
    calls[0].received = ReceivedMessages()
    calls[0].received?.messages = [.init(digest: .max, at: .zero)]
    calls[0].received?.further = 1
    (log.further, log.waiting, log.clientPings, log.serverPongs) = (1, 1, 2, 1)
    (log.serverPings, log.clientPongs, log.unansweredSince) = (2, 1, .zero)
    (log.silentSince, log.end, log.ending) = (.zero, .zero, .server(1012))
    calls[0].attempts[0].conversation = log
    calls[0].attempts[0].unappliedFaults = [
      .init(fault: "reset", reason: "the response has 4 events")
    ]
    (calls[0].attempts[0].isOpenAtEnd, calls[0].attempts[0].bytesSent) = (true, 120)
    let told = Flights.report(calls)
    try expectEqual(problems(JSON(parsing: told.data(), source: "r")), [])
    #expect(String(decoding: told.data(), as: UTF8.self).contains("secretParameters"))
    #expect(String(decoding: told.data(), as: UTF8.self).contains("joinsVersions"))
    #expect(String(decoding: told.data(), as: UTF8.self).contains("unansweredSinceMilliseconds"))
  }

  @Test(arguments: [
    ("\"stage\": \"wire\"", "\"stage\": \"air\"", "$.scenarios[0].stage: \"air\""),
    ("\"seed\": 7", "\"sed\": 7", "$: unknown sed"),
    ("\"duplicates\": ", "\"duplicates\": -", "$.scenarios[0].subjects[0].duplicates"),
    ("\"decisionHash\": \"", "\"decisionHash\": 5, \"_\": \"", "$.decisionHash: no string"),
  ]) func `what is not meant is found`(old: String, new: String, problem: String) throws {
    let text = String(decoding: try everything().fileBytes(), as: UTF8.self)
    let doctored = text.replacing(old, with: new)
    try #require(doctored != text)
    let found = try problems(JSON(parsing: doctored.utf8, source: "r"))
    #expect(found.contains { $0.hasPrefix(problem) }, "\(found.prefix(5))")
  }
}
