public import Foundation

extension ProxyReport {
  /// Returns the report as one self-contained HTML page, in light and dark, for desktop and phone.
  public func htmlData() -> Data {
    let facts = environment.map { "\($0.name) \($0.value)" } + ["seed \(seed)"]
    let body = """
      <h1>The run, observed by the proxy</h1>
      <p class="dim">\(facts.joined(separator: " · ").escapedForHTML) · \(duration.shown)</p>
      \(htmlFindings)\(scenarios.map(\.html).joined())\(parts)<section><h2>Not observed</h2><ul>
      \(unseen.map { "<li>\($0.escapedForHTML)</li>" }.joined(separator: "\n"))
      </ul></section>
      """
    return Data(HTML.page("observed by the proxy", body, of: .findings).utf8)
  }

  /// The parts of the run as a table, if the scenario changed.
  private var parts: String {
    guard segments.count > 1 else { return "" }
    let rows = segments.map { segment -> [Cell] in
      let (part, total) = (segment.part, segment.total)
      return [
        .words("\(part.number) \(part.scenario)"), Cell(part.start.shown),
        Cell(part.hash, .code), .count(total.count), .count(total.repeats),
        .count(total.failed), .shown(total.p95),
      ]
    }
    let heads = ["segment", "began", "hash", "requests", "repeats", "failed", "P95"]
    return "<section><h2>The run by segments</h2>\(HTML.table(heads, rows))</section>\n"
  }
}

extension ProxyReport.Part {
  fileprivate var html: String {
    let broken = connections.count(where: \.isBroken)
    let tiles = [
      HTML.tile("requests", "\(total.count)"), HTML.tile("repeats", "\(total.repeats)"),
      HTML.tile("failed", "\(total.failed)", isBad: total.failed > 0),
      HTML.tile("P95", Cell.shown(total.p95).text), HTML.tile("tunnels", "\(connections.count)"),
      HTML.tile("broken", "\(broken)", isBad: broken > 0), HTML.tile("shown", "\(shown)"),
      HTML.tile("blank screens", "\(blank)", isBad: blank > 0),
    ]
    return """
      <section><h2>\(name.escapedForHTML)</h2>
      <div class="tiles">\(tiles.joined())</div>
      \(requestTable)\(hostTable)\(eachTunnel)</section>

      """
  }

  private var requestTable: String {
    let rows = requests.map { endpoint -> [Cell] in
      [
        .words("\(endpoint.method) \(endpoint.place)"), .count(endpoint.count),
        .count(endpoint.repeats), .unwanted(endpoint.failed),
        Cell(
          endpoint.statuses.sorted { $0.key < $1.key }
            .map { $0.value == 1 ? "\($0.key)" : "\($0.key) × \($0.value)" }.joined(separator: ", ")
        ),
        .shown(endpoint.p50), .shown(endpoint.p95), Cell(Figures.bytes(endpoint.bytes)),
      ]
    }
    let heads = ["request", "count", "repeats", "failed", "statuses", "P50", "P95", "bytes"]
    return HTML.table("Requests", heads, rows)
  }

  private var hostTable: String {
    let rows = connections.grouped(by: \.authority).map { name, all -> [Cell] in
      let connects = all.compactMap(\.connect).sorted()
      return [
        .words(name), .count(all.count), .unwanted(all.count(where: \.isBroken)),
        .shown(Statistics.percentile(0.95, ofSorted: connects)),
        Cell(Figures.bytes(all.reduce(0) { $0 + $1.bytesUp })),
        Cell(Figures.bytes(all.reduce(0) { $0 + $1.bytesDown })),
        .shown(all.map(\.duration).max()),
      ]
    }
    let heads = ["host", "tunnels", "broken", "connect P95", "up", "down", "longest"]
    return HTML.table("Connections through tunnels", heads, rows)
  }

  private static let tunnelsShownMax = 500

  private var eachTunnel: String {
    guard !connections.isEmpty else { return "" }
    let rows = connections.prefix(Self.tunnelsShownMax).map { connection -> [Cell] in
      [
        .words(connection.authority), .shown(connection.connect),
        Cell(Figures.bytes(connection.bytesUp)), Cell(Figures.bytes(connection.bytesDown)),
        .shown(connection.duration),
        Cell(connection.reason.words, connection.isBroken ? .bad : .figure),
      ]
    }
    let heads = ["host", "connect", "up", "down", "time", "end"]
    let count =
      rows.count == connections.count
      ? "All connections" : "The first \(rows.count) of \(connections.count)"
    return "<details><summary>\(count)</summary>\(HTML.table(heads, Array(rows)))</details>"
  }
}

private typealias Cell = HTML.Cell

extension HTML.Cell {
  fileprivate static func shown(_ time: Duration?) -> Self { Self(time?.shown ?? Figures.unseen) }
}

extension Duration {
  /// The duration for a page, such as `82 ms`, `1.5 s` or `12 min`.
  fileprivate var shown: String {
    let milliseconds = inMilliseconds
    if milliseconds < 999.5 { return "\(Int(milliseconds.rounded())) ms" }
    if milliseconds < 119_500 { return "\(JSON.number(milliseconds / 1000, places: 1)) s" }
    return "\(Int((milliseconds / 60_000).rounded())) min"
  }
}
