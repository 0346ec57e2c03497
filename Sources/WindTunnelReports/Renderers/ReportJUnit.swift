// JUnit's XML as CI servers read it: a suite is a scenario; its cases are the rules, the gates,
// each endpoint of the judged subject, and that the subject neither crashed nor hung.

extension Report {
  func junit() -> String {
    let suites = scenarios.map { JUnitSuite($0, findings, policy) }
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text += "<testsuites name=\"windtunnel\" tests=\"\(suites.reduce(0) { $0 + $1.tests })\""
    text += " failures=\"\(suites.reduce(0) { $0 + $1.failures })\""
    text += " errors=\"0\" skipped=\"\(suites.reduce(0) { $0 + $1.skipped })\">\n"
    let facts =
      [
        Fact("seed", "\(seed)"), Fact("decisionHash", decisionHash),
        Fact("platformErrors", platformErrors),
      ] + environment
    for suite in suites { text += suite.xml(facts) }
    return text + "</testsuites>\n"
  }
}

private struct JUnitSuite {
  private struct Case {
    var name: String
    var group: String
    var time: Duration?
    var outcome: Outcome = .passed
  }

  private enum Outcome {
    case passed
    case failed(String, details: String)
    /// The case cannot be judged: it is skipped, and no error, which a CI server would count
    /// against the client.
    case skipped(String)
  }

  private let name: String
  private let stage: Stage
  private let subject: String
  private let cases: [Case]

  init(_ flown: Report.Flown, _ findings: [JudgedFinding], _ policy: VerdictPolicy) {
    (name, stage) = (flown.name, flown.stage)
    guard let row = flown.subjects.first else {
      (subject, cases) = ("", [])
      return
    }
    subject = row.name
    let gates = flown.gates.map { result -> Case in
      var one = Case(name: result.gate.description, group: "\(flown.name).gates")
      let place = result.gate.place.map { "\($0.file):\($0.line)\n" } ?? ""
      switch result.verdict {
      case .met: break
      case .failed: one.outcome = .failed(result.words, details: place)
      case .inconclusive: one.outcome = .skipped(result.words)
      }
      return one
    }
    let endpoints = row.endpoints.map { endpoint -> Case in
      let metrics = endpoint.metrics
      var one = Case(name: endpoint.name, group: "\(flown.name).endpoints", time: metrics.p95)
      guard metrics.crashes + metrics.hangs > 0 else {
        if let words = row.notOnCassette(of: endpoint.name) {
          one.outcome = .skipped(words)
        }
        return one
      }
      let fallen = row.observations.filter {
        $0.endpoint == endpoint.name && ($0.ending == .crashed || $0.ending == .hung)
      }
      one.outcome = .failed(
        "\(metrics.crashes) crashed, \(metrics.hangs) hung",
        details: fallen.prefix(20).map { "\(flown.name)/\($0.call) \($0.endingWords)\n" }.joined()
      )
      return one
    }
    let found = findings.filter { $0.scenario == flown.name }
    let rules = flown.rules.compactMap { standing -> Case? in
      var one = Case(name: standing.rule, group: "\(flown.name).rules")
      switch standing.standing {
      case .passed: break
      case .notMet(let reason): one.outcome = .skipped(reason)
      case .broken(let finding):
        let steps = finding.steps.map { step in
          "\(step.at.map(Figures.time) ?? Figures.unseen)  \(step.words)\n"
        }.joined()
        let words = "\(finding.seen) \(finding.count), as call \(finding.call)"
        let judged = found.first { $0.finding.rule == standing.rule }
        one.outcome =
          judged?.fails(policy) == true
          ? .failed(words, details: steps)
          : .skipped("\(judged.map { "\($0)" } ?? words)")
      }
      return one
    }
    cases = rules + gates + endpoints
  }

  var tests: Int { cases.count }

  var failures: Int {
    cases.count { if case .failed = $0.outcome { true } else { false } }
  }

  var skipped: Int {
    cases.count { if case .skipped = $0.outcome { true } else { false } }
  }

  func xml(_ facts: [Report.Fact]) -> String {
    var text = "  <testsuite name=\"\(name.escapedForXML)\" tests=\"\(tests)\""
    text += " failures=\"\(failures)\" errors=\"0\" skipped=\"\(skipped)\">\n"
    text += "    <properties>\n"
    let own = [Report.Fact("stage", stage.rawValue), Report.Fact("subject", subject)]
    for fact in own + facts {
      text += "      <property name=\"\(fact.name.escapedForXML)\""
      text += " value=\"\(fact.value.escapedForXML)\"/>\n"
    }
    text += "    </properties>\n"
    return text + cases.map(xml).joined() + "  </testsuite>\n"
  }

  private func xml(_ one: Case) -> String {
    var text = "    <testcase name=\"\(one.name.escapedForXML)\""
    text += " classname=\"\(one.group.escapedForXML)\""
    // JUnit's times are seconds.
    if let time = one.time {
      text += " time=\"\(JSON.number(time.inMilliseconds / 1000, places: 6))\""
    }
    switch one.outcome {
    case .passed: return text + "/>\n"
    case .failed(let message, let details):
      text += ">\n      <failure message=\"\(message.escapedForXML)\">"
      text += "\(details.escapedForXML)</failure>\n"
    case .skipped(let message):
      text += ">\n      <skipped message=\"\(message.escapedForXML)\"/>\n"
    }
    return text + "    </testcase>\n"
  }
}

extension String {
  /// With what XML would take for markup as references, with what nobody sees spelled, and without
  /// what XML cannot hold at all (XML 1.0 §2.2).
  fileprivate var escapedForXML: String {
    var text = ""
    for scalar in visible.unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&apos;"
      case "\t", "\n", "\r": text += "&#\(scalar.value);"
      default:
        let isHeld = scalar.value != 0xFFFE && scalar.value != 0xFFFF
        text.unicodeScalars.append(isHeld ? scalar : "\u{FFFD}")
      }
    }
    return text
  }
}
