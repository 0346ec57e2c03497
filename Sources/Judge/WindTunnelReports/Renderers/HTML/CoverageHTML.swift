extension Report {
  /// A table of faults by endpoints over all scenarios. The cells contain the numbers of attempts
  /// that met the fault.
  var htmlCoverage: String {
    let table = CoverageTable(self)
    guard !table.faults.isEmpty else { return "" }
    let shown = table.endpoints.prefix(CoverageTable.endpointsMax)
    let rows = table.faults.map { fault in
      let cells = shown.map { endpoint in
        let cell = table.cell(fault, endpoint)
        return "<td class=\"\(cell.kind.rawValue)\">\(cell.words)</td>"
      }
      return "<tr><th class=\"words\">\(fault.escapedForHTML)</th>\(cells.joined())</tr>"
    }
    let more = table.endpoints.count - shown.count
    let rest = more > 0 ? "<p class=\"dim\">Endpoints only in the JSON report: \(more).</p>" : ""
    return """
      <section id="coverage"><h2>Coverage: \(table.words)</h2>
      <p class="dim">Each cell counts the first, second, third and later attempts (4+) that met the \
      fault. “Not met” does not mean passed: how the client handles that fault is unknown.</p>
      \(HTML.grid(["fault"] + shown, rows, class: "tried"))\(rest)</section>
      """
  }
}

/// The combined coverage of all scenarios of a report.
struct CoverageTable {
  /// The maximum number of endpoints that fit on a desktop.
  static let endpointsMax = 12

  /// The faults, in the order of the scenarios.
  let faults: [String]
  /// The endpoints, in the same order.
  let endpoints: [String]
  private let cells: [[String]: [Coverage.Row]]
  private let met: Int
  private let countable: Int

  /// Combines the coverage of the judged client.
  init(_ report: Report) {
    let all = report.scenarios.compactMap { $0.subjects.first?.coverage }
    let rows = all.flatMap(\.rows)
    faults = rows.grouped(by: \.fault).map(\.key)
    endpoints = rows.grouped(by: \.endpoint).map(\.key)
    cells = Dictionary(grouping: rows) { [$0.fault, $0.endpoint] }
    countable = all.reduce(0) { $0 + $1.countable.count }
    met = countable - all.reduce(0) { $0 + $1.gaps.count }
  }

  /// The number of faults that were met, and the number of possible faults.
  var words: String { "\(met) of \(countable) met" }

  /// Returns the colour and the text of a cell.
  func cell(_ fault: String, _ endpoint: String) -> (kind: HTML.Cell.Kind, words: String) {
    let rows = cells[[fault, endpoint]] ?? []
    let firsts = rows.map(\.first).filter { $0 != .cannotBeMet }
    guard !firsts.isEmpty else { return (.figure, "cannot be met here") }
    let names = ["1st", "2nd", "3rd", "4+"]
    let counts = names.enumerated().compactMap { place, name -> String? in
      let count = rows.reduce(0) { $0 + $1.attempts[place].count }
      return count > 0 ? "\(name) \(count)" : nil
    }
    // A fault that was not met in each scenario counts as not met.
    let missing = firsts.count { $0 == .notMet }
    let unseen = firsts.count { $0 == .unseen }
    let place = firsts.count > 1 ? " in \(missing) of \(firsts.count) scenarios" : ""
    var words: [String] = []
    if missing > 0 { words.append("not met\(place)") }
    if unseen > 0 { words.append("not seen") }
    words += counts
    let kind: HTML.Cell.Kind = missing > 0 ? .bad : unseen > 0 ? .doubtful : .good
    return (kind, words.joined(separator: " · "))
  }
}
