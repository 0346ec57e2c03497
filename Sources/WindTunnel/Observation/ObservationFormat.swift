extension Observation {
  /// One line of a report's log; also what a subject's process tells its parent.
  package var json: JSON {
    var members = [
      JSON.Member("call", .number(call)),
      JSON.Member("endpoint", .text(endpoint)),
      JSON.Member("critical", .bool(isCritical)),
    ]
    switch ending {
    case .succeeded: members.append(JSON.Member("ending", "succeeded"))
    case .crashed: members.append(JSON.Member("ending", "crashed"))
    case .hung: members.append(JSON.Member("ending", "hung"))
    case .failed(let reason):
      members.append(JSON.Member("ending", "failed"))
      members.append(JSON.Member("reason", .text(reason)))
    }
    members += [
      JSON.Member("showed", .bool(showed)),
      JSON.Member("latencyMilliseconds", .number(latency.inMilliseconds, places: 3)),
      JSON.Member("attempts", attemptCount.map { .number($0) } ?? .null),
      JSON.Member(
        "met",
        .array(attempts.map { ["decision": .text($0.decision), "take": .text($0.take)] })
      ),
    ]
    return .object(members)
  }

  init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    let whole = 0...(1 << 40)
    guard let call = try object.int("call", in: whole),
      let endpoint = try object.string("endpoint"),
      let critical = try object.bool("critical"), let showed = try object.bool("showed"),
      let latency = try object.double("latencyMilliseconds", in: 0...1e12)
    else { throw object.error("call", "a call needs its number, endpoint, ending and latency") }
    let reason = try object.string("reason")
    let ending: Ending
    switch try object.string("ending") {
    case "succeeded": ending = .succeeded
    case "failed": ending = .failed(reason ?? "unknown")
    case "crashed": ending = .crashed
    case "hung": ending = .hung
    default: throw object.error("ending", "none of succeeded, failed, crashed and hung")
    }
    // Null says that they could not be seen, which is not the same as none.
    let isUnseen = object.take("attempts") == .null
    let count = isUnseen ? nil : try object.int("attempts", in: whole)
    var met: [Attempt] = []
    for json in try object.array("met") ?? [] {
      guard let decision = json["decision"]?.stringValue, let take = json["take"]?.stringValue
      else {
        throw object.error("met", "\(json) is no decision with what was dealt")
      }
      met.append(Attempt(decision: decision, take: take))
    }
    try object.refuseUnknownKeys()
    self.init(
      call: call,
      endpoint: endpoint,
      isCritical: critical,
      ending: ending,
      showed: showed,
      latency: Duration(milliseconds: latency),
      attemptCount: count,
      attempts: met
    )
  }

  /// Reads one line.
  package init(line: some Collection<UInt8>) throws(FormatError) {
    let json = try JSON(parsing: line, source: "a subject's process")
    try self.init(reading: ObjectReader(json, source: "a subject's process", path: ""))
  }
}

extension Journal.Take {
  /// What was dealt, in a report's words.
  package var words: String {
    switch self {
    case .recording(let place): "recording \(place + 1)"
    case .withheld(let place): "withheld \(place + 1)"
    case .computed: "computed"
    case .forwarded: "forwarded"
    case .unmatched: "unmatched"
    case .connection: "connection"
    }
  }
}
