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
    let page = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8">
      <title>WindTunnel – \(flow.escapedForHTML)</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <style>\(Self.style)</style></head><body>
      <h1>Search for fault sets: \(flow.escapedForHTML)</h1>
      <p class="\(finds.isEmpty ? "good" : "bad")">\(standing.escapedForHTML)</p>
      <div class="tiles">\(tiles.map { "<div class=\"tile\"><b>\($0.1)</b>\($0.0)</div>" }.joined())</div>
      \(finds.enumerated().map { $0.element.html($0.offset + 1) }.joined(separator: "\n"))
      <section><h2>In calm</h2><pre>\(calm.linesForHTML)</pre></section>
      <section><h2>What was run</h2>\(table)
      <p>Fault sets with a fault of a layer at a request, and of how many kinds:</p>
      <div class="wide">\(coverageTable)</div></section>
      <section><h2>What stands for what</h2>
      <p>A client is handed the same of these, at the same time, so that one was run for all.</p>
      \(equalsTable)</section>
      <section><h2>What was not run</h2><ul>
      \((notCarried + notVirtual).map { "<li><code>\($0.kind.escapedForHTML)</code> \($0.reason.escapedForHTML)</li>" }
        .joined(separator: "\n"))
      </ul></section>
      </body></html>

      """
    return Data(page.utf8)
  }

  private var table: String {
    var rows = faultSets.enumerated().map { ("Fault sets of \(Words.count($0 + 1, "thing"))", $1) }
    rows += [
      ("Flights in a drawn order of turns", orders),
      ("Fault sets in which the user leaves, or the process ends", coverage.interruptions),
      ("Fault sets of which a part met nothing, so that they were smaller ones", withoutEffect),
      ("Single things that the client took as another, which stands for them in pairs", alike),
    ]
    return "<table>"
      + rows.map { "<tr><td>\($0.0)</td><td>\(Words.grouped($0.1))</td></tr>" }.joined()
      + "</table>"
  }

  private var coverageTable: String {
    let layers = FaultKind.Layer.allCases
    var requests: [String?] = []
    for row in coverage.rows where !requests.contains(row.request) { requests.append(row.request) }
    let head =
      "<tr><th>request</th>"
      + layers.map { "<th>\($0.rawValue.uppercased())</th>" }.joined() + "</tr>"
    let rows = requests.map { request in
      let cells = layers.map { layer in
        let row = coverage.rows.first { $0.request == request && $0.layer == layer }
        let text = row.map { "\(Words.grouped($0.faultSets)) (\(Words.count($0.kinds, "kind")))" }
        return "<td>\(text ?? "–")</td>"
      }
      return "<tr><td>\((request ?? "all of the host").escapedForHTML)</td>\(cells.joined())</tr>"
    }
    return "<table>\(head)\(rows.joined())</table>"
  }

  private var equalsTable: String {
    let rows = equals.filter { !$0.others.isEmpty }.map { equal in
      "<tr><td>\(equal.request.escapedForHTML)</td><td><code>\(equal.kind.escapedForHTML)</code></td>"
        + "<td>\(equal.others.joined(separator: ", ").escapedForHTML)</td></tr>"
    }
    return "<details><summary>\(Words.grouped(rows.count)) that stand for others</summary>"
      + "<div class=\"wide\"><table>\(rows.joined())</table></div></details>"
  }

  private static let style = """
    :root { color-scheme: light dark; --line: #d8dce2; --dim: #5b6470; --bad: #b3261e;
      --good: #1b7f4b; --tile: #f3f5f8; --back: #ffffff; --ink: #16191d; }
    @media (prefers-color-scheme: dark) { :root { --line: #343a43; --dim: #9aa4b1; --bad: #ff8a80;
      --good: #6fdc9f; --tile: #1e2329; --back: #111418; --ink: #e8ebef; } }
    body { font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 60em; padding: 1em;
      background: var(--back); color: var(--ink); }
    h1 { font-size: 1.5em; } h2 { font-size: 1.2em; margin-top: 1.6em; }
    .good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
    .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(7em, 1fr)); gap: .6em; }
    .tile { background: var(--tile); border-radius: .6em; padding: .6em .8em; }
    .tile b { display: block; font-size: 1.35em; }
    pre, .wide { overflow-x: auto; } pre { background: var(--tile); padding: .8em; }
    table { border-collapse: collapse; width: 100%; font-size: .9em; }
    th { text-align: left; color: var(--dim); padding: .35em .6em; font-weight: 500; }
    td { padding: .35em .6em; border-bottom: 1px solid var(--line); vertical-align: top; }
    summary { cursor: pointer; color: var(--dim); }
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
