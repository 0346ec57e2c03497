// One page that needs nothing else: no script, no font, no picture from anywhere. The verdict
// stands first, then where it went wrong, then everything about each scenario down to each failing
// call.

extension Report {
  func html() -> String {
    let words = verdictWords.escapedForHTML
    return """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
      style-src 'unsafe-inline'; img-src data:">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <link rel="icon" href="data:,"><title>WindTunnel – \(words)</title>
      <style>\(HTML.style)\(HTML.findingStyle)</style></head><body>
      <header class="verdict \(verdict.rawValue)"><p class="ship">\(shipWords.escapedForHTML)</p><h1>\(words)</h1>
      \(htmlReasons)
      <p>\(subjectWords.escapedForHTML)</p>\(htmlWarnings)</header>
      \(htmlFindings)\(htmlGates)\(heatMap)\(htmlCoverage)
      \(scenarios.enumerated().map { $1.html(at: $0) }.joined(separator: "\n"))
      \(htmlFacts)
      </body></html>

      """
  }

  /// The reasons for a verdict that is not good, a line each.
  private var htmlReasons: String {
    let reasons = verdictReasons
    if reasons.isEmpty { return "" }
    let shown = reasons.prefix(Self.reasonsMax).map { "<li>\($0.escapedForHTML)</li>" }
    let rest = reasons.count - shown.count
    return "<ul>\(shown.joined())\(rest > 0 ? "<li>and \(rest) more, below</li>" : "")</ul>"
  }

  /// The number of reasons that are shown at a glance.
  private static let reasonsMax = 6

  private var htmlWarnings: String {
    warnings.map { "<p class=\"note\">\($0.escapedForHTML)</p>" }.joined()
  }

  private var subjectWords: String {
    let names = scenarios.first?.subjects.map(\.name) ?? []
    guard let judged = names.first else { return "Nobody flew." }
    let rest = names.dropFirst()
    let calls = scenarios.reduce(0) { $0 + ($1.subjects.first?.metrics.calls ?? 0) }
    return "\(judged), \(calls) calls in \(scenarios.count) "
      + (scenarios.count == 1 ? "scenario" : "scenarios")
      + (rest.isEmpty ? "" : "; yardstick: \(rest.joined(separator: ", "))")
  }

  private var htmlGates: String {
    let all = judgements
    guard !all.isEmpty else { return "" }
    // What went wrong comes first, and then what nobody knows.
    let untold = all.filter { $0.result.verdict != .met && $0.result.verdict != .failed }
    let sorted =
      all.filter { $0.result.verdict == .failed } + untold
      + all.filter { $0.result.verdict == .met }
    let rows = sorted.map { judgement -> [HTML.Cell] in
      let result = judgement.result
      let (word, kind): (String, HTML.Cell.Kind) =
        switch result.verdict {
        case .met: ("met", .good)
        case .failed: ("failed", .bad)
        case .inconclusive: ("inconclusive", .doubtful)
        }
      let reason = if case .inconclusive(let reason) = result.verdict { reason } else { "" }
      return [
        HTML.Cell(judgement.scenario, .words), HTML.Cell(result.gate.description, .code),
        HTML.Cell(word, kind), HTML.Cell(result.got ?? Figures.unseen, .words),
        HTML.Cell(reason, .words),
      ]
    }
    return "<section id=\"gates\"><h2>Gates</h2>"
      + HTML.table(["scenario", "gate", "verdict", "got", ""], rows) + "</section>"
  }

  /// The rules that were broken, the gravest first, each with the call that shows it on a time
  /// line.
  private var htmlFindings: String {
    FindingGroup.section(findingGroups, findings.words, ruleCounts)
  }

