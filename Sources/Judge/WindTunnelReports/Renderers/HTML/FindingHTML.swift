extension FindingGroup {
  /// Returns the section of a page with every finding; empty if no rule was judged.
  static func section(
    _ groups: [FindingGroup],
    _ words: String,
    _ counts: (broken: Int, kept: Int, notMet: Int)
  ) -> String {
    guard counts.broken + counts.kept > 0 else { return "" }
    let rest =
      "<p class=\"dim\">Rules kept: \(counts.kept). Rules that did not apply: \(counts.notMet).</p>"
    return "<section id=\"findings\"><h2>Findings: \(words)</h2>"
      + groups.map(\.html).joined() + rest + "</section>"
  }

  /// An article with the evidence, the exchange on a time line, the cost and the fix.
  var html: String {
    let finding = first.finding
    let kind = finding.severity.rawValue
    let advice = [cost.map { "Cost: \($0)" }, fix.map { "Fix: \($0)" }]
    let notes = advice.compactMap { $0 } + excuses
    let againLine = again.map { again in
      "<p class=\"dim\">To repeat that call: "
        + "<code>windtunnel drill --again \("\(reportFile)#\(again)".asShellWord.escapedForHTML)</code></p>\n"
    }
    return """
      <article class="finding \(kind)"><h3><span>\(kind)</span> \
      <code>\(finding.rule.escapedForHTML)</code></h3>
      <p class="seen">\(finding.seen.escapedForHTML)</p>
      <p>\(whereWords.escapedForHTML)</p>
      \(timeLine)
      \(ConversationLanes(of: attempts, since: attempts.first?.start).svg)\(notes.map { "<p class=\"dim\">\($0.escapedForHTML)</p>" }.joined())
      \(againLine ?? "")</article>
      """
  }

  /// The steps on one axis, from the call's start to the last step. An attempt is a bar from its
  /// start to its end, and a wait before it is a thin bar.
  private var timeLine: String {
    let steps = first.finding.steps
    let spans = steps.enumerated().map { place, step in
      // The step after the attempts is the end of the call.
      Span(step, of: place < steps.count - 1 && place < attempts.count ? attempts[place] : nil)
    }
    let last = spans.compactMap(\.end).max() ?? .zero
    var free: Duration?
    let rows = spans.map { span -> String in
      let wait = span.wait(since: free)
      free = [free, span.end].compactMap { $0 }.max()
      return span.html(waited: wait, upTo: last)
    }
    return "<ol class=\"line\">\(rows.joined())</ol>"
  }
}

/// A step of an exchange on its time line.
private struct Span {
  private let step: Finding.Step
  private let length: Duration?
  private let isBad: Bool

  init(_ step: Finding.Step, of attempt: Observation.Attempt?) {
    self.step = step
    length = attempt.flatMap { attempt in
      attempt.end.flatMap { end in attempt.start.map { max(.zero, end - $0) } }
    }
    isBad = attempt.map { $0.error != nil || ($0.status ?? 0) >= 400 } ?? false
  }

  /// The time at which the step ended, or `nil` if it was not observed.
  var end: Duration? { step.at.map { $0 + (length ?? .zero) } }

  /// Returns the time since the end of the previous steps, or `nil` if there was no wait.
  func wait(since free: Duration?) -> Duration? {
    guard length != nil, let at = step.at, let free, at > free else { return nil }
    return at - free
  }

  /// Returns the row of a list: the time, the bar, and the text.
  func html(waited wait: Duration?, upTo last: Duration) -> String {
    func share(_ time: Duration) -> Double { last > .zero ? time / last * 100 : 0 }
    var shapes = "<path class=\"axis\" d=\"M0 5H100\"/>"
    if let at = step.at {
      if let wait { shapes += bar("wait", share(at - wait), share(wait), y: 4, height: 2) }
      let width = max(2, length.map { share($0) } ?? 2)
      let kind = length == nil ? "point" : isBad ? "ko" : "ok"
      shapes += bar(kind, min(share(at), 100 - min(width, 100)), width, y: 1, height: 8)
    }
    let notes = [
      wait.map { "waited \(Figures.time($0))" }, length.map { "took \(Figures.time($0))" },
    ]
    .compactMap { $0 }
    let note = notes.isEmpty ? "" : " <small>\(notes.joined(separator: ", "))</small>"
    return "<li><time>\(step.at.map(Figures.time) ?? Figures.unseen)</time>"
      + "<svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\(shapes)</svg>"
      + "<span>\(step.words.escapedForHTML)\(note)</span></li>"
  }

  private func bar(_ kind: String, _ x: Double, _ width: Double, y: Int, height: Int) -> String {
    "<rect class=\"\(kind)\" x=\"\(Figures.fixed(x, places: 1))\" y=\"\(y)\" "
      + "width=\"\(Figures.fixed(width, places: 1))\" height=\"\(height)\"/>"
  }
}
