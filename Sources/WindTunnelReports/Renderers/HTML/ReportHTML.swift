// One page that needs nothing else: no script, no font, no picture from anywhere. The verdict stands
// first, then where it went wrong, then everything about each scenario down to each failing call.

extension Report {
  func html(allowsInconclusive: Bool) -> String {
    let verdict = verdict(allowsInconclusive: allowsInconclusive)
    let words = verdictWords(allowsInconclusive: allowsInconclusive).escapedForHTML
    return """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
      style-src 'unsafe-inline'; img-src data:">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <link rel="icon" href="data:,"><title>WindTunnel – \(words)</title>
      <style>\(HTML.style)</style></head><body>
      <header class="verdict \(verdict.rawValue)"><p>How the client flew</p><h1>\(words)</h1>
      <p>\(subjectWords.escapedForHTML)</p>\(htmlWarnings)</header>
      \(htmlGates)\(heatMap)
      \(scenarios.enumerated().map { $1.html(at: $0) }.joined(separator: "\n"))
      \(htmlFacts)
      </body></html>

      """
  }

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
    // What went wrong comes first.
    let sorted = all.filter { $0.result.verdict != .met } + all.filter { $0.result.verdict == .met }
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
        HTML.Cell(word, kind), HTML.Cell(result.got ?? Figures.unseen),
        HTML.Cell(reason, .words),
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
      <p class="dim">Latencies count from the intended start, failed calls included. Percentiles are \
      by nearest rank, \(isExact ? "exact" : "within 0.1 %"), with intervals by order statistics; \
      success rates have Wilson's interval; all at 95 %. “–” is what was not seen, which is not \
      nothing.</p></footer>
      """
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

    /// A figure that should be nothing.
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
}
