/// A condition that a search must meet, such as `searchedDepth >= 2` or `finds == 0`.
public struct SearchGate: Sendable, CustomStringConvertible {
  /// The figures of a report that a gate can use.
  public enum Figure: String, Sendable, CaseIterable {
    /// The number of elements up to which every fault set ran.
    case searchedDepth
    /// The number of finds.
    case finds
    /// The number of finds that an earlier report does not contain.
    case newFinds
    /// The number of fault sets that ran.
    case faultSets
  }

  /// The error of an invalid gate.
  public struct Malformed: Error, Sendable, CustomStringConvertible {
    /// A sentence about the invalid text and the valid figures.
    public let description: String
  }

  private let figure: Figure
  private let comparison: Gate.Comparison
  private let bar: Int
  /// The text of the gate.
  public let description: String

  /// Parses a gate: a figure, one of `==`, `!=`, `<`, `<=`, `>` and `>=`, and an integer.
  public init(_ text: String) throws(Malformed) {
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 3, let figure = Figure(rawValue: words[0]), let bar = Int(words[2]),
      let comparison = Gate.Comparison(rawValue: words[1])
    else {
      let figures = Figure.allCases.map(\.rawValue).joined(separator: ", ")
      throw Malformed(
        description:
          "\"\(text)\" is not a gate of a search such as \"finds == 0\": the metrics are "
          + "\(figures), and the comparison needs a space on both sides."
      )
    }
    (self.figure, self.comparison, self.bar, description) = (figure, comparison, bar, text)
  }

  /// Whether the gate compares with an earlier report.
  package var needsBaseline: Bool { figure == .newFinds }

  /// Returns the value of the figure in a report, or `nil` if it is unknown.
  func value(in certificate: SearchReport) -> Int? {
    switch figure {
    case .searchedDepth: certificate.depth
    case .finds: certificate.finds.count
    case .faultSets: certificate.runs
    case .newFinds:
      certificate.finds.contains { $0.isNew == nil }
        ? nil : certificate.finds.count { $0.isNew == true }
    }
  }

  /// Returns whether a report meets the gate; `nil` if this is unknown.
  package func isMet(by certificate: SearchReport) -> Bool? {
    value(in: certificate).map { comparison.holds(Double($0), against: Double(bar)) }
  }
}

/// The error of a search that did not meet its gates.
public struct GatesFailed: Error, Sendable, CustomStringConvertible {
  /// The gates that failed, and the report.
  public let description: String
}

extension SearchReport {
  /// Throws if any of these gates is not met.
  ///
  /// ```swift
  /// try certificate.require("searchedDepth >= 2", "finds == 0")
  /// ```
  public func require(_ gates: String...) throws {
    let failed = try gates.map { try SearchGate($0) }.filter { $0.isMet(by: self) != true }
    guard !failed.isEmpty else { return }
    let names = failed.map { gate in
      "\(gate) (it is \(gate.value(in: self).map(String.init) ?? "unknown without a baseline"))"
    }
    throw GatesFailed(description: "Not met: \(names.joined(separator: ", ")).\n\(text)")
  }
}
