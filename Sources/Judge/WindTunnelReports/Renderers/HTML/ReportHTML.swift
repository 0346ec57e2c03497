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
    return HTML.page(words, body, of: .findings)
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

  /// Returns a page with a title and a body, in the style of all reports and of its kind.
  package static func page(_ title: String, _ body: String, of kind: Shipped.Style) -> String {
    """
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
    style-src 'unsafe-inline'; img-src data:">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,"><title>WindTunnel – \(title)</title>
    <style>\(kind.sheet)</style></head><body>
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
}
