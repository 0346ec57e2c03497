public import Foundation

/// The bars that a client must clear in each class of scenarios, with the source of each figure.
///
/// A class is the share of a good client's calls that can succeed (`Survival.Calls`). A bar applies
/// to every scenario of its class. A scenario's own bar (`Scenario.bars`) replaces the bar on the
/// same figure there.
public struct Bars: Sendable, Hashable {
  /// A bar of a class of scenarios.
  public struct Bar: Sendable, Hashable {
    /// The class of the scenarios.
    public var scenarios: Survival.Calls
    /// The condition, without a prefix.
    public var gate: Gate
    /// The reason for the figure, with its publication.
    public var source: String

    /// Creates a bar from its parts.
    public init(in scenarios: Survival.Calls, _ gate: Gate, source: String) {
      (self.scenarios, self.gate, self.source) = (scenarios, gate, source)
    }
  }

  /// The name of the set, such as `mobile`.
  public var name: String
  /// The bars, in the order of a report.
  public var all: [Bar]

  /// Creates a set of bars.
  public init(_ name: String, _ all: [Bar]) { (self.name, self.all) = (name, all) }

  /// The maximum size of a file of bars in bytes.
  public static let fileBytesMax = 1 << 20

  /// Reads a file of bars, version 1. Throws `FormatError` for a gate with a prefix, an endpoint or
  /// a comparison with a baseline.
  public init(contentsOf file: URL) throws {
    let data = try FileError.reading(file, bytesMax: Self.fileBytesMax)
    let source = file.lastPathComponent
    try self.init(
      reading: ObjectReader(JSON(parsing: data, source: source), source: source, path: "")
    )
  }
}

// { "windtunnelBars": 1, "name": "our app",
//   "bars": [ { "class": "all", "gate": "successRate >= 0.99", "source": "our SLO" } ] }
extension Bars: JSONObject {
  package static let blank = Bars("", [])

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.version("windtunnelBars", of: "set of bars")
    try fields.string("name", &name, ("name", "a set of bars requires a name"))
    try fields.list("bars", &all)
    try fields.refuse(all.isEmpty, "bars", "a set requires at least one bar")
  }
}

extension Bars.Bar: JSONObject {
  package static let blank = Bars.Bar(
    in: .all,
    Gate(.calls, of: nil, .atLeast, .figure(0), in: nil),
    source: ""
  )

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    var (share, text): (Survival.Calls?, String) = (scenarios, gate.description)
    try fields.choice("class", &share)
    scenarios = try fields.required(share, ("class", "expected all, some or none"))
    try fields.string("gate", &text, ("gate", "it is missing, such as \"successRate >= 0.99\""))
    if fields.isReading {
      do throws(GateError) {
        gate = try Gate(text)
        try gate.checkAsOwn()
      } catch {
        throw fields.object.error(
          "gate",
          "column \(error.column): \(error.problem)",
          fix: error.fix
        )
      }
    }
    try fields.refuse(
      gate.needsBaseline,
      "gate",
      "a bar requires a number, and cannot use the baseline"
    )
    try fields.refuse(gate.endpoint != nil, "gate", "a bar applies to all calls of a scenario")
    try fields.string("source", &source, ("source", "a bar requires the reason for its number"))
  }
}
