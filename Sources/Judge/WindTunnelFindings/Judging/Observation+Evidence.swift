/// An observation in JSON: a line of a report's log, and a message of a client process to its
/// parent.
extension Observation: JSONObject {
  package static let blank = Self(
    call: 0,
    endpoint: "",
    isCritical: false,
    ending: .succeeded,
    showed: false,
    latency: .zero,
    attemptCount: nil
  )

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let ofCall = 0...Int(Int32.max)
    let missing: JSONFields.Missing = (
      "call", "a call requires its number, endpoint, ending and latency"
    )
    try fields.int("call", &call, in: 0...(1 << 40), missing)
    try fields.string("endpoint", &endpoint, missing)
    var (critical, shown): (Bool?, Bool?) = (isCritical, showed)
    try fields.bool("critical", &critical)
    isCritical = try fields.required(critical, missing)
    try ending.list(&fields)
    try fields.bool("showed", &shown)
    showed = try fields.required(shown, missing)
    try fields.time("latencyMilliseconds", &latency, missing)
    if fields.isReading {
      // A null value means that the attempts could not be observed, which is not the same as no
      // attempts.
      let isUnseen = fields.object.take("attempts") == .null
      attemptCount = isUnseen ? nil : try fields.object.int("attempts", in: ofCall)
      var met: [Attempt] = []
      for json in try fields.object.array("met") ?? [] {
        met.append(try Attempt(json, in: fields.object))
      }
      take(met)
    } else {
      fields.write("attempts", .orNull(attemptCount))
      fields.write("met", .array(allAttempts.map(\.json)))
    }
    try fields.time("intendedStartMilliseconds", &intendedStart)
    try fields.time("startMilliseconds", &start)
    try fields.time("startUpMilliseconds", &self.startUp)
    try fields.int("clientAttempts", &clientAttempts, in: ofCall)
    try fields.bool("bodyMatches", &bodyMatches)
    for row in FindingRule.evidence { try row.list(&fields, of: &self) }
  }
}

extension FindingRule {
  /// The rows of evidence that a drill collects and a report contains, each once.
  package static let evidence: [any EvidenceRow] = {
    let rows = all.flatMap(\.evidence) + EvidenceRows().shared
    let keys = firstKeys + rows.map(\.key).filter { !firstKeys.contains($0) }
    return keys.compactMap { key in rows.first { $0.key == key } }
  }()

  /// The keys of the evidence that the conditions of rules need.
  static let neededKeys = Set(all.compactMap(\.neededKey))

  /// The keys that reports have first, in this order.
  private static let firstKeys = [
    "printed", "showsResponseOf", "joinsVersions", "replacesScalars", "showsCutEvent",
    "hidesErrorEvent", "rogueResponse", "configuration", "received", "stale", "memory",
    "processorDelayMilliseconds", "sleepWithoutLimit", "afterWindowMilliseconds", "cancelled",
    "notOnCassette",
  ]
}
