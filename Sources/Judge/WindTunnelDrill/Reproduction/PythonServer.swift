internal import Foundation
internal import WindTunnelCommandLine

/// A server in plain Python that sends the responses of one call, for a bug report.
struct PythonServer {
  /// The maximum number of lines, so that a maintainer reads all of it.
  static let linesMax = 40
  private static let columnsMax = 98
  /// The maximum size of its responses, in bytes of Python.
  private static let literalsMax = 64 * 1024

  /// The command of the client, as a line of a shell.
  let command: String
  private let table: ResponseTable
  private let about: [String]
  /// The events of the call, limited to the available lines.
  private let steps: [String]

  /// Creates the server of a call. The finding is the reason, or `nil` if there is none.
  init(of call: Observation, _ finding: Finding?, in report: Report, _ plan: DrillPlan) throws {
    table = try ResponseTable(of: call, in: plan)
    command = try Self.command(of: call, table, plan)
    let client = report.fact("name") ?? report.fact("program") ?? plan.command[0]
    let rule = finding.flatMap { FindingRule.named($0.rule) }
    if let rule, ["shows-stale-as-fresh", "leaks-connections"].contains(rule.id) {
      throw CommandError.notReproducible("\(rule.id) is about several calls")
    }
    let system = [report.fact("os") ?? "", String((report.fact("date") ?? "").prefix(10))]
    let place = "\(plan.scenarios[0].name), call \(call.call), \(call.endpoint)"
    about = [
      rule.map { "\(client): \($0.title)" } ?? client,
      rule.map { "Rule \($0.id), from \($0.source)" } ?? "",
      "Seen on \(system.joined(separator: ", ")) (\(place)): "
        + (finding?.seen ?? "It is not the evidence of a finding."),
    ]
    steps = (finding?.steps ?? []).map { step in
      (step.at.map { "\(JSON.number($0.inMilliseconds, places: 1)) ms  " } ?? "") + step.words
    }
  }

  private static func command(
    of call: Observation,
    _ table: ResponseTable,
    _ plan: DrillPlan
  ) throws -> String {
    let request = plan.workload(of: DrillPlan.execSubject, on: .onTheWire, in: plan.scenarios[0])
      .request(of: call.call)
    let isTrusted = [.expired, .wrongHost].contains(table.certificate)
    let file = "wt-certificate.pem"
    // Without TLS, no client reads the certificate authority, so an empty file is enough. The body
    // is replaced last, because it may contain any word.
    let values: KeyValuePairs<String, String?> = [
      "url": table.base() + request.url.withoutSecrets.target, "base": table.base(),
      "method": request.method, "call": "\(call.call)", "ca": isTrusted ? file : "/dev/null",
      "kept": nil, "origins": nil, "body": request.bodyForPrograms?.withoutSecrets,
    ]
    var words = CommandWords(plan.command).words
    for (name, value) in values where words.contains(where: { $0.contains("{\(name)}") }) {
      guard let value else { throw CommandError.notReproducible("only a drill fills in {\(name)}") }
      words = words.map { $0.replacing("{\(name)}", with: value) }
    }
    var variables = isTrusted ? AuthorityVariables.names.map { "\($0)=\(file)" } : []
    if plan.scenarios[0].sendsRetryDates {
      variables.append("TZ=\(SubjectProcess.timeZoneInTheEast)")
    }
    if !variables.isEmpty { variables.insert("env", at: 0) }
    let client = (variables + words).map(\.asShellWord).joined(separator: " ")
    guard plan.command.isService else { return client }
    let url = table.base() + request.url.withoutSecrets.target
    let line = ServiceLine.asking(call.call, request, at: url).bytes()
    let word = String(decoding: line, as: UTF8.self).withoutSecrets.asShellWord
    return "printf '%s\\n' \(word) | \(client)"
  }

  /// Returns the program. Throws a `CommandError` if it does not fit.
  func text() throws -> String {
    let hint = command.contains("REDACTED-") ? ", with values for REDACTED-…" : ""
    let run = [
      "# Run python3 FILE [PORT], and then in the same folder\(hint):",
      "#   \(command.visibleInLine)",
    ]
    let size = Set(table.rows.flatMap(\.responses)).joined().reduce(0) { $0 + $1.utf8.count }
    guard size <= Self.literalsMax else {
      throw CommandError.notReproducible("its responses take more than \(Self.literalsMax) bytes")
    }
    // The most readable form that fits.
    for (separator, steps) in [(",\n  ", steps), (",\n  ", []), (", ", steps), (", ", [])] {
      let lines = comment(about + steps) + run + code(separator)
      if lines.count <= Self.linesMax { return lines.joined(separator: "\n") + "\n" }
    }
    throw CommandError.notReproducible("its responses take more than \(Self.linesMax) lines")
  }

  private func comment(_ texts: [String]) -> [String] {
    texts.flatMap { text in
      text.withoutSecrets.visibleInLine.split(separator: " ").reduce(into: [String]()) {
        lines,
        word in
        if let last = lines.last, last.count + word.count <= Self.columnsMax {
          lines[lines.count - 1] += " \(word)"
        } else {
          lines.append("#\(lines.isEmpty ? "" : "  ") \(word)")
        }
      }
    }
  }

  /// Returns the lines of the program: the template without the parts that no response needs.
  private func code(_ separator: String) -> [String] {
    var lists: [[String]] = []
    for list in table.rows.flatMap(\.responses) where !lists.contains(list) { lists.append(list) }
    func name(_ list: [String]) -> String { "R\((lists.firstIndex(of: list) ?? 0) + 1)" }
    let rows = table.rows.map { row in
      "\(JSON.text(row.request))".visibleAsJSON
        + ": [\(row.responses.map(name).joined(separator: ", "))]"
    }
    let responses = lists.map { "\(name($0)) = [\($0.joined(separator: separator))]" }
    let values: [Substring: String] = [
      "responses": responses.joined(separator: "\n"),
      "table": "{\(rows.joined(separator: ", "))}",
      "command": "\(JSON.text(command))".visibleAsJSON,
      "name": table.certificate == .wrongHost
        ? "DNS:elsewhere.invalid" : "IP:127.0.0.1,DNS:localhost",
      "days": table.certificate == .expired ? "-1" : "30",
    ]
    var needs = Set(
      lists.joined().map { item in
        let one = item.drop { "*[".contains($0) }.prefix { $0 != "]" }
        return Double(one) != nil ? "wait" : item.hasPrefix("(") ? "pieces" : String(one)
      }
    )
    if table.certificate != nil { needs.insert("certificate") }
    if lists.joined().contains(where: { $0.contains("{date+") }) { needs.insert("date") }
    // A line that ends with `#? WORD` belongs to a program that needs that feature.
    let lines = Shipped.text("reproduction").split(separator: "\n").compactMap { line -> String? in
      let parts = line.components(separatedBy: "  #? ")
      return parts.count == 1 || needs.contains(parts[1]) ? parts[0] : nil
    }
    // All placeholders are replaced in one pass, because a response may contain any word.
    let text = lines.joined(separator: "\n").replacing(/\{([a-z]+)\}/) { values[$0.1] ?? "\($0.0)" }
    return text.components(separatedBy: "\n")
  }
}
