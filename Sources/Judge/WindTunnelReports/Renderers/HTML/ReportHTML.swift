// One page without scripts, fonts or pictures from other servers. It shows the verdict first, then
// the findings and failed gates, then each scenario with its failing calls.

extension Report {
  func html() -> String {
    let verdict = verdict
    let words = verdict.line.escapedForHTML
    let notes = warnings.map { "<p class=\"note\">\($0.escapedForHTML)</p>" }
    let body = """
      <header class="verdict \(verdict.style)"><p class="dim">\(testedWords.escapedForHTML)</p>
      <p class="ship">\(verdict.advice.escapedForHTML)</p><h1>\(words)</h1>
      \(htmlReasons)
      <p>\(subjectWords.escapedForHTML)</p>\(notes.joined())</header>
      \(barHTML)\(FindingGroup.section(findingGroups, findings.words, ruleCounts))\(htmlGates)\(heatMap)\(htmlCoverage)
      \(scenarios.enumerated().map { $1.html(at: $0) }.joined(separator: "\n"))
      \(htmlFacts)
      """
    return HTML.page(words, body, style: HTML.findingStyle)
  }

  /// The reasons for a verdict that is not good, one per line.
  private var htmlReasons: String {
    let reasons = verdictReasons
    if reasons.isEmpty { return "" }
    let shown = reasons.prefix(Self.reasonsMax).map { "<li>\($0.escapedForHTML)</li>" }
    let rest = reasons.count - shown.count
    return "<ul>\(shown.joined())\(rest > 0 ? "<li>and \(rest) more, below</li>" : "")</ul>"
  }

  /// The maximum number of reasons below the verdict.
  private static let reasonsMax = 6

