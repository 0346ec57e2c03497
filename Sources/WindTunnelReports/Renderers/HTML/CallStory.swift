extension Report.Row {
  /// So many failing calls have their story told.
  private static let storiesMax = 100

  /// Each failing call, attempt by attempt.
  func stories(in scenario: String) -> String {
    let fallen = fallenCalls
    guard !fallen.isEmpty else { return "" }
    let told = fallen.prefix(Self.storiesMax).map { $0.story(in: scenario) }
    let rest = fallen.count - told.count
    return "<h3>\(fallen.count) failing \(fallen.count == 1 ? "call" : "calls")</h3>"
      + told.joined(separator: "\n")
      + (rest > 0 ? "<p class=\"dim\">\(rest) more are in the report's JSON.</p>" : "")
  }
}

extension Observation {
  fileprivate func story(in scenario: String) -> String {
    let head = "\(scenario)/\(call) \(endpoint): \(endingWords), \(Figures.time(latency))"
    return
      "<details class=\"story\"><summary>\(head.escapedForHTML)</summary>\(attemptTable)</details>"
  }

  private var attemptTable: String {
    guard !attempts.isEmpty else {
      return attemptCount == nil
        ? "<p class=\"dim\">Its attempts could not be seen.</p>"
        : "<p class=\"dim\">No attempt came.</p>"
    }
    let begin = intendedStart ?? start
    var last: Duration?
    let rows = attempts.enumerated().map { place, attempt -> [HTML.Cell] in
      let wait = attempt.start.flatMap { start in last.map { max(.zero, start - $0) } }
      last = attempt.end ?? attempt.start
      let offset = attempt.start.flatMap { start in begin.map { max(.zero, start - $0) } }
      let took = attempt.end.flatMap { end in attempt.start.map { end - $0 } }
      return [
        HTML.Cell("\(place + 1)"), HTML.Cell(Figures.time(offset)), HTML.Cell(Figures.time(wait)),
        HTML.Cell(attempt.weather, .words), HTML.Cell(attempt.take, .words),
        HTML.Cell(Figures.count(attempt.status)), HTML.Cell(Figures.bytes(attempt.bytes)),
        HTML.Cell(Figures.time(took)), HTML.Cell(attempt.error ?? "", .words),
      ]
    }
    let heads = [
      "attempt", "at", "waited", "met", "dealt", "status", "bytes", "took", "broken off by",
    ]
    return HTML.table(heads, rows)
  }
}

extension Observation.Attempt {
  /// The faults that it met with all that was drawn: `status 503, retryAfterSeconds 1`.
  var weather: String {
    guard let tab = decision.lastIndex(of: "\t"),
      // A line that is not ours says nothing in words.
      let json = try? JSON(parsing: decision[decision.index(after: tab)...].utf8, source: ""),
      case .array(let faults) = json
    else { return decision }
    if faults.isEmpty { return "nothing" }
    return faults.map { fault in
      guard case .object(let members) = fault else { return "\(fault)" }
      return members.map { "\($0.name.value) \($0.value.stringValue ?? "\($0.value)")" }
        .joined(separator: ", ")
    }.joined(separator: " → ")
  }
}
