import Foundation
import Mutations
import TestSupport
import Testing

@testable import WindTunnel
@testable import WindTunnelCassettes
@testable import WindTunnelHAR
@testable import WindTunnelRedaction

/// What is written is HAR 1.2, and what was read of one comes back.
@Suite struct HARSchemaTests {
  private func problems(_ har: Data) throws -> [String] {
    HARSchema.problems(in: try JSON(parsing: har, source: "a.har"))
  }

  @Test(arguments: 1...300)
  func `any cassette is written as HAR 1.2`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    let cassette = generator.cassette()
    try expectEqual(problems(HARExport(cassette).data), [])
    try expectEqual(problems(HARExport(cassette, keepingSecrets: true).data), [])
  }

  @Test func `the check finds what is wrong`() throws {
    let text = """
      {"log": {"version": "1", "creator": {"name": 1, "version": "1"}, "entries": [
        {"startedDateTime": "now", "time": -2, "request": {}, "response": null, "cache": {},
         "timings": {"send": 0, "wait": 0, "receive": 0}}]}}
      """
    let found = try problems(Data(text.utf8))
    #expect(found.contains("$.log.version: \"1\""))
    #expect(found.contains("$.log.creator.name: 1"))
    #expect(found.contains("$.log.entries[0].startedDateTime: now"))
    #expect(found.contains("$.log.entries[0].request.url is missing"))
    #expect(found.contains("$.log.entries[0].response: null"))
  }

  /// Every member that HAR 1.2 has, as a browser might write it.
  private static let whole = TestData.text("whole.har")

  @Test func `with its secrets kept every member of a HAR comes back, also the second time`() throws
  {
    let original = try JSON(parsing: Data(Self.whole.utf8), source: "a.har")
    expectEqual(HARSchema.problems(in: original), [])
    let read = try HARImport(Data(Self.whole.utf8), source: "a.har", keepingSecrets: true).cassette
    let har = HARExport(read, keepingSecrets: true).data
    let written = try JSON(parsing: har, source: "b.har")
    expectEqual(HARSchema.problems(in: written), [])
    expectEqual(Self.lost(original, written, "$"), [])
    try expectEqual(HARImport(har, source: "b.har", keepingSecrets: true).cassette, read)
    try expectEqual(Cassette(data: read.data(), source: "a.json"), read)
    // What a client is told is as without.
    let plain = try HARImport(Data(Self.whole.utf8), source: "a.har").cassette
    expectEqual(
      plain.interactions.map(\.result),
      read.interactions.map(\.result).map { answer in
        guard case .response(var response) = answer else { return answer }
        response.head.headers["Set-Cookie"] = "f=REDACTED-f-1"
        return .response(response)
      }
    )
    #expect(!String(decoding: plain.data(), as: UTF8.self).contains("_har"))
  }

  @Test func `what was changed in the cassette since is not written over by what the HAR said`()
    throws
  {
    var cassette = try HARImport(Data(Self.whole.utf8), source: "a.har", keepingSecrets: true)
      .cassette
    cassette.interactions[0].result = .response(Response(status: 404, body: Body("gone")))
    let har = HARExport(cassette, keepingSecrets: true).data
    let entry = try JSON(parsing: har, source: "b.har")["log"]?["entries"]?.elements.first
    expectEqual(entry?["response"]?["status"], 404)
    expectEqual(entry?["response"]?["content"]?["text"], "gone")
    try expectEqual(HARImport(har, source: "b.har", keepingSecrets: true).cassette, cassette)
  }

  @Test func `without its secrets nothing of the note gets into a HAR`() throws {
    let cassette = try HARImport(Data(Self.whole.utf8), source: "a.har", keepingSecrets: true)
      .cassette
    let text = String(decoding: HARExport(cassette).data, as: UTF8.self)
    for word in ["_har", "page_1", "2001:db8::1", "a=b", "f=g"] { #expect(!text.contains(word)) }
  }

  @Test func `what no tool reads is not put back`() throws {
    let text = """
      {"log": {"version": 1.2, "creator": {"name": "x"}, "pages": [{"id": "p",
        "startedDateTime": "2024-05-01T10:00:00Z"}, {"id": 7}],
       "entries": [{"startedDateTime": "2024-05-01T10:00:00Z", "time": "12", "connection": null,
        "serverIPAddress": "[::1]", "cache": [],
        "request": {"method": "GET", "url": "https://a.test/", "cookies": null, "headersSize": 1.5,
          "headers": [{"name": "Accept", "value": ["a", "b"]}]},
        "response": {"status": 200, "statusText": null, "redirectURL": null, "content": null},
        "timings": {"blocked": null, "dns": -7, "wait": 1, "receive": 0}}]}}
      """
    let read = try HARImport(Data(text.utf8), source: "a.har", keepingSecrets: true).cassette
    let har = HARExport(read, keepingSecrets: true).data
    try expectEqual(problems(har), [])
    let log = try JSON(parsing: har, source: "b.har")["log"]
    expectEqual(
      log?["pages"],
      [
        ["id": "p", "startedDateTime": "2024-05-01T10:00:00Z", "title": "", "pageTimings": [:]],
        [
          "id": "7", "startedDateTime": "2024-05-01T10:00:00.000Z", "title": "", "pageTimings": [:],
        ],
      ]
    )
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

  /// The places of an original whose values are not in another file.
  private static func lost(_ original: JSON, _ written: JSON?, _ place: String) -> [String] {
    switch (original, written) {
    case (.object(let members), .object?):
      members.flatMap { lost($0.value, written?[$0.name.value], "\(place).\($0.name.value)") }
    case (.array(let there), .array(let here)?) where there.count == here.count:
      zip(there, here).enumerated().flatMap { lost($1.0, $1.1, "\(place)[\($0)]") }
    default: original == written ? [] : [place]
    }
  }
}
