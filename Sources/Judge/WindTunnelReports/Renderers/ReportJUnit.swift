// JUnit XML as CI servers read it: the first suite is the verdict, and there is one for each
// scenario. Its cases are the rules whose condition was met, the gates, and each endpoint of the
// judged client.

extension Report {
  func junit() -> String {
    let suites: [JUnitSuite] =
      [JUnitSuite(verdict, of: judgedName)]
      + (bars == nil ? [] : [JUnitSuite("bars", of: barResults)])
      + (gates.isEmpty ? [] : [JUnitSuite(Gate.run, gates)])
      + scenarios.map { JUnitSuite($0, policy) }
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text += "<testsuites name=\"windtunnel\"\(suites.flatMap(\.cases).counts)>\n"
    let facts =
      [
        Fact("seed", "\(seed)"), Fact("decisionHash", decisionHash),
        Fact("platformErrors", platformErrors),
      ] + environment
    for suite in suites { text += suite.xml(facts) }
    return text + "</testsuites>\n"
  }
}

private struct JUnitCase {
  var name: String
  var group: String
  var time: Duration?
  /// The result of a case that does not pass.
  var flaw: Flaw?

  /// An element of a case. A skipped case could not be judged, and does not count against the
  /// client.
  struct Flaw {
    var element: String
    var message: String
    var details: String?

    static func failure(_ message: String, _ details: String = "") -> Self {
      Self(element: "failure", message: message, details: details)
    }

    static func error(_ message: String) -> Self { Self(element: "error", message: message) }

    static func skipped(_ message: String) -> Self { Self(element: "skipped", message: message) }
  }

  init(_ name: String, _ group: String, time: Duration? = nil, _ flaw: Flaw? = nil) {
    (self.name, self.group, self.time, self.flaw) = (name, group, time, flaw)
  }

  init(_ result: GateResult, _ group: String, failedIn scenarios: [String] = []) {
    let place = result.gate.location.map { "\($0.file):\($0.line)\n" } ?? ""
    let flaw: Flaw? =
      switch result.verdict {
      case .met: nil
      case .failed: .failure(result.words, place + scenarios.map { "\($0)\n" }.joined())
      case .inconclusive, .warning: .skipped(result.words)
      }
    self.init(result.gate.description, "\(group).gates", flaw)
  }

  var xml: String {
    var text = "    <testcase name=\"\(name.escapedForXML)\""
    text += " classname=\"\(group.escapedForXML)\""
    // JUnit's times are seconds.
    if let time { text += " time=\"\(JSON.number(time.inMilliseconds / 1000, places: 6))\"" }
    guard let flaw else { return text + "/>\n" }
    text += ">\n      <\(flaw.element) message=\"\(flaw.message.escapedForXML)\""
    text += flaw.details.map { ">\($0.escapedForXML)</\(flaw.element)>\n" } ?? "/>\n"
    return text + "    </testcase>\n"
  }
}

extension [JUnitCase] {
  /// The attributes with the numbers of cases.
  fileprivate var counts: String {
    let flaws = compactMap(\.flaw?.element)
    func count(_ element: String) -> Int { flaws.count { $0 == element } }
    return " tests=\"\(self.count)\" failures=\"\(count("failure"))\" errors=\"\(count("error"))\""
      + " skipped=\"\(count("skipped"))\""
  }
}

private struct JUnitSuite {
  private let name: String
  private var own: [Report.Fact] = []
  let cases: [JUnitCase]

  init(_ verdict: DrillVerdict, of client: String?) {
    let flaw: JUnitCase.Flaw? =
      switch verdict.outcome {
      case .passed: nil
      case .failed, .crashed, .hung: .failure(verdict.line)
      case .inconclusive, .interrupted: .error(verdict.line)
      }
    name = "verdict"
    cases = [JUnitCase(client ?? "client", name, flaw)]
  }

  init(_ name: String, _ gates: [GateResult]) {
    self.name = name
    cases = gates.map { JUnitCase($0, name) }
  }

  init(_ name: String, of bars: [BarResult]) {
    self.name = name
    cases = bars.map { JUnitCase($0.judgement.result, name, failedIn: $0.failed) }
  }

  init(_ flown: Report.ScenarioResult, _ policy: VerdictPolicy) {
    let name = flown.name
    self.name = name
    guard let row = flown.subjects.first else {
      cases = []
      return
    }
    own = [Report.Fact("stage", flown.stage.rawValue), Report.Fact("subject", row.name)]
    let found = flown.findings
    let rules = flown.rules.compactMap { standing -> JUnitCase? in
      if case .notMet = standing.standing { return nil }
      let judged = found.first { $0.finding.rule == standing.rule }
      return JUnitCase(standing.rule, "\(name).rules", judged.map { Self.flaw($0, policy) })
    }
    let falls = found.filter(\.isError).map(\.finding.rule)
    let endpoints = row.endpoints.map { endpoint in
      JUnitCase(
        endpoint.name,
        "\(name).endpoints",
        time: endpoint.metrics.p95,
        Self.flaw(endpoint, row, name, falls)
          ?? row.notOnCassette(of: endpoint.name).map { JUnitCase.Flaw.skipped($0) }
      )
    }
    cases = rules + flown.gates.map { JUnitCase($0, name) } + endpoints
  }

  private static func flaw(_ judged: JudgedFinding, _ policy: VerdictPolicy) -> JUnitCase.Flaw {
    guard judged.fails(policy) else { return .skipped("\(judged)") }
    let finding = judged.finding
    let steps = finding.steps.map { step in
      "\(step.at.map(Figures.time) ?? Figures.unseen)  \(step.words)\n"
    }.joined()
    return .failure("\(finding.seen) \(finding.countDescription), as call \(finding.call)", steps)
  }

  /// Returns the failure of an endpoint with calls that crashed or hung, if that is an error.
  private static func flaw(
    _ endpoint: Report.EndpointRow,
    _ row: Report.Row,
    _ scenario: String,
    _ errors: [String]
  ) -> JUnitCase.Flaw? {
    let (crashes, hangs) = (endpoint.metrics.crashes, endpoint.metrics.hangs)
    guard
      crashes > 0 && errors.contains(FindingRule.crashes.id)
        || hangs > 0 && errors.contains(FindingRule.hangs.id)
    else { return nil }
    let fallen = row.observations.filter {
      $0.endpoint == endpoint.name && ($0.ending == .crashed || $0.ending == .hung)
    }
    return .failure(
      "\(crashes) crashed, \(hangs) hung",
      fallen.prefix(20).map { "\(scenario)/\($0.call) \($0.endingWords)\n" }.joined()
    )
  }

  func xml(_ facts: [Report.Fact]) -> String {
    var text = "  <testsuite name=\"\(name.escapedForXML)\"\(cases.counts)>\n"
    if !own.isEmpty {
      text += "    <properties>\n"
      for fact in own + facts {
        text += "      <property name=\"\(fact.name.escapedForXML)\""
        text += " value=\"\(fact.value.escapedForXML)\"/>\n"
      }
      text += "    </properties>\n"
    }
    return text + cases.map(\.xml).joined() + "  </testsuite>\n"
  }
}

extension String {
  /// The text with markup characters as XML references, with invisible characters escaped, and
  /// without characters that XML does not allow (XML 1.0 §2.2).
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
