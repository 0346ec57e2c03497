import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelHAR

/// What an exporter has lost, coded in its own way, or broken costs no more than itself.
@Suite struct HARLossTests {
  @Test func `a loss is named, and nothing else is lost for it`() throws {
    let table = try JSON(parsing: TestData.text("HAR/losses.json").utf8, source: "losses.json")
    try #require(table.elements.count == 22)
    for row in table.elements {
      let entries = try #require(row["entries"]).elements
      let texts = entries.map { String(decoding: $0.bytes(.compact), as: UTF8.self) }
      let read = try HARImport(har(texts.joined(separator: ",")), source: "a.har")
      let bodies = read.cassette.interactions.compactMap(\.response).map { response in
        response.body.text ?? response.body.data.base64EncodedString()
      }
      let name = "\(row["name"]?.stringValue ?? "")"
      expectEqual(bodies, row["bodies"]?.elements.compactMap(\.stringValue), "\(name)")
      expectEqual(read.warnings, row["warnings"]?.elements.compactMap(\.stringValue), "\(name)")
      let failures = read.cassette.interactions.compactMap(\.failure?.symptom.rawValue)
      expectEqual(failures, row["failures"]?.elements.compactMap(\.stringValue) ?? [], "\(name)")
      let isEmptied = read.warnings.contains { $0.hasSuffix("an empty one is played.") }
      expectEqual(read.cassette.remarks.count, isEmptied ? 1 : 0, "\(name)")
    }
  }
}
