// One line a call (RFC 4180): for a spreadsheet, or whatever else has questions of its own.

extension Report {
  private static let columns = [
    "scenario", "stage", "subject", "call", "endpoint", "critical", "ending", "reason", "showed",
    "intendedStartMilliseconds", "startMilliseconds", "latencyMilliseconds", "attempts",
    "clientAttempts", "faults", "statuses", "bytes", "bodyMatches", "stale",
    "cancelledAfterMilliseconds",
  ]

  func csv() -> String {
    var text = Self.columns.joined(separator: ",") + "\r\n"
    for flown in scenarios {
      for row in flown.subjects {
        for call in row.observations {
          let fields = [flown.name, flown.stage.rawValue, row.name] + call.csvFields
          text += fields.map(\.asCSVField).joined(separator: ",") + "\r\n"
        }
      }
    }
    return text
  }
}

extension Observation {
  /// The fields of a line. One that was not seen is empty, and what each attempt has of its own
  /// stands in one.
  fileprivate var csvFields: [String] {
    let end = self.notOnCassette == nil ? ending.word : "notOnCassette"
    let reason = self.notOnCassette ?? ending.reason ?? ""
    return [
      "\(call)", endpoint, "\(isCritical)", end, reason, "\(showed)",
      Self.time(intendedStart), Self.time(start), Self.time(latency),
      attemptCount.map { "\($0)" } ?? "", clientAttempts.map { "\($0)" } ?? "",
      attempts.map { $0.faults.joined(separator: " + ") }.joined(separator: "; "),
      attempts.map { $0.status.map { "\($0)" } ?? $0.error ?? "" }.joined(separator: "; "),
      attempts.map { $0.bytes.map { "\($0)" } ?? "" }.joined(separator: "; "),
      bodyMatches.map { "\($0)" } ?? "", self.isStale.map { "\($0)" } ?? "",
      Self.time(self.cancellation?.after),
    ]
  }

  private static func time(_ value: Duration?) -> String {
    value.map { "\(JSON.milliseconds($0))" } ?? ""
  }
}

extension String {
  /// In one line, and in quotes where it must be. A field that a spreadsheet would take for a
  /// formula has an apostrophe before it (OWASP, CSV Injection), for what a client says comes from
  /// outside; a number below zero is none.
  fileprivate var asCSVField: String {
    var field = visibleInLine
    // East Asian spreadsheets take the wide forms for the same.
    if let first = field.first, "=+-@＝＋－＠".contains(first), first != "-" || Double(field) == nil {
      field = "'\(field)"
    }
    let needsQuotes = field.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
    return needsQuotes ? "\"\(field.replacing("\"", with: "\"\""))\"" : field
  }
}
