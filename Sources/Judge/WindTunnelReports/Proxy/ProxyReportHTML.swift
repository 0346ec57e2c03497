public import Foundation

extension ProxyReport {
  /// Returns the report as one self-contained HTML page, in light and dark, for desktop and phone.
  public func htmlData() -> Data {
    let facts = environment.map { "\($0.name) \($0.value)" } + ["seed \(seed)"]
    let head = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>WindTunnel – seen by the proxy</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <style>\(Self.style)\(HTML.findingStyle)</style></head><body>
      <h1>The flight, seen by the proxy</h1>
      <p class="dim">\(facts.joined(separator: " · ").escapedForHTML) · \(duration.shown)</p>

      """
    let unseen = """
      <section><h2>What could not be seen</h2><ul>
      \(self.unseen.map { "<li>\($0.escapedForHTML)</li>" }.joined(separator: "\n"))
      </ul></section>
      </body></html>

      """
    return Data((head + htmlFindings + scenarios.map(\.html).joined() + parts + unseen).utf8)
  }

  /// The parts of the flight as a table, where the scenario changed.
  private var parts: String {
    guard segments.count > 1 else { return "" }
    let rows = segments.map { segment in
      let (part, total) = (segment.part, segment.total)
      return
        "<tr><td>\(part.number) \(part.scenario.escapedForHTML)</td><td>\(part.start.shown)</td>"
        + "<td><code>\(part.hash)</code></td><td>\(total.count)</td><td>\(total.repeats)</td>"
        + "<td>\(total.failed)</td><td>\(total.p95?.shown ?? "–")</td></tr>"
    }
    return """
      <section><h2>The flight by segments</h2><div class="wide"><table><tr><th>segment</th><th>began
      </th><th>hash</th><th>requests</th><th>repeats</th><th>failed</th><th>P95</th></tr>
      \(rows.joined(separator: "\n"))
      </table></div></section>

      """
  }

  private static let style = """
    :root { color-scheme: light dark; --line: #d8dce2; --dim: #5b6470; --bad: #b3261e;
      --good: #1b7f4b; --doubtful: #8a5a00; --tile: #f3f5f8; --back: #ffffff; --ink: #16191d; }
    @media (prefers-color-scheme: dark) { :root { --line: #343a43; --dim: #9aa4b1; --bad: #ff8a80;
      --good: #6fdc9f; --doubtful: #f0c060; --tile: #1e2329; --back: #111418; --ink: #e8ebef; } }
    body { font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 60em; padding: 1em;
      background: var(--back); color: var(--ink); }
    h1 { font-size: 1.5em; margin: .4em 0; } h2 { font-size: 1.2em; margin: 1.6em 0 .5em; }
    h3 { font-size: 1em; margin: 1.2em 0 .3em; }
    p { margin: .3em 0; } .dim, small { color: var(--dim); } .bad { color: var(--bad); font-weight: 600; }
    .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(6.2em, 1fr)); gap: .6em; }
    .tile { background: var(--tile); border-radius: .6em; padding: .6em .8em; }
    .tile b { display: block; font-size: 1.35em; font-variant-numeric: tabular-nums; }
    .wide { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; font-size: .9em; }
    th, td { text-align: right; padding: .35em .6em; border-bottom: 1px solid var(--line);
      white-space: nowrap; font-variant-numeric: tabular-nums; }
    th { color: var(--dim); font-weight: 600; }
    th:first-child, td:first-child, td.text, th.text { text-align: left; }
    td:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 12em; }
    summary { cursor: pointer; color: var(--dim); margin: .6em 0; }
    """
}

extension ProxyReport.Part {
  fileprivate var html: String {
    let broken = connections.count(where: \.isBroken)
    let tiles = [
      Tile("requests", "\(total.count)"), Tile("repeats", "\(total.repeats)"),
      Tile("failed", "\(total.failed)", isBad: total.failed > 0),
      Tile("P95", total.p95?.shown ?? "–"), Tile("tunnels", "\(connections.count)"),
      Tile("broken", "\(broken)", isBad: broken > 0), Tile("shown", "\(shown)"),
      Tile("blank screens", "\(blank)", isBad: blank > 0),
    ]
    return """
      <section><h2>\(name.escapedForHTML)</h2>
      <div class="tiles">\(tiles.map(\.html).joined())</div>
      \(requestTable)\(hostTable)</section>

      """
  }

  private var requestTable: String {
    guard !requests.isEmpty else { return "" }
    let rows = requests.map { endpoint in
      [
        Cell("\(endpoint.method) \(endpoint.place)"), Cell("\(endpoint.count)"),
        Cell("\(endpoint.repeats)"), .unwanted(endpoint.failed),
        Cell(
          endpoint.statuses.sorted { $0.key < $1.key }
            .map { $0.value == 1 ? "\($0.key)" : "\($0.key) × \($0.value)" }.joined(separator: ", ")
        ),
        Cell(endpoint.p50?.shown ?? "–"), Cell(endpoint.p95?.shown ?? "–"),
        Cell(Figures.bytes(endpoint.bytes)),
      ]
    }
    let heads = ["request", "count", "repeats", "failed", "statuses", "P50", "P95", "bytes"]
    return "<h3>Requests</h3>\n" + HTML.table(heads, rows)
  }

  private var hostTable: String {
    guard !connections.isEmpty else { return "" }
    let rows = connections.grouped(by: \.authority).map { name, all in
      let connects = all.compactMap(\.connect).sorted()
      return [
        Cell(name), Cell("\(all.count)"), .unwanted(all.count(where: \.isBroken)),
        Cell(Statistics.percentile(0.95, ofSorted: connects)?.shown ?? "–"),
        Cell(Figures.bytes(all.reduce(0) { $0 + $1.bytesUp })),
        Cell(Figures.bytes(all.reduce(0) { $0 + $1.bytesDown })),
        Cell(all.map(\.duration).max()?.shown ?? "–"),
      ]
    }
    let heads = ["host", "tunnels", "broken", "connect P95", "up", "down", "longest"]
    return "<h3>Connections through tunnels</h3>\n" + HTML.table(heads, rows) + eachTunnel
  }

  private static let tunnelsShownMax = 500

  private var eachTunnel: String {
    let rows = connections.prefix(Self.tunnelsShownMax).map { connection in
      [
        Cell(connection.authority), Cell(connection.connect?.shown ?? "–"),
        Cell(Figures.bytes(connection.bytesUp)), Cell(Figures.bytes(connection.bytesDown)),
        Cell(connection.duration.shown),
        Cell(connection.reason.words, connection.isBroken ? .bad : .figure),
      ]
    }
    let heads = ["host", "connect", "up", "down", "time", "end"]
    let count =
      rows.count == connections.count
      ? "Each of them" : "The first \(rows.count) of \(connections.count)"
    return "<details><summary>\(count)</summary>\(HTML.table(heads, Array(rows)))</details>"
  }
}

private struct Tile {
  let html: String

  init(_ name: String, _ value: String, isBad: Bool = false) {
    html = "<div class=\"tile\"><b\(isBad ? " class=\"bad\"" : "")>\(value)</b>\(name)</div>"
  }
}

private typealias Cell = HTML.Cell

extension Duration {
  /// The duration for a page, such as `82 ms`, `1.5 s` or `12 min`.
  fileprivate var shown: String {
    let milliseconds = inMilliseconds
    if milliseconds < 999.5 { return "\(Int(milliseconds.rounded())) ms" }
    if milliseconds < 119_500 { return "\(JSON.number(milliseconds / 1000, places: 1)) s" }
    return "\(Int((milliseconds / 60_000).rounded())) min"
  }
}
