extension FindingGroup {
  /// An article: what was seen, the exchange on a time line, what it costs and how it is mended.
  var html: String {
    let finding = first.finding
    let kind = finding.severity.rawValue
    let notes = [cost, remedy].compactMap { $0 } + excuses
    return """
      <article class="finding \(kind)"><h3><span>\(kind)</span> \
      <code>\(finding.rule.escapedForHTML)</code></h3>
      <p class="seen">\(finding.seen.escapedForHTML)</p>
      <p>\(whereWords.escapedForHTML)</p>
      \(timeLine)
      \(notes.map { "<p class=\"dim\">\($0.escapedForHTML)</p>" }.joined())
      <p class="dim"><code>--again REPORT.json#\(again.escapedForHTML)</code> flies that call again.</p>
      </article>
      """
  }

  /// The steps, each at its place between the first and the last.
  private var timeLine: String {
    let steps = first.finding.steps
    let last = steps.compactMap(\.at).max() ?? .zero
    let rows = steps.map { step -> String in
      let share = step.at.map { last > .zero ? $0 / last : 0 } ?? 1
      let left = Figures.fixed(share * 100, places: 1)
      return "<li><time>\(step.at.map(Figures.time) ?? Figures.unseen)</time>"
        + "<i><b style=\"left:\(left)%\"></b></i><span>\(step.words.escapedForHTML)</span></li>"
    }
    return "<ol class=\"line\">\(rows.joined())</ol>"
  }
}
