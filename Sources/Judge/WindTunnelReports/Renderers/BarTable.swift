// The bars of a run as a table, which is the beginning of a report in each format.
extension Report {
  private static let heads = ["figure", "class", "bar", "worst", "in", "verdict"]

  /// The results grouped by figure, in the order of the set.
  private var barGroups: [BarResult] {
    barResults.grouped(by: \.figure).flatMap(\.1)
  }

  /// Returns the lines for a terminal; empty if there are no bars.
  func barLines(_ form: TextForm) -> [String] {
    let groups = barGroups
    guard let bars, !groups.isEmpty else { return [] }
    var last = ""
    let rows = groups.map { result -> [String] in
      defer { last = result.figure }
      let cells = result.cells.map(\.visibleInLine)
      return [result.figure == last ? "" : result.figure] + cells.dropLast()
        + [form.red(cells.last ?? "", result.verdict == .failed)]
    }
    return Figures.lines([["bars \(bars.name.visibleInLine)"] + Self.heads.dropFirst()] + rows)
      + [""]
  }

  /// The lines in Markdown; empty if there are no bars.
  var barMarkdown: [String] {
    guard let bars, !barResults.isEmpty else { return [] }
    return [
      "### Bars: \(bars.name.escapedForMarkdown)", "",
      "| \(Self.heads.joined(separator: " | ")) |", "|---|---|---|---:|---|---|",
    ]
      + barGroups.map { result in
        let cells = [result.figure] + result.cells
        return "| \(cells.map(\.escapedForMarkdown).joined(separator: " | ")) |"
      } + [""] + barSources.map { "- \($0.escapedForMarkdown)" } + [""]
  }

  /// The section of an HTML page; empty if there are no bars.
  var barHTML: String {
    guard let bars, !barResults.isEmpty else { return "" }
    let rows = barGroups.map { result -> [HTML.Cell] in
      let cells = ([result.figure] + result.cells).dropLast().map { HTML.Cell.words($0) }
      let remark = result.verdictWords == result.verdict.word ? "" : result.verdictWords
      return cells + [HTML.Cell(result.verdict.word, result.verdict.kind), .words(remark)]
    }
    let sources = barSources.map { "<li>\($0.escapedForHTML)</li>" }.joined()
    return "<section id=\"bars\"><h2>Bars: \(bars.name.escapedForHTML)</h2>"
      + HTML.table(Self.heads + [""], rows) + "<ul>\(sources)</ul></section>"
  }

  /// The sources of the bars, each once, with their figures.
  private var barSources: [String] {
    barGroups.grouped(by: \.source).map { source, results in
      "\(results.grouped(by: \.figure).map(\.0).joined(separator: ", ")): \(source)"
    }
  }
}

extension BarResult {
  /// The class, the bar, the worst figure, its scenario and the verdict.
  fileprivate var cells: [String] {
    [
      scenarios?.rawValue ?? Figures.unseen, condition, got ?? Figures.unseen, scenario,
      verdictWords,
    ]
  }
}
