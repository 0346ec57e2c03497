import TestSupport

@testable import WindTunnel

/// The tables and texts that tests read, in `Data` beside this file.
enum DataFiles {
  /// The texts of a table in `redaction.json`, and what is kept of each: the text itself if the table
  /// has nothing else. Tests replace the signs that stand for a secret.
  static func redactions(_ table: String, count: Int) throws -> [(String, String)] {
    let json = try JSON(parsing: TestData.text("redaction.json").utf8, source: table)
    let rows = (json[table]?.elements ?? []).map { $0.elements.isEmpty ? [$0] : $0.elements }
    // Without this, the tests would pass with fewer rows.
    try #require(rows.count == count)
    return try rows.map { try (#require($0.first?.stringValue), #require($0.last?.stringValue)) }
  }

  /// The rows of a table, each a list of cells.
  static func rows(_ path: String, count: Int) throws -> [[JSON]] {
    let rows = try JSON(parsing: TestData.text(path).utf8, source: path).elements
    // Without this, the tests would pass with fewer rows.
    try #require(rows.count == count)
    return rows.map(\.elements)
  }

  /// The documents of a table, and the sentence that refuses each. A string in the table is a
  /// document that is not JSON, or that has a name twice.
  static func refusals(_ table: String, count: Int) throws -> [(String, String)] {
    let json = try JSON(parsing: TestData.text("Refusals/\(table).json").utf8, source: table)
    let rows = json.elements
    // Without this, the tests would pass with fewer rows.
    try #require(rows.count == count)
    return try rows.map(\.elements).map { cells in
      let document = cells[0].stringValue ?? String(decoding: cells[0].bytes(), as: UTF8.self)
      return (document, try #require(cells[1].stringValue))
    }
  }
}
