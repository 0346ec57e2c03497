/// The result of a release check, as JSON.
enum ReleaseReport {
  static func json(of checks: [ReleaseCheck], verdict: ReleaseCheck.Status) -> JSON {
    [
      "windtunnelRelease": 1,
      "verdict": .text(verdict.rawValue),
      "files": .number(checks.reduce(0) { $0 + $1.fileCount }),
      "programs": .array(
        checks.flatMap(\.programs).map { program in
          ["file": .text(program.file), "modules": .texts(program.modules.map(\.name))]
        }
      ),
      "findings": .array(
        checks.flatMap(\.findings).map { finding in
          [
            "file": .text(finding.file),
            "module": .orNull(finding.module?.name),
            "reason": .text(finding.reason),
          ]
        }
      ),
      "unread": .array(checks.flatMap(\.unread).map(row)),
      "passedOver": .array(checks.flatMap(\.passedOver).map(row)),
      "failures": .texts(checks.compactMap(\.failure).map { "\($0)" }),
    ]
  }

  private static func row(_ unread: ReleaseCheck.Unread) -> JSON {
    ["file": .text(unread.file), "reason": .text("\(unread.reason)")]
  }
}
