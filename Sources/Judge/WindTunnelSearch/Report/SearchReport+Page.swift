public import Foundation

extension SearchReport {
  /// Returns the certificate as one self-contained HTML page, in light and dark, for desktop and
  /// phone.
  public func htmlData() -> Data {
    let tiles = [
      ("searched depth", "\(depth)"), ("finds", "\(finds.count)"),
      ("fault sets", Words.grouped(runs)), ("orders of turns", Words.grouped(orders)),
      ("time", Words.time(time)),
    ]
    let body = """
      <h1>Search for fault sets: \(flow.escapedForHTML)</h1>
      <p class="\(finds.isEmpty ? "good" : "bad")">\(standing.escapedForHTML)</p>
      <div class="tiles">\(tiles.map { HTML.tile($0, $1) }.joined())</div>
      \(finds.enumerated().map { $0.element.html($0.offset + 1) }.joined(separator: "\n"))
      <section><h2>In calm</h2><pre>\(calm.linesForHTML)</pre></section>
      <section><h2>What was run</h2>\(table)
      <p>Fault sets with a fault of a layer at a request, and of how many kinds:</p>
      \(coverageTable)</section>
      <section><h2>What stands for what</h2>
      <p>A client is handed the same of these, at the same time, so that one was run for all.</p>
      \(equalsTable)</section>
      <section><h2>What was not run</h2><ul>
      \((notCarried + notVirtual).map { "<li><code>\($0.kind.escapedForHTML)</code> \($0.reason.escapedForHTML)</li>" }
        .joined(separator: "\n"))
      </ul></section>
      """
    return Data(HTML.page(flow.escapedForHTML, body, style: Self.style).utf8)
  }

  private var table: String {
    var rows = faultSets.enumerated().map { ("Fault sets of \(Words.count($0 + 1, "thing"))", $1) }
    rows += [
      ("Flights in a drawn order of turns", orders),
      ("Fault sets in which the user leaves, or the process ends", coverage.interruptions),
      ("Fault sets of which a part met nothing, so that they were smaller ones", withoutEffect),
      ("Single things that the client took as another, which stands for them in pairs", alike),
    ]
    return HTML.table(
      ["", ""],
      rows.map { [HTML.Cell($0, .words), HTML.Cell(Words.grouped($1))] }
    )
  }

  private var coverageTable: String {
    let layers = FaultKind.Layer.allCases
    let rows = coverage.rows.grouped(by: \.request).map { request, rows in
      [HTML.Cell(request ?? "all of the host", .words)]
        + layers.map { layer in
          let row = rows.first { $0.layer == layer }
          let text = row.map { "\(Words.grouped($0.faultSets)) (\(Words.count($0.kinds, "kind")))" }
          return HTML.Cell(text ?? "–")
        }
    }
    return HTML.table(["request"] + layers.map { $0.rawValue.uppercased() }, rows)
  }

  private var equalsTable: String {
    let rows = equals.filter { !$0.others.isEmpty }.map { equal in
      [
        HTML.Cell(equal.request, .words), HTML.Cell(equal.kind, .code),
        HTML.Cell(equal.others.joined(separator: ", "), .words),
      ]
    }
    let table = HTML.table(["request", "kind", "stands for"], rows)
    return
      "<details><summary>\(Words.grouped(rows.count)) that stand for others</summary>\(table)</details>"
  }

  private static let style = """

    p.good { color: var(--good); font-weight: 600; } p.bad { color: var(--bad); font-weight: 600; }
    pre { overflow-x: auto; background: var(--tile); padding: .8em; }
    """
}

extension Find {
  fileprivate func html(_ number: Int) -> String {
    let mark = isNew == true ? " · new" : ""
    let request = violation.request.map { " \($0)" } ?? ""
    let certainty = certain.map { "<p>Certain after: \($0.escapedForHTML)</p>" } ?? ""
    let things = words.map { "<li>\($0.escapedForHTML)</li>" }.joined()
    return """
      <section><h2>\(number). \(violation.rule.escapedForHTML)\(request.escapedForHTML)\(mark)</h2>
      <p class="bad">\(violation.seen.escapedForHTML)</p><ul>\(things)</ul>\(certainty)
      <pre>\(requests.linesForHTML)</pre>
      <details><summary>The scenario</summary><pre>\(faultSet.file.split(separator: "\n").linesForHTML)</pre></details>
      <details><summary>A test</summary><pre>\(test.split(separator: "\n").linesForHTML)</pre></details></section>
      """
  }
}

extension Sequence where Element: StringProtocol {
  /// The lines, each without what HTML would take for its own.
  fileprivate var linesForHTML: String {
    map { String($0).escapedForHTML }.joined(separator: "\n")
  }
}
