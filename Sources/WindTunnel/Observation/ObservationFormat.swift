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
      JSON.Member("met", .array(attempts.map(\.json))),
    ]
    return .object(members + laterMembers)
  }

  package init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    let whole = 0...(1 << 40)
    guard let call = try object.int("call", in: whole),
      let endpoint = try object.string("endpoint"),
      let critical = try object.bool("critical"), let showed = try object.bool("showed"),
      let latency = try object.double("latencyMilliseconds", in: 0...1e12)
    else { throw object.error("call", "a call needs its number, endpoint, ending and latency") }
    let reason = try object.string("reason")
    let ending: CallResult
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
    for json in try object.array("met") ?? [] { met.append(try Attempt(json, in: object)) }
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
    try takeLaterMembers(&object)
    try object.refuseUnknownKeys()
  }

  /// Reads one line.
  package init(line: some Collection<UInt8>) throws(FormatError) {
    let json = try JSON(parsing: line, source: "a subject's process")
    try self.init(reading: ObjectReader(json, source: "a subject's process", path: ""))
  }
}

extension Observation {
  /// The members that are there only where they were seen.
  private var laterMembers: [JSON.Member] {
    var members: [JSON.Member] = []
    members.add("intendedStartMilliseconds", intendedStart)
    members.add("startMilliseconds", start)
    members.add("startUpMilliseconds", startUp)
    members.add("clientAttempts", clientAttempts)
    members.add("bodyMatches", bodyMatches)
    if let printed { members.append(JSON.Member("printed", .text(printed))) }
    members.add("stale", isStale)
    members.add("afterWindowMilliseconds", afterWindow)
    if let cancellation {
      var cancelled: [JSON.Member] = []
      cancelled.add("afterMilliseconds", cancellation.after)
      cancelled.add("toReturnMilliseconds", cancellation.toReturn)
      cancelled.add("attemptsAfter", cancellation.attemptsAfter)
      members.append(JSON.Member("cancelled", .object(cancelled)))
    }
    if let notOnCassette { members.append(JSON.Member("notOnCassette", .text(notOnCassette))) }
    return members
  }

  private mutating func takeLaterMembers(_ object: inout ObjectReader) throws(FormatError) {
    intendedStart = try object.offset("intendedStartMilliseconds")
    start = try object.offset("startMilliseconds")
    startUp = try object.offset("startUpMilliseconds")
    clientAttempts = try object.int("clientAttempts", in: 0...(1 << 40))
    bodyMatches = try object.bool("bodyMatches")
    printed = try object.string("printed")
    isStale = try object.bool("stale")
    afterWindow = try object.offset("afterWindowMilliseconds")
    notOnCassette = try object.string("notOnCassette")
    guard var cancelled = try object.object("cancelled") else { return }
    guard let after = try cancelled.offset("afterMilliseconds"),
      let toReturn = try cancelled.offset("toReturnMilliseconds")
    else {
      throw object.error("cancelled", "it needs afterMilliseconds and toReturnMilliseconds")
    }
    cancellation = Cancellation(
      after: after,
      toReturn: toReturn,
      attemptsAfter: try cancelled.int("attemptsAfter", in: 0...(1 << 40))
    )
    try cancelled.refuseUnknownKeys()
  }
}

extension Observation.Attempt {
  package var json: JSON {
    var members = [
      JSON.Member("decision", .text(decision)), JSON.Member("take", .text(take)),
    ]
    members.add("startMilliseconds", start)
    members.add("endMilliseconds", end)
    members.add("status", status)
    members.add("bytes", bytes)
    if let error { members.append(JSON.Member("error", .text(error))) }
    members.add("retryAfterMilliseconds", retryAfter)
    members.add("retryNotBeforeMilliseconds", retryNotBefore)
    members.add("repeatable", isRepeatable)
    if let stages = stages.json { members.append(JSON.Member("stages", stages)) }
    return .object(members)
  }

  /// Reads one as a part of an observation.
  fileprivate init(_ json: JSON, in parent: ObjectReader) throws(FormatError) {
    guard let decision = json["decision"]?.stringValue, let take = json["take"]?.stringValue else {
      throw parent.error("met", "\(json) is no decision with what was dealt")
    }
    self.init(decision: decision, take: take)
    var object = try ObjectReader(json, source: parent.source, path: parent.place("met"))
    _ = (object.take("decision"), object.take("take"))
    start = try object.offset("startMilliseconds")
    end = try object.offset("endMilliseconds")
    status = try object.int("status", in: 0...999)
    bytes = try object.int("bytes", in: 0...(1 << 50))
    error = try object.string("error")
    retryAfter = try object.offset("retryAfterMilliseconds")
    retryNotBefore = try object.offset("retryNotBeforeMilliseconds")
    isRepeatable = try object.bool("repeatable")
    if let stages = try object.object("stages") {
      self.stages = try ExchangeStages(reading: stages)
    }
    try object.refuseUnknownKeys()
  }

  /// Reads one by itself.
  package init(_ json: JSON) throws(FormatError) {
    try self.init(json, in: ObjectReader(["met": json], source: "a subject's process", path: ""))
  }
}

extension ExchangeStages {
  /// The stages that were seen, under their keys; `nil` where none was.
  package var json: JSON? {
    let seen = all.compactMap { name, length in
      length.map {
        JSON.Member(JSON.Text("\(name)Milliseconds"), .number($0.inMilliseconds, places: 3))
      }
    }
    return seen.isEmpty ? nil : .object(seen)
  }

  /// Reads them by themselves.
  package init(_ json: JSON) throws(FormatError) {
    try self.init(reading: ObjectReader(json, source: "a subject's process", path: "stages"))
  }

  fileprivate init(reading object: ObjectReader) throws(FormatError) {
    self.init()
    var object = object
    dns = try object.offset("dnsMilliseconds")
    connect = try object.offset("connectMilliseconds")
    tls = try object.offset("tlsMilliseconds")
    upload = try object.offset("uploadMilliseconds")
    firstByte = try object.offset("firstByteMilliseconds")
    body = try object.offset("bodyMilliseconds")
    try object.refuseUnknownKeys()
  }
}

extension [JSON.Member] {
  fileprivate mutating func add(_ name: JSON.Text, _ value: Duration?) {
    if let value { append(JSON.Member(name, .number(value.inMilliseconds, places: 3))) }
  }

  fileprivate mutating func add(_ name: JSON.Text, _ value: Int?) {
    if let value { append(JSON.Member(name, .number(value))) }
  }

  fileprivate mutating func add(_ name: JSON.Text, _ value: Bool?) {
    if let value { append(JSON.Member(name, .bool(value))) }
  }
}

extension ObjectReader {
  /// A length of time or an offset, where it is there.
  mutating func offset(_ name: String) throws(FormatError) -> Duration? {
    try double(name, in: 0...1e12).map { Duration(milliseconds: $0) }
  }
}
