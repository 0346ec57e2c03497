import Mutations
import TestSupport
import WindTunnelHAR
import WindTunnelSymptoms

@testable import WindTunnel

@Suite struct HARExportTests {
  private func backAndForth(_ cassette: Cassette) throws -> HARImport {
    let har = HARExport(cassette, keepingSecrets: true).data
    return try HARImport(har, source: "a.har", keepingSecrets: true)
  }

  private func imported(_ entry: String) throws -> Cassette {
    try Cassette(har: Data(#"{"log": {"entries": [\#(entry)]}}"#.utf8), source: "a.har")
  }

  @Test func `an exchange that HAR can say whole is written in its own fields alone`() throws {
    var interaction = Interaction(
      Request(
        "POST",
        "https://api.example.test/a?b=c+d",
        headers: ["Cookie": "x=1"],
        body: Body("q=1")
      ),
      Response(
        status: 302,
        headers: [
          "Location": "/b", "Set-Cookie": "y=2; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT",
        ],
        body: Body("é")
      )
    )
    interaction.timing = Timing(firstByte: .microseconds(41_200), lastByte: .milliseconds(43))
    interaction.notes = [JSON.Member("_ticket", 12)]
    let text = String(decoding: HARExport(Cassette([interaction])).data, as: UTF8.self)
    expectEqual(text, TestData.text("exchange.har"))
  }

  @Test func `what HAR has no field for is added in the cassette's own words`() throws {
    var interaction = Interaction(
      Request("GET", "/users/{id}"),
      .cut(Response(headers: [:], body: Body("half")), Failure(.emptyAnswer, text: "gone")),
      then: .cycle
    )
    interaction.recordedAt = "2025-11-03T10:00:00Z"
    let json = try JSON(parsing: HARExport(Cassette([interaction])).data, source: "a.har")
    let entries = json["log"]?["entries"]?.elements ?? []
    expectEqual(entries.first?["startedDateTime"], "2025-11-03T10:00:00.000Z")
    expectEqual(entries.first?["request"]?["url"], "http://any-host.invalid/users/%7Bid%7D")
    expectEqual(
      entries.first?["_windtunnel"],
      [
        "request": ["method": "GET", "url": "/users/{id}"],
        "failure": ["symptom": "emptyAnswer", "text": "gone"], "then": "cycle",
        "recordedAt": "2025-11-03T10:00:00Z",
      ]
    )
  }

  @Test func `a gzip body is shown opened and comes back as it was`() throws {
    let gzip = Data(base64Encoded: "H4sIAAAAAAACA6tWykxRsjKvBQBDXwcSCAAAAA==") ?? Data()
    let cassette = Cassette([
      Interaction(
        Request("GET", "https://a.test/"),
        Response(headers: ["Content-Encoding": "gzip", "Content-Length": "28"], body: Body(gzip))
      )
    ])
    let text = String(decoding: cassette.har(), as: UTF8.self)
    #expect(text.contains(#""text": "{\"id\":7}""#))
    try expectEqual(backAndForth(cassette).cassette, cassette)
  }

  @Test(.bothTiers, arguments: Tier.cases(Array(1...300 as ClosedRange<UInt64>), few: 60))
  func `any cassette comes back from a HAR as it was`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    let cassette = generator.cassette()
    let result = try backAndForth(cassette)
    expectEqual(result.cassette, cassette)
    expectEqual(result.warnings, [])
  }

  @Test(arguments: try shipped("format") + shipped("examples"))
  func `every shipped cassette comes back from a HAR as it was`(file: URL) throws {
    guard file.lastPathComponent.hasPrefix("cassette") || file.path.contains("examples") else {
      return
    }
    let cassette = try Cassette(contentsOf: file)
    try expectEqual(backAndForth(cassette).cassette, cassette)
  }

  @Test func `notes keep their places in a HAR, and a secret in one is redacted`() throws {
    let cassette = try imported(
      """
      {"startedDateTime": "2025-01-01T00:00:00Z", "_a": 1,
       "request": {"method": "GET", "url": "https://a.test/", "_b": "https://u:pass-phrase@b.test"},
       "response": {"status": 204, "_c": [2], "_error": null},
       "timings": {"wait": 1, "receive": 0, "_d": {}}}
      """
    )
    let interaction = cassette.interactions.first
    expectEqual(interaction?.notes, [JSON.Member("_a", 1)])
    expectEqual(
      interaction?.innerNotes,
      [
        "request": [JSON.Member("_b", "https://REDACTED-userinfo-1@b.test")],
        "response": [JSON.Member("_c", [2])], "timing": [JSON.Member("_d", .object([]))],
      ]
    )
    try expectEqual(backAndForth(cassette).cassette, cassette)
  }

  @Test func `the log's notes are the cassette's, and none repeats a credential`() throws {
    let har = """
      {"log": {"_recordingName": "home", "_seen": ["pass-phrase"], "entries": [
        {"startedDateTime": "2025-01-01T00:00:00Z", "response": {"status": 204},
         "request": {"method": "GET", "url": "https://a.test/",
           "headers": [{"name": "Authorization", "value": "Bearer pass-phrase"}]}}]}}
      """
    let result = try HARImport(Data(har.utf8), source: "a.har")
    expectEqual(
      result.cassette.notes,
      [JSON.Member("_recordingName", "home"), JSON.Member("_seen", ["REDACTED-authorization-1"])]
    )
    expectEqual(result.warnings, [])
  }

  @Test(arguments: [
    (#"{"then": "rarely"}"#, "a.har, log.entries[0]._windtunnel.then: "),
    (
      #"{"request": {"url": "/", "headrs": []}}"#,
      "a.har, log.entries[0]._windtunnel.request.headrs: "
    ),
    (#"{"response": {"file": "/etc/passwd"}}"#, "a.har, log.entries[0]._windtunnel: a HAR has no "),
    ("[]", "a.har, log.entries[0]._windtunnel: expected an object."),
  ])
  func `an addition that is none of ours is refused at its place`(
    addition: String,
    beginning: String
  ) {
    let entry = """
      {"startedDateTime": "2025-01-01T00:00:00Z", "response": {"status": 204},
       "request": {"method": "GET", "url": "https://a.test/"}, "_windtunnel": \(addition)}
      """
    #expect(refusal { try imported(entry) }.hasPrefix(beginning))
  }

  @Test func `a HAR with additions of a newer version is refused`() {
    let har = Data(#"{"log": {"_windtunnel": {"version": 2}, "entries": []}}"#.utf8)
    expectEqual(
      refusal { try HARImport(har, source: "a.har") },
      "a.har: this is a version 2 HAR of windtunnel's, but windtunnel reads version 1. Update "
        + "windtunnel."
    )
  }

  @Test(.bothTiers, arguments: Tier.cases(Array(1...300 as ClosedRange<UInt64>), few: 60))
  func `a damaged HAR of ours is read or refused in words`(seed: UInt64) {
    var generator = Generator(seed: seed)
    let har = HARExport(generator.cassette()).data
    let damaged = Data(generator.mutated(Array(har)))
    let words = refusal { try HARImport(damaged, source: "a.har") }
    #expect(words.isEmpty || words.hasPrefix("a.har"))
  }
}