  /// Scenarios down, endpoints across: where the judged subject succeeds and where it does not.
  private var heatMap: String {
    var endpoints: [String] = []
    for name in scenarios.flatMap({ $0.subjects.first?.endpoints.map(\.name) ?? [] })
    where !endpoints.contains(name) { endpoints.append(name) }
    // A page is not wider than a person looks.
    let shown = endpoints.prefix(12)
    let heads = ["", "all"] + shown.map { $0 }
    let head = heads.map { "<th>\($0.escapedForHTML)</th>" }.joined()
    let rows = scenarios.enumerated().map { place, flown -> String in
      let row = flown.subjects.first
      let broken = flown.endpointsWithErrors
      let cells =
        [(row?.metrics, !broken.isEmpty)]
        + shown.map { name in
          (row?.endpoints.first { $0.name == name }?.metrics, broken.contains(name))
        }
      return "<tr><th class=\"words\"><a href=\"#s\(place)\">\(flown.name.escapedForHTML)</a></th>"
        + cells.map { metrics, isBroken in
          Self.heat(metrics, to: place, asked: flown.weather?.survival?.calls, isBroken: isBroken)
        }.joined() + "</tr>"
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

  /// A tile is as good as what could be asked for: where no call can go well, all that fail are as
  /// it should be; where a rule was broken it is red, whatever went well.
  private static func heat(
    _ metrics: Metrics?,
    to place: Int,
    asked: Survival.Calls?,
    isBroken: Bool
  ) -> String {
    guard let metrics, let rate = metrics.successRate else { return "<td>\(Figures.unseen)</td>" }
    let isExpected =
      switch asked {
      case .none?: rate == 0
      case .some?: rate > 0
      case .all?, nil: rate >= 0.999
      }
    let level =
      if isBroken { 0 } else if isExpected { 4 } else if asked == Survival.Calls.none { 1 } else {
        rate >= 0.95 ? 3 : rate >= 0.8 ? 2 : rate >= 0.5 ? 1 : 0
      }
    let lower = Figures.percent(metrics.successRateLower)
    return "<td class=\"h\(level)\" title=\"\(metrics.latency.calls) calls, proves \(lower), "
      + "P95 \(Figures.time(metrics.p95))\"><a href=\"#s\(place)\">\(Figures.percent(rate))"
      + "<br><small>\(Figures.time(metrics.p95))</small></a></td>"
  }

  private var htmlFacts: String {
    let own = [
      Fact("seed", "\(seed)"), Fact("decisions", decisionHash), Fact("errors", platformErrors),
    ]
    let facts = (own + environment).map { fact in
      "<dt>\(fact.name.escapedForHTML)</dt><dd>\(fact.value.escapedForHTML)</dd>"
    }
    let isExact = scenarios.allSatisfy { $0.subjects.allSatisfy { $0.metrics.latency.isExact } }
    return """
      <footer><h2>Made with</h2><dl>\(facts.joined())</dl>
      <p class="dim">Latencies count from the intended start, failed calls included. Percentiles are \
      by nearest rank, \(isExact ? "exact" : "within 0.1 %"), with intervals by order statistics; \
      success rates have Wilson's interval; all at 95 %. “–” is what was not seen, which is not \
      nothing.</p></footer>
      """
  }
}

extension Report.Flown {
  /// The endpoints of the calls that show an error among the findings.
  fileprivate var endpointsWithErrors: Set<String> {
    Set(rules.compactMap(\.finding).filter { $0.severity == .error }.map(\.endpoint))
  }
}

/// The pieces that the page is made of.
enum HTML {
  struct Cell {
    enum Kind: String {
      case figure, words, code, good, bad, doubtful
    }

    var text: String
    var kind: Kind

    init(_ text: String, _ kind: Kind = .figure) { (self.text, self.kind) = (text, kind) }

    /// Returns a figure that should be nothing.
    static func unwanted(_ count: Int?) -> Cell {
      Cell(Figures.count(count), (count ?? 0) > 0 ? .bad : .figure)
    }

    fileprivate var html: String {
      let text = text.escapedForHTML
      switch kind {
      case .figure: return "<td>\(text)</td>"
      case .words: return "<td class=\"words\">\(text)</td>"
      case .code: return "<td class=\"words\"><code>\(text)</code></td>"
      case .good, .bad, .doubtful: return "<td class=\"\(kind.rawValue)\">\(text)</td>"
      }
    }
  }

  static func table(_ heads: [String], _ rows: [[Cell]], class name: String = "") -> String {
    let head = zip(heads, rows.first ?? []).map { head, cell in
      let isWords = cell.kind == .words || cell.kind == .code
      return "<th\(isWords ? " class=\"words\"" : "")>\(head.escapedForHTML)</th>"
    }.joined()
    let body = rows.map { "<tr>\($0.map(\.html).joined())</tr>" }.joined(separator: "\n")
    return "<div class=\"wide \(name)\"><table><thead><tr>\(head)</tr></thead><tbody>\n\(body)\n"
      + "</tbody></table></div>\n"
  }

  static func tile(_ name: String, _ value: String, _ note: String = "", isBad: Bool = false)
    -> String
  {
    let note = note.isEmpty ? "" : "<small>\(note.escapedForHTML)</small>"
    return "<div class=\"tile\(isBad ? " bad" : "")\"><span>\(name.escapedForHTML)</span>"
      + "<b>\(value.escapedForHTML)</b>\(note)</div>"
  }

  /// The looks of findings and their time lines, on every page that has some.
  static let findingStyle = """

    .finding { border-left: .3em solid var(--line); padding: .1em 0 .1em 1em; margin: 1em 0; }
    .finding.error { border-color: var(--bad); } .finding.warning { border-color: var(--doubtful); }
    .finding h3 { margin: .2em 0; } .finding.error h3 span { color: var(--bad); }
    .finding.warning h3 span { color: var(--doubtful); } .seen { font-weight: 600; }
    .line { list-style: none; padding: 0; margin: .6em 0; font-size: .9em; }
    .line li { display: grid; grid-template-columns: 6em minmax(3em, 12em) 1fr; gap: .8em; }
    .line time { text-align: right; color: var(--dim); font-variant-numeric: tabular-nums; }
    .line svg { display: block; width: 100%; height: 1em; margin: .2em 0; background: none; border-radius: 0; }
    .line .ok { fill: var(--good); } .line .ko { fill: var(--bad); }
    .line .axis { stroke: var(--line); vector-effect: non-scaling-stroke; }
    .wait { fill: var(--dim); } .point { fill: var(--ink); }
    @media (max-width: 40em) { .line li { grid-template-columns: 4.5em 2.5em 1fr; gap: .5em; } }
    """

  /// Colours are named once for light and once for dark; nothing else knows which it is.
  fileprivate static let style = """
    :root { color-scheme: light dark; --back: #ffffff; --ink: #16191d; --dim: #5b6470;
      --line: #d8dce2; --shade: #16191d55; --tile: #f3f5f8; --link: #0b57d0; --good: #1b7f4b; --bad: #b3261e; --doubtful: #8a5a00;
      --good-back: #e2f4ea; --bad-back: #fde7e5; --doubtful-back: #fdf1d8;
      --h0: #f4b8b2; --h1: #f8cfa8; --h2: #f7e6a6; --h3: #dcedb4; --h4: #bfe5c8; }
    @media (prefers-color-scheme: dark) { :root { --back: #111418; --ink: #e8ebef; --dim: #9aa4b1;
      --line: #343a43; --shade: #e8ebef55; --tile: #1b2027; --link: #8ab4f8; --good: #6fdc9f; --bad: #ff8a80; --doubtful: #f0c060;
      --good-back: #12311f; --bad-back: #3a1715; --doubtful-back: #33270c;
      --h0: #6b2620; --h1: #6b4420; --h2: #5f5518; --h3: #3f5420; --h4: #1e4f30; } }
    * { box-sizing: border-box; }
    body { font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 68em; padding: 1em;
      background: var(--back); color: var(--ink); overflow-wrap: anywhere; }
    h1 { font-size: 1.6em; margin: .1em 0; } h2 { font-size: 1.25em; margin: 1.8em 0 .5em; }
    h3 { font-size: 1em; margin: 1.4em 0 .4em; } p { margin: .3em 0; }
    a { color: var(--link); } .note { font-size: .9em; }
    .dim, small, dt, th, figcaption, .tile span { color: var(--dim); }
    .verdict { border-radius: .7em; padding: .9em 1.1em; background: var(--tile); }
    .verdict.passed { background: var(--good-back); } .verdict.passed h1 { color: var(--good); }
    .verdict.failed, .verdict.fell { background: var(--bad-back); }
    .verdict.failed h1, .verdict.fell h1 { color: var(--bad); }
    .verdict.inconclusive { background: var(--doubtful-back); }
    .verdict.inconclusive h1 { color: var(--doubtful); }
    .tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(9em, 1fr)); gap: .6em; }
    .tile { background: var(--tile); border-radius: .6em; padding: .6em .8em; }
    .tile span, .tile small { display: block; font-size: .8em; }
    .tile b { font-size: 1.3em; font-variant-numeric: tabular-nums; }
    .tile.bad b, td.bad { color: var(--bad); } td.bad, td.good, td.doubtful { font-weight: 600; }
    td.good { color: var(--good); } td.doubtful { color: var(--doubtful); }
    .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20em, 100%), 1fr));
      gap: 1em; margin-top: 1em; }
    figure { margin: 0; } figcaption { font-size: .85em; margin-bottom: .2em; }
    svg { display: block; width: 100%; height: auto; background: var(--tile); border-radius: .6em; }
    svg text { fill: var(--dim); font: 10px system-ui, sans-serif; }
    .lanes { max-width: 32em; }
    .axis { stroke: var(--line); } .mark { stroke: var(--ink); stroke-dasharray: 3 2; }
    .ok { fill: var(--good); } .ko { fill: var(--bad); }
    .wide { overflow-x: auto; background: linear-gradient(90deg, var(--back) 1.5em, transparent) 0 0 / \
      3em 100% local no-repeat, linear-gradient(270deg, var(--back) 1.5em, transparent) 100% 0 / 3em \
      100% local no-repeat, linear-gradient(90deg, var(--shade), transparent) 0 0 / 1em 100% scroll \
      no-repeat, linear-gradient(270deg, var(--shade), transparent) 100% 0 / 1em 100% scroll no-repeat; }
    table { border-collapse: collapse; font-size: .9em; min-width: 60%; }
    th, td { text-align: right; padding: .35em .6em; border-bottom: 1px solid var(--line);
      white-space: nowrap; font-variant-numeric: tabular-nums; }
    th { font-weight: 600; } th.words, td.words { text-align: left; }
    td.words { white-space: normal; overflow-wrap: normal; }
    td code { display: inline-block; min-width: 11em; }
    .ship { font-weight: 600; } .verdict ul { margin: .3em 0; padding-left: 1.2em; }
    .narrow { display: none; }
    .wide tr > .words:first-child { position: sticky; left: 0; background: var(--back); }
    .tried th, .tried td { text-align: left; } .tried td { color: var(--dim); min-width: 9em; white-space: normal; }
    .tried td.good { color: var(--good); } .tried td.bad { color: var(--bad); }
    .heat th { text-align: center; } .heat th.words { text-align: left; }
    @media (max-width: 40em) { th, td { padding: .35em .4em; } .narrow { display: block; }
      #gates thead { display: none; } #gates table, #gates tbody { display: block; }
      #gates tr { display: flex; flex-wrap: wrap; gap: 0 .7em; padding: .5em 0;
        border-bottom: 1px solid var(--line); }
      #gates td.words, #gates td { position: static; border: 0; padding: 0; text-align: left;
        white-space: normal; }
      #gates td:nth-child(2) { flex: 1 0 60%; } #gates td:nth-child(1) { flex: 0 0 7.5em; }
      #gates td:nth-child(3) { flex: 0 0 7.5em; } #gates td:empty { display: none; } }
    code { font: .95em ui-monospace, monospace; }
    .heat td { border: 2px solid var(--back); border-radius: .4em; text-align: center; }
    .heat td a { color: inherit; text-decoration: none; display: block; }
    .h0 { background: var(--h0); } .h1 { background: var(--h1); } .h2 { background: var(--h2); }
    .h3 { background: var(--h3); } .h4 { background: var(--h4); }
    details { border-top: 1px solid var(--line); padding: .4em 0; }
    summary { cursor: pointer; } dl { display: grid; grid-template-columns: max-content 1fr;
      gap: .2em 1em; font-size: .9em; } dd { margin: 0; }
    """
}
