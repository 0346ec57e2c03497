// The findings for code hosts and editors, each attached to the file that describes the run.

extension Report {
  func sarif() -> String {
    let results = findings.map { judged in
      let finding = judged.finding
      let words =
        "\(finding.seen) In \(judged.scenario), \(finding.countDescription), as call "
        + "\(finding.call) (\(finding.endpoint))."
      var result = SARIFLog.Result(
        finding.rule,
        finding.severity.rawValue,
        words.visibleInLine,
        in: planFile,
        at: "\(judged.scenario)/\(Observation.word(of: finding.endpoint))".visibleInLine
      )
      let known = judged.isKnown ? "It is also in the baseline." : nil
      result.acceptance = (judged.allowance ?? known)?.visibleInLine
      return result
    }
    let rules = FindingRule.all.map {
      SARIFLog.Rule($0.id, finds: $0.title, help: "\($0.fix) Source: \($0.source)", link: $0.link)
    }
    let bytes = SARIFLog(results, of: rules).json.bytes(.init(.indent2, endsWithNewline: true))
    return String(decoding: bytes, as: UTF8.self).visibleAsJSON
  }

  /// The file that describes the run, to which code hosts attach findings; `nil` if the run uses
  /// only shipped files.
  var planFile: String? { fact("cassetteFile").map { SARIFLog.path($0) } }
}

extension FindingRule {
  /// The URL of the first RFC or weakness (CWE) in its source; `nil` if there is neither.
  fileprivate var link: String? {
    if let match = source.firstMatch(of: /RFC ([0-9]+) §([0-9.]*[0-9])/) {
      return "https://www.rfc-editor.org/rfc/rfc\(match.1)#section-\(match.2)"
    }
    let weakness = source.firstMatch(of: /CWE-([0-9]+)/)
    return weakness.map { "https://cwe.mitre.org/data/definitions/\($0.1).html" }
  }
}
