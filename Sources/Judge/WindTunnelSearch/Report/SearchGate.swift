/// A bar that a search has to clear, such as `searchedDepth >= 2` or `finds == 0`.
public struct SearchGate: Sendable, CustomStringConvertible {
  /// The figures of a certificate that a gate can ask for.
  public enum Figure: String, Sendable, CaseIterable {
    /// The number of things up to which every fault set was flown.
    case searchedDepth
    /// The number of finds.
    case finds
    /// The number of finds that an earlier certificate does not have.
    case newFinds
    /// The number of fault sets that were flown.
    case faultSets
  }

  /// The error of a text that is no gate.
  public struct Malformed: Error, Sendable, CustomStringConvertible {
    /// A sentence that says what was there and what there is.
    public let description: String
  }

  private let figure: Figure
  private let comparison: Gate.Comparison
  private let bar: Int
  /// The text of the gate.
  public let description: String

  /// Reads a gate: a figure, one of `==`, `!=`, `<`, `<=`, `>` and `>=`, and a whole number.
  public init(_ text: String) throws(Malformed) {
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 3, let figure = Figure(rawValue: words[0]), let bar = Int(words[2]),
      let comparison = Gate.Comparison(rawValue: words[1])
    else {
      let figures = Figure.allCases.map(\.rawValue).joined(separator: ", ")
      throw Malformed(
        description: "\"\(text)\" is no gate of a search such as \"finds == 0\": the figures are "
          + "\(figures), and there is a space on both sides of the comparison."
      )
    }
    (self.figure, self.comparison, self.bar, description) = (figure, comparison, bar, text)
  }

  /// Tells whether it is about what is new.
  package var needsBaseline: Bool { figure == .newFinds }

  /// Returns the figure that a certificate has; `nil`: it cannot be told.
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

  /// Tells whether a certificate clears the bar; `nil` where that cannot be told.
  package func isMet(by certificate: SearchReport) -> Bool? {
    value(in: certificate).map { comparison.holds(Double($0), against: Double(bar)) }
  }
}

/// The error of a search that did not clear its bars.
public struct GatesFailed: Error, Sendable, CustomStringConvertible {
  /// The gates that failed, and the certificate.
  public let description: String
}

extension SearchReport {
  /// Throws where one of these gates is not met.
  ///
  /// ```swift
  /// try certificate.require("searchedDepth >= 2", "finds == 0")
  /// ```
  public func require(_ gates: String...) throws {
    let failed = try gates.map { try SearchGate($0) }.filter { $0.isMet(by: self) != true }
    guard !failed.isEmpty else { return }
    let names = failed.map { gate in
      "\(gate) (it is \(gate.value(in: self).map(String.init) ?? "not known without a baseline"))"
    }
    throw GatesFailed(description: "Not met: \(names.joined(separator: ", ")).\n\(text)")
  }
}
