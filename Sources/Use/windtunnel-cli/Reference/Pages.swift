// The pages that list what the code has. Each is printed by the command that it names.

extension GateMetric {
  /// Every figure as a page of Markdown, a row each.
  static var page: String {
    let rows = allCases.map { row in
      [
        MarkdownPage.code(row.rawValue), MarkdownPage.code(row.key), "\(row.kind)",
        MarkdownPage.plain(row.summary), row.isOfPair ? "yes" : "",
        MarkdownPage.code(row.example(row.rawValue)),
      ]
    }
    return MarkdownPage.text(
      title: "Metrics",
      abstract: "Look up the figures that a gate can ask for, and their names in a report.",
      command: "windtunnel metrics list --markdown",
      parts: [
        "A gate compares one of them with a bar, of all calls (`p95 <= 3s`) or of those to one "
          + "endpoint\n(`p95(POST /payments) <= 3s`). A figure that was not seen, or of too few calls, is "
          + "neither met nor\nmissed: the gate cannot be told, which is exit code 98.",
        MarkdownPage.table(
          ["Metric", "In a report", "Kind", "Meaning", "Needs `--baseline`", "A gate"],
          rows
        ),
      ]
    )
  }
}

extension Scenario {
  /// The scenarios that ship as a page of Markdown, a row each.
  static func page(of scenarios: [Scenario]) -> String {
    let groups = Scenarios.groups.map { name in
      (name: name, members: Set((Scenarios.group(name) ?? []).map(\.name)))
    }
    let rows = scenarios.map { scenario in
      let own = groups.filter { $0.members.contains(scenario.name) }.map {
        MarkdownPage.code($0.name)
      }
      let gates = scenario.gates.map { MarkdownPage.code($0.description) }
      return [
        MarkdownPage.code(scenario.name), MarkdownPage.plain(scenario.summary ?? ""),
        own.joined(separator: ", "), gates.joined(separator: ", "),
      ]
    }
    return MarkdownPage.text(
      title: "Shipped scenarios",
      abstract: "Look up the scenarios inside the tool, and the groups that they are flown in.",
      command: "windtunnel scenarios list --markdown",
      parts: [
        "`--scenario NAME` takes a scenario or a group; `windtunnel scenarios show NAME` prints one as a "
          + "file, to be\nchanged. In Swift the groups are `Scenario.everyPush`, `.weakNetwork`, "
          + "`.defaultDrill` and `.preRelease`.",
        MarkdownPage.table(["Scenario", "Weather", "Groups", "Gates of its own"], rows),
      ]
    )
  }
}

extension CatalogueRow {
  /// Every kind of fault as a page of Markdown, as it is written in Swift and in JSON.
  static var page: String {
    let head = ["URLSession on Linux", "curl", "URLSession on Apple platforms"]
    let faults = FaultKind.all.map { kind in
      [
        MarkdownPage.code(kind.name), kind.layer.rawValue, MarkdownPage.code(kind.fault.swift),
        MarkdownPage.code(kind.fault.json.line),
      ] + CatalogueRow.fault(kind).sights(mark: "`", separator: ", ")
    }
    let lookUps = all.compactMap { row -> [String]? in
      guard case .lookUp(let example) = row,
        case .array(let entries)? = example.script.json["entries"]
      else { return nil }
      return [
        MarkdownPage.code(row.name),
        entries.map { MarkdownPage.code($0.line) }.joined(separator: ", "),
      ] + row.sights(mark: "`", separator: ", ")
    }
    return MarkdownPage.text(
      title: "Faults",
      abstract:
        "Look up how a fault is written in Swift and in a file, and what clients make of it.",
      command: "windtunnel faults list --markdown",
      parts: [
        "Linux and curl are measured, with swift-corelibs-foundation 6.3.1 on libcurl 7.88.1; the column "
          + "of Apple\nplatforms is what their documentation and users report. An error's name is a "
          + "`Symptom`, and behind it\nstands the code of the `URLError`; curl is told by its exit codes. "
          + "`windtunnel faults selftest` makes\neach for real and compares.",
        "## In a scenario",
        "In Swift a fault is the last argument of a rule, `.on(\"GET /users/*\", .first(2), "
          + ".status(503))`; in a file it is\nan object in `\"faults\"`.",
        MarkdownPage.table(["Fault", "Layer", "Swift", "JSON"] + head, faults),
        "## In a script of name look-ups",
        "An object in `\"entries\"` of the file that `windtunnel dns --script FILE` reads.",
        MarkdownPage.table(["Fault", "JSON"] + head, lookUps),
      ]
    )
  }

  /// The clients' views of it, with marks around names that a code follows.
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
  /// The value in a line, with the spaces that people write.
  fileprivate var line: String {
    switch self {
    case .object(let members):
      members.isEmpty
        ? "{}"
        : "{ \(members.map { "\(JSON.string($0.name).compact): \($0.value.line)" }.joined(separator: ", ")) }"
    case .array(let values): "[\(values.map(\.line).joined(separator: ", "))]"
    default: compact
    }
  }

  private var compact: String { String(decoding: bytes(.init(.compact)), as: UTF8.self) }
}
