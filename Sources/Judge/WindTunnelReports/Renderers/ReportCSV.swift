// One line per call (RFC 4180), for a spreadsheet or other analysis.

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
  /// The fields of a line. A value that was not observed is empty, and the values of all attempts
  /// are joined in one field.
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
  /// The text as a field in one line, quoted if necessary. A client's text is untrusted, so a field
  /// that a spreadsheet would interpret as a formula begins with an apostrophe (OWASP, CSV
  /// Injection). A negative number does not.
  fileprivate var asCSVField: String {
    var field = visibleInLine
    // East Asian spreadsheets also accept the full-width forms.
    if let first = field.first, "=+-@＝＋－＠".contains(first), first != "-" || Double(field) == nil {
      field = "'\(field)"
    }
    let needsQuotes = field.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
    return needsQuotes ? "\"\(field.replacing("\"", with: "\"\""))\"" : field
  }
}
