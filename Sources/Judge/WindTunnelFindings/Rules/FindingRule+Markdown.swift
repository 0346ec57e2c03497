extension FindingRule {
  /// Every rule as a page of Markdown, a row each.
  package static var table: String {
    let rows = all.map { rule in
      let calls = rule.leastCalls == 1 ? "" : " (\(rule.leastCalls) calls at least)"
      let kinds = ClientRun.Client.allCases.filter(rule.clients.contains).map(\.rawValue)
      return
        "| `\(rule.id)` | \(rule.severity.rawValue) | \(rule.title) | \(rule.condition)\(calls) | "
        + "\(kinds.joined(separator: ", ")) | \(rule.cost) | \(rule.fix) | \(rule.source) |"
    }
    return """
      # Rules that clients are held against

      A drill names each rule that a client broke, and shows the call that proves it. A rule whose
      condition no call met, or too few, is *not met* and never passed. An error ends a drill with 99, a
      crash or a hang with 97; `--findings warnings` and `--findings off` move that bar, and
      `--allow RULE=REASON` or `"allow"` in a scenario lets one rule be broken, with the reason in every
      report; `RULE(ENDPOINT)` lets it be broken at one endpoint.

      *Seen in* names the kinds of client in which a rule can be seen:

      - *program*: a command that is started for each call, and says by its exit code how that went
        (`drill -- CMD {url}`);
      - *library*: code that makes its calls within one process, such as the shipped subjects or the
        closure of a test;
      - *service*: a command that is started once, reads a line for each call and answers with one
        (`drill -- CMD`);
      - *proxied*: any client behind `windtunnel proxy`, of which the requests are seen, and not what
        became of them.

      | Rule | Weight | What a client does | Judged where | Seen in | Cost | Mended | Source |
      | --- | --- | --- | --- | --- | --- | --- | --- |
      \(rows.joined(separator: "\n"))

      """
  }
}
