// The pages that are generated from the code. Each names the command that prints it.

extension GateMetric {
  /// A Markdown page of all figures, one per row.
  static var page: String {
    let rows = allCases.map { row in
      [
        MarkdownPage.code(row.rawValue), "\(row.kind)",
        MarkdownPage.plain(row.summary) + (row.isOfPair ? " Needs `--baseline`." : ""),
      ]
    }
    return MarkdownPage.text(
      title: "Metrics",
      abstract: "Look up the metrics that a gate can use, and their names in a report.",
      command: "windtunnel metrics list --markdown",
      parts: [
        "A gate compares a metric with a limit, over all calls (`p95 <= 3s`) or the calls to one "
          + "endpoint\n(`p95(POST /payments) <= 3s`). If the metric was not observed, or over too "
          + "few calls, the gate\nis inconclusive, which is exit code 98. Other examples: "
          + "`duplicates == 0`, `successRate >= 0.99`,\n`averageRetries <= 1.5`.",
        "In a report a metric has its name without dots, and a time ends in `Milliseconds`: "
          + "`p95.upper` is\n`p95UpperMilliseconds`.",
        MarkdownPage.table(["Metric", "Kind", "Meaning"], rows),
      ]
    )
  }
}

extension Scenario {
  /// Returns a Markdown page of the shipped scenarios, one per row.
  static func page(of scenarios: [Scenario]) -> String {
    let groups = Scenarios.groups.map { name in
      (name: name, members: Set((Scenarios.group(name) ?? []).map(\.name)))
    }
    let rows = scenarios.map { scenario in
      let all = groups.filter { $0.members.contains(scenario.name) }
      let own = all.filter { group in
        !all.contains { $0.members.isStrictSubset(of: group.members) }
      }
      let gates = scenario.gates.map(\.description)
      let cell =
        if gates == ["crashes == 0", "hangs == 0"] {
          ""
        } else if gates.isEmpty {
          "none"
        } else {
          gates.map(MarkdownPage.code).joined(separator: ", ")
        }
      return [
        MarkdownPage.code(scenario.name), MarkdownPage.plain(scenario.summary ?? ""),
        own.map { MarkdownPage.code($0.name) }.joined(separator: ", "), cell,
      ]
    }
    return MarkdownPage.text(
      title: "Shipped scenarios",
      abstract: "Look up the scenarios in the tool, and their groups.",
      command: "windtunnel scenarios list --markdown",
      parts: [
        "`--scenario NAME` accepts a scenario or a group; `windtunnel scenarios show NAME` prints "
          + "one as a file.\nIn Swift the groups are `Scenario.everyPush`, `.weakNetwork`, "
          + "`.defaultDrill` and `.preRelease`.",
        "`every-push` is a part of `default-drill`, and both and `weak-network` are parts of "
          + "`pre-release`.\nWithout a cell for gates, a scenario has `crashes == 0` and "
          + "`hangs == 0`.",
        MarkdownPage.table(["Scenario", "Conditions", "Groups", "Gates"], rows),
      ]
    )
  }
}

extension CatalogueRow {
  /// A Markdown page of all kinds of faults, as Swift code and as JSON.
  static var page: String {
    let head = ["URLSession on Linux", "curl", "URLSession on Apple platforms"]
    let faults = FaultKind.all.map { kind in
      [
        MarkdownPage.code(kind.name), MarkdownPage.code(kind.fault.swift),
        MarkdownPage.code(kind.fault.json.compact),
      ] + CatalogueRow.fault(kind).sights(mark: "`", separator: ", ")
    }
    let lookUps = all.compactMap { row -> [String]? in
      guard case .lookUp(let example) = row,
        case .array(let entries)? = example.script.json["entries"]
      else { return nil }
      return [
        MarkdownPage.code(row.name),
        entries.map { MarkdownPage.code($0.compact) }.joined(separator: ", "),
      ] + row.sights(mark: "`", separator: ", ")
    }
    return MarkdownPage.text(
      title: "Faults",
      abstract: "Look up a fault in Swift and in a file, and the results in clients.",
      command: "windtunnel faults list --markdown",
      parts: [
        "Linux and curl are measured, with swift-corelibs-foundation 6.3.1 on libcurl 7.88.1; the column "
          + "of Apple\nplatforms is from documentation and user reports. An error has the name of "
          + "a `Symptom` and the code\nof the `URLError`; curl has exit codes. "
          + "`windtunnel faults selftest` injects each fault and compares.",
        "## In a scenario",
        "In Swift a fault is the last argument of a rule, `.on(\"GET /users/*\", .first(2), "
          + ".status(503))`; in a file it is\nan object in `\"faults\"`.",
        MarkdownPage.table(["Fault", "Swift", "JSON"] + head, faults),
        "## In a script of name lookups",
        "An object in `\"entries\"` of the file for `windtunnel dns --script FILE`.",
        MarkdownPage.table(["Fault", "JSON"] + head, lookUps),
      ]
    )
  }

  /// Returns the clients' views of the fault, with marks around names that a code follows.
  func sights(mark: String, separator: String) -> [String] {
    let expected = expected
    func sight(_ sight: FaultExpectation.Sight, _ code: Int?) -> String {
      code.map { "\(mark)\(sight.text)\(mark) \($0)" } ?? sight.text
    }
    return [
      sight(expected.linux, expected.linuxCode),
      expected.curl.map { String($0) }.joined(separator: separator),
      sight(expected.apple, expected.appleCode),
    ]
  }
}

extension JSON {
  /// The value in one line.
  fileprivate var compact: String { String(decoding: bytes(.init(.compact)), as: UTF8.self) }
}
