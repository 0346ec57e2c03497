import Mutations
import TestSupport

@testable import WindTunnel
@testable import WindTunnelHAR

/// Whether an exported file conforms to HAR 1.2.
@Suite struct HARSchemaTests {
  private func problems(_ har: Data) throws -> [String] {
    HARSchema.problems(in: try JSON(parsing: har, source: "a.har"))
  }

  @Test(.bothTiers, arguments: Tier.cases(Array(1...300 as ClosedRange<UInt64>), few: 60))
  func `any cassette is written as HAR 1.2`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    let cassette = generator.cassette()
    try expectEqual(problems(HARExport(cassette).data), [])
    try expectEqual(problems(HARExport(cassette, keepingSecrets: true).data), [])
  }

  @Test func `the check finds what is wrong`() throws {
    let text = """
      {"log": {"version": "1", "creator": {"name": 1, "version": "1"}, "entries": [
        {"startedDateTime": "now", "time": -2, "request": {}, "response": null, "cache": {}, "cache": {},
         "timings": {"send": 0, "wait": 0, "receive": 0}}]}}
      """
    let found = try problems(Data(text.utf8))
    let expected = [
      "$.log.version: 1", "$.log.creator.name: no string", "$.log.entries[0].startedDateTime: now",
      "$.log.entries[0].request: no url", "$.log.entries[0].response: no object",
      "$.log.entries[0].time: -2", "$.log.entries[0]: a name stands twice",
    ]
    for problem in expected { #expect(found.contains(problem), "\(found)") }
    // Without this, the check would pass with less of the schema.
    expectEqual(HARSchema.text.ranges(of: "\"$ref\"").count, 90)
  }

  @Test func `the note with the content of a HAR gets neither into a HAR nor past a redaction`() {
    var cassette = Cassette([Interaction(Request("GET", "https://a.test/"), Response())])
    cassette.notes = [JSON.Member("_har", ["pages": ["page_1"]])]
    cassette.interactions[0].notes = cassette.notes
    let files = [false, true].map { HARExport(cassette, keepingSecrets: $0).data }
    for data in files + [cassette.redacted().cassette.data()] {
      #expect(data.range(of: Data("_har".utf8)) == nil)
    }
  }

  @Test func `entries come back in their order where one of them bears no date`() throws {
    func entry(_ path: String, _ date: String) -> String {
      """
      {"startedDateTime": "\(date)", "request": {"method": "GET", "url": "https://a.test/\(path)"},
       "response": {"status": 204}, "timings": {"wait": 1.5, "receive": 0}}
      """
    }
    let entries = [
      entry("1", "2024-05-01T10:00:00.0007Z"), entry("2", "?"),
      entry("3", "2024-05-01T10:00:00.001Z"),
      entry("4", "2030-01-01T00:00:00Z"), entry("5", "?"),
    ]
    let text = #"{"log": {"_windtunnel": null, "entries": [\#(entries.joined(separator: ","))]}}"#
    let read = try HARImport(Data(text.utf8), source: "a.har", keepingSecrets: true).cassette
    expectEqual(read.interactions.map(\.request.url.path), ["/1", "/2", "/3", "/4", "/5"])
    let har = HARExport(read, keepingSecrets: true).data
    try expectEqual(problems(har), [])
    try expectEqual(HARImport(har, source: "b.har", keepingSecrets: true).cassette, read)
    // The order of the cassette wins over the dates that its interactions had.
    let turned = Cassette(read.interactions.reversed())
    let other = HARExport(turned, keepingSecrets: true).data
    try expectEqual(
      HARImport(other, source: "b.har", keepingSecrets: true).cassette.interactions,
      turned.interactions
    )
  }
}
