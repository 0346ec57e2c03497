internal import WindTunnel

// The bars of a run as a table, with which each form of a report begins.
extension Report {
  private static let heads = ["figure", "class", "bar", "worst", "in", "verdict"]

  /// The results grouped by figure, in the order of the set.
  private var barGroups: [BarResult] {
    barResults.grouped(by: \.figure).flatMap(\.1)
  }

  /// The lines of a terminal; none without bars.
  func barLines(_ form: TextForm) -> [String] {
    guard let bars, !barResults.isEmpty else { return [] }
    var last = ""
    let rows = barGroups.map { result -> [String] in
      defer { last = result.figure }
      return [result.figure == last ? "" : result.figure] + result.cells.map(\.visibleInLine)
    }
    let all = [["bars \(bars.name.visibleInLine)"] + Self.heads.dropFirst()] + rows
    let widths = Self.heads.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.enumerated().map { place, row in
      let line = row.enumerated().map { column, cell in
        let isLast = column == row.count - 1
        let isBad = place > 0 && isLast && barGroups[place - 1].verdict == .failed
        let pad = isLast ? "" : String(repeating: " ", count: widths[column] - cell.count)
        return form.red(cell, isBad) + pad
      }
      return line.joined(separator: "  ")
    } + [""]
  }

  /// The lines of a page in Markdown; none without bars.
  var barMarkdown: [String] {
    guard let bars, !barResults.isEmpty else { return [] }
    let heads = (Self.heads + ["source"]).joined(separator: " | ")
    return [
      "### Bars: \(bars.name.escapedForMarkdown)", "", "| \(heads) |",
      "|---|---|---|---:|---|---|---|",
    ]
      + barGroups.map { result in
        let cells = [result.figure] + result.cells + [result.bar.source]
        return "| \(cells.map(\.escapedForMarkdown).joined(separator: " | ")) |"
      } + [""]
  }

  /// The section of a page in HTML; empty without bars.
  var barHTML: String {
    guard let bars, !barResults.isEmpty else { return "" }
    let rows = barGroups.map { result -> [HTML.Cell] in
      let kind: HTML.Cell.Kind =
        result.verdict == .failed ? .bad : result.verdict == .met ? .good : .doubtful
      let cells = ([result.figure] + result.cells).dropLast().map { HTML.Cell($0, .words) }
      return cells + [HTML.Cell(result.verdictWords, kind), HTML.Cell(result.bar.source, .words)]
    }
    return "<section id=\"bars\"><h2>Bars: \(bars.name.escapedForHTML)</h2>"
      + HTML.table(Self.heads + ["source"], rows) + "</section>"
  }
}

extension BarResult {
  /// The class, the bar, the worst figure, its scenario and the verdict.
  fileprivate var cells: [String] {
    [bar.scenarios.rawValue, condition, got ?? Figures.unseen, scenario, verdictWords]
  }
}
