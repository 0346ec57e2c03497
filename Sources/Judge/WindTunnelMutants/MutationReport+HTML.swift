package import Foundation

extension MutationReport {
  /// The report as one self-contained HTML page, with every recording, operator and test.
  package func htmlData() -> Data {
    let style = [.none: "passed", .suiteFailed: "crashed", .newBlindSpot: "failed"][verdict]
    let kinds: [MutatedEndpoint.Column: HTML.Cell.Kind] = [.noticed: .good, .blind: .bad]
    let rows = endpoints.map { endpoint -> [HTML.Cell] in
      let columns = MutatedEndpoint.levels.map { level in
        let column = endpoint.column(level)
        return HTML.Cell(column.rawValue, kinds[column] ?? .figure)
      }
      let (name, remark) = (HTML.Cell(endpoint.name, .words), HTML.Cell(endpoint.remark, .words))
      return [name] + columns + [remark]
    }
    let heads = ["endpoint"] + MutatedEndpoint.levels.map { "\($0)" } + [""]
    let details = endpoints.map { endpoint in
      let rows = endpoint.outcomes.map { $0.cells(blind: endpoint.blindSpots) }
      return "<details class=\"faults\"><summary>\(endpoint.name.escapedForHTML)</summary>"
        + HTML.table(["recording", "fault", "", "tests"], rows) + "</details>"
    }
    let notes = lowerLines(width: .max) + [again.map { "again: \($0)" }].compactMap { $0 }
    let title = verdictLine.escapedForHTML
    let body = """
      <header class="verdict \(style ?? "inconclusive")">
      <p class="dim">Broken responses and the tests that notice them</p><h1>\(title)</h1></header>
      <section class="columns"><h2>Endpoints</h2>\(HTML.table(heads, rows))
      <p class="dim legend">\(Self.legend)</p>
      <ul>\(notes.map { "<li>\($0.escapedForHTML)</li>" }.joined(separator: "\n"))</ul></section>
      <section><h2>Each fault</h2>\(details.joined(separator: "\n"))</section>
      """
    return Data(HTML.page(title, body, of: .mutants).utf8)
  }
}

extension MutantOutcome {
  fileprivate func cells(blind: Set<MutationOperator>) -> [HTML.Cell] {
    let tests = runs.map { test, result in
      let (word, by, message) = result.shown
      let words: [String?] = [test.name, word, by, message]
      return words.compactMap { $0 }.joined(separator: ": ")
    }
    return [
      HTML.Cell("\(recording.split(separator: "/").last ?? "")", .words),
      HTML.Cell("\(mutant.operator.name) \(mutant.path ?? "")", .code),
      HTML.Cell("\(verdict)", blind.contains(mutant.operator) ? .bad : .figure),
      HTML.Cell(tests.joined(separator: "; "), .words),
    ]
  }
}
