extension Report {
  /// Scenarios down, endpoints across: where the judged subject succeeds and where it does not.
  var heatMap: String {
    var endpoints: [String] = []
    for name in scenarios.flatMap({ $0.subjects.first?.endpoints.map(\.name) ?? [] })
    where !endpoints.contains(name) { endpoints.append(name) }
    // A page is not wider than a person looks.
    let shown = endpoints.prefix(12)
    let heads = ["", "all"] + shown.map { $0 }
    let head = heads.map { "<th>\($0.escapedForHTML)</th>" }.joined()
    let rows = scenarios.enumerated().map { place, flown -> String in
      let row = flown.subjects.first
      let cells =
        [row?.metrics]
        + shown.map { name in row?.endpoints.first { $0.name == name }?.metrics }
      return "<tr><th class=\"words\"><a href=\"#s\(place)\">\(flown.name.escapedForHTML)</a></th>"
        + cells.map { Self.heat($0, to: place) }.joined() + "</tr>"
    }
    let more = endpoints.count - shown.count
    let hint =
      shown.count > 2
      ? "<p class=\"dim narrow\">It is wider than this page: it goes on to the right →</p>" : ""
    return """
      <section id="heat"><h2>Success by scenario and endpoint</h2>\(hint)
      <div class="wide heat"><table><thead><tr>\(head)</tr></thead><tbody>
      \(rows.joined(separator: "\n"))
      </tbody></table></div>\(more > 0 ? "<p class=\"dim\">\(more) more endpoints stand below.</p>" : "")
      </section>
      """
  }

  private static func heat(_ metrics: Metrics?, to place: Int) -> String {
    guard let metrics, let rate = metrics.successRate else { return "<td>\(Figures.unseen)</td>" }
    let level = rate >= 0.999 ? 4 : rate >= 0.95 ? 3 : rate >= 0.8 ? 2 : rate >= 0.5 ? 1 : 0
    let lower = Figures.percent(metrics.successRateLower)
    return "<td class=\"h\(level)\" title=\"\(metrics.latency.calls) calls, proves \(lower), "
      + "P95 \(Figures.time(metrics.p95))\"><a href=\"#s\(place)\">\(Figures.percent(rate))"
      + "<br><small>\(Figures.time(metrics.p95))</small></a></td>"
  }
}