  /// The client, the cassette, the date and the version of the run, if they are known:
  /// `Library 2.1 · shop.json · 2026-11-28 · windtunnel 0.1.0`.
  private var testedWords: String {
    let clients = [judgedName, fact(Self.alsoJudged)].compactMap { $0 }.joined(separator: ", ")
    let parts: [String?] = [
      fact("name") ?? clients, cassetteName, fact("date").map { String($0.prefix(10)) },
      fact("windtunnel").map { "windtunnel \($0)" },
    ]
    return parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " · ")
  }

  /// The name of the cassette's file, or of the shipped one; `nil` if the cassette has no name.
  private var cassetteName: String? {
    if let path = fact("cassetteFile") { return path.split(separator: "/").last.map { "\($0)" } }
    let shop = try? SHA256.hexadecimal(Shipped.cassette().data())
    return [nil, shop].contains(fact("cassette")) ? "the shipped shop" : nil
  }

  private var subjectWords: String {
    let names = scenarios.first?.subjects.map(\.name) ?? []
    guard let judged = names.first else { return "No clients were tested." }
    let rest = names.dropFirst()
    let calls = scenarios.reduce(0) { $0 + ($1.subjects.first?.metrics.calls ?? 0) }
    return "\(judged), \(calls) calls in \(scenarios.count.counted("scenario"))"
      + (rest.isEmpty ? "" : "; compared with \(rest.joined(separator: ", "))")
  }

  private var htmlGates: String {
    let all = gateJudgements
    guard !all.isEmpty else { return "" }
    let order: [GateResult.Status] = [.failed, .inconclusive(""), .warning(""), .met]
    let sorted = order.flatMap { verdict in
      all.filter { $0.result.verdict.word == verdict.word }
    }
    let rows = sorted.map { judgement -> [HTML.Cell] in
      let result = judgement.result
      return [
        .words(judgement.scenario), HTML.Cell(result.gate.description, .code),
        HTML.Cell(result.verdict.word, result.verdict.kind), .words(result.got ?? Figures.unseen),
        .words(result.verdict.reason ?? ""),
      ]
    }
    return "<section id=\"gates\"><h2>Gates</h2>"
      + HTML.table(["scenario", "gate", "verdict", "got", ""], rows) + "</section>"
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
      <p class="dim">Latencies count from the intended start and include failed calls. Percentiles \
      are by nearest rank, \(isExact ? "exact" : "within 0.1 %"), with intervals by order \
      statistics. Success rates have Wilson's interval. All intervals are at 95 %. “–” means not \
      measured, which is not zero.</p></footer>
      """
  }
}

extension GateResult.Status {
  /// The colour of the verdict on a page.
  var kind: HTML.Cell.Kind { self == .failed ? .bad : self == .met ? .good : .doubtful }
}

/// The building blocks of pages.
package enum HTML {
  package struct Cell {
    package enum Kind: String {
      case figure, words, code, good, bad, doubtful
    }

    var text: String
    var kind: Kind

    package init(_ text: String, _ kind: Kind = .figure) { (self.text, self.kind) = (text, kind) }

    /// Returns a cell with a text, a duration or a number.
    static func words(_ text: String) -> Cell { Cell(text, .words) }
    static func time(_ time: Duration?) -> Cell { Cell(Figures.time(time)) }
    static func count(_ count: Int?) -> Cell { Cell(Figures.count(count)) }

    /// Returns a cell with a number that should be zero.
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

  /// Returns a page with a title and a body, in the style of all reports and in its own.
  package static func page(_ title: String, _ body: String, style own: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
    style-src 'unsafe-inline'; img-src data:">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,"><title>WindTunnel – \(title)</title>
    <style>\(style)\(own)</style></head><body>
    \(body)
    </body></html>

    """
  }

  package static func table(_ heads: [String], _ rows: [[Cell]]) -> String {
    let head = zip(heads, rows.first ?? []).map { head, cell in
      let isWords = cell.kind == .words || cell.kind == .code
      return "<th\(isWords ? " class=\"words\"" : "")>\(head.escapedForHTML)</th>"
    }.joined()
    let body = rows.map { "<tr>\($0.map(\.html).joined())</tr>" }.joined(separator: "\n")
    // Too many columns for a phone.
    let kind = heads.count > 8 ? "wide long" : "wide"
    return "<div class=\"\(kind)\"><table><thead><tr>\(head)</tr></thead><tbody>\n\(body)\n"
      + "</tbody></table></div>\n"
  }

  /// Returns a table with a title; empty if there are no rows.
  static func table(_ title: String, _ heads: [String], _ rows: [[Cell]]) -> String {
    rows.isEmpty ? "" : "<h3>\(title.escapedForHTML)</h3>" + table(heads, rows)
  }

  /// Returns a table whose columns have the same width, except the first. It shows a hint if the
  /// page is too narrow for them.
  static func grid(_ heads: [String], _ rows: [String], class name: String) -> String {
    """
    <div class="grid \(name)" style="--columns:\(heads.count - 1)">\
    <p class="dim hint">Scroll sideways for more endpoints →</p>
    <div class="wide"><table><thead><tr>\
    \(heads.map { "<th>\($0.escapedForHTML)</th>" }.joined())</tr></thead><tbody>
    \(rows.joined(separator: "\n"))
    </tbody></table></div></div>
    """
  }

  package static func tile(
    _ name: String,
    _ value: String,
    _ note: String = "",
    isBad: Bool = false
  )
    -> String
  {
    let note = note.isEmpty ? "" : "<small>\(note.escapedForHTML)</small>"
    return "<div class=\"tile\(isBad ? " bad" : "")\"><span>\(name.escapedForHTML)</span>"
      + "<b>\(value.escapedForHTML)</b>\(note)</div>"
  }

  /// The style of findings and their time lines, for every page that contains some.
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

  /// Colours are defined once for light and once for dark mode. The rest of the style does not
  /// depend on the mode.
  private static let style = """
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
    .verdict.failed, .verdict.crashed, .verdict.hung { background: var(--bad-back); }
    .failed h1, .crashed h1, .hung h1 { color: var(--bad); }
    .verdict.known, .verdict.inconclusive, .verdict.interrupted { background: var(--doubtful-back); }
    .known h1, .inconclusive h1, .interrupted h1 { color: var(--doubtful); }
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
    .wide tr > .words:first-child { position: sticky; left: 0; background: var(--back); }
    .grid { font-size: .8em; } .grid table { font-size: 1em; table-layout: fixed; width: 100%; --min:
      calc(10em + var(--columns) * 5.2em); min-width: var(--min); max-width: calc(2 * var(--min)); }
    .grid th, .grid td { padding: .35em .2em; white-space: normal; overflow-wrap: anywhere; }
    .grid th:first-child { width: 10em; } .hint { margin: 0; overflow: hidden; max-height:
      clamp(0px, (14em + var(--columns) * 5.2em - min(100vw, 85em)) * 999, 1.6em); }
    .tried th, .tried td { text-align: left; } .tried td { color: var(--dim); }
    .tried td.good { color: var(--good); } .tried td.bad { color: var(--bad); }
    .heat td { border: 2px solid var(--back); text-align: center; white-space: nowrap; }
    .heat td a { color: inherit; text-decoration: none; } .heat small { display: block; }
    .heat th { text-align: center; } .heat th.words { text-align: left; }
    @media (max-width: 40em) { th, td { padding: .35em .4em; }
      .long::before { content: "Scroll sideways →"; font-size: .8em; color: var(--dim); }
      .heat { font-size: .9em; } .heat .hint, .heat thead { display: none; }
      .heat table, .heat tbody { display: grid; gap: .8em; min-width: 0; max-width: none; }
      .heat tr { display: block; border: 1px solid var(--line); padding: .5em; }
      .heat tr > .words:first-child { display: block; width: auto; border: 0; position: static; }
      .heat td { display: flex; justify-content: space-between; gap: .8em; padding: .3em .6em; }
      .heat td::before { content: attr(data-name); text-align: left; white-space: normal; }
      .heat small { display: inline; padding-left: .5em; }
      #gates thead { display: none; } #gates table, #gates tbody { display: block; }
      #gates tr { display: flex; flex-wrap: wrap; gap: 0 .7em; padding: .5em 0;
        border-bottom: 1px solid var(--line); }
      #gates td.words, #gates td { position: static; border: 0; padding: 0; text-align: left;
        white-space: normal; }
      #gates td:nth-child(2) { flex: 1 0 60%; } #gates td:nth-child(1) { flex: 0 0 7.5em; }
      #gates td:nth-child(3) { flex: 0 0 7.5em; } #gates td:empty { display: none; } }
    code { font: .95em ui-monospace, monospace; }
    .h0 { background: var(--h0); } .h1 { background: var(--h1); } .h2 { background: var(--h2); }
    .h3 { background: var(--h3); } .h4 { background: var(--h4); } .key { color: var(--ink); }
    .hx { background: repeating-linear-gradient(45deg, var(--tile) 0 .4em, var(--line) .4em .5em); }
    details { border-top: 1px solid var(--line); padding: .4em 0; }
    summary { cursor: pointer; } dl { display: grid; gap: .2em 1em; font-size: .9em;
      grid-template-columns: fit-content(40%) minmax(0, 1fr); } dd { margin: 0; }
    """
}
