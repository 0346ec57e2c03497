extension FindingRule {
  /// All rules as a Markdown table, one row each.
  package static var table: String {
    let rows = all.map { rule in
      let calls = rule.leastCalls == 1 ? "" : " (at least \(rule.leastCalls) calls)"
      let kinds = ClientRun.Client.allCases.filter { !rule.clients.contains($0) }.map(\.rawValue)
      return
        "| `\(rule.id)` | \(rule.severity.rawValue) | \(rule.title) | \(rule.condition)\(calls) | "
        + "\(kinds.joined(separator: ", ")) | \(rule.cost) | \(rule.fix) | \(rule.source) |"
    }
    return """
      # Rules for clients

      A drill lists each rule that a client broke, with a call as evidence. A rule whose
      condition too few calls met is *not applicable* (`notMet` in JSON), never passed. An error
      ends a drill with 99, a crash or a hang with 97; `--findings warnings` and `--findings off`
      change this limit, and `--allow RULE=REASON` or `"allow"` in a scenario allows breaking one
      rule; every report has the reason. `RULE(ENDPOINT)` allows it at one endpoint.

      *Not in* lists the kinds of client in which a rule cannot be observed: *program*, a command
      that is started for each call; *library*, code that makes its calls within one process;
      *service*, a command that is started once; *proxied*, any client behind `windtunnel proxy`.

      | Rule | Weight | Client behaviour | Condition | Not in | Cost | Fix | Source |
      | --- | --- | --- | --- | --- | --- | --- | --- |
      \(rows.joined(separator: "\n"))

      """
  }
}
