/// Secrets that were found, in the form in which code hosts and editors take the results of
/// checkers: SARIF 2.1.0 (OASIS, 2020).
struct SARIFLog {
  let files: [(path: String, leaks: [CassetteLeak])]

  var json: JSON {
    [
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
      "runs": [["tool": ["driver": driver], "results": .array(files.flatMap(results))]],
    ]
  }

  private var driver: JSON {
    let used = Set(files.flatMap { $0.leaks.map(\.rule) })
    let rules: [JSON] = DetectionRow.all.filter { used.contains($0.id) }.map { row in
      [
        "id": .text(row.id), "shortDescription": ["text": .text(row.finds)],
        "help": ["text": .text(row.reason)],
      ]
    }
    return ["name": "windtunnel", "rules": .array(rules)]
  }

  private func results(_ path: String, _ leaks: [CassetteLeak]) -> [JSON] {
    leaks.map { leak in
      [
        "ruleId": .text(leak.rule), "level": "error",
        "message": ["text": .text("A secret stands on this cassette: \(leak)")],
        "locations": [
          [
            "physicalLocation": ["artifactLocation": ["uri": .text(path)]],
            "logicalLocations": [["fullyQualifiedName": .text("#\(leak.number) \(leak.place)")]],
          ]
        ],
      ]
    }
  }
}
