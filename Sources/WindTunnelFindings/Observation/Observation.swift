@_spi(WindTunnel) internal import WindTunnelCore

/// One call, which is one use of the client's API, with everything that was observed of it.
///
/// Times are whole microseconds, and offsets count from the start of the scenario. A value that was
/// not observed is `nil`, never zero.
public struct Observation: Sendable, Hashable {
  /// The ways in which a call ends.
  public enum CallResult: Sendable, Hashable {
    /// The call returned what the caller asked for.
    case succeeded
    /// The call returned an error, by the name of its symptom or status.
    case failed(String)
    /// The client's process died during the call.
    case crashed
    /// The call did not end within its deadline.
    case hung
  }

  /// The number of the call in its scenario, from 0.
  public var call: Int
  /// The endpoint that was called, such as `GET /home`.
  public var endpoint: String
  /// Tells whether the endpoint is critical.
  public var isCritical: Bool
  /// Tells whether the call had something to show to the user; a failed call of a critical endpoint
  /// that had nothing is a blank page.
  public var showed: Bool
  /// Tells whether a successful call returned the recorded body, byte for byte; `nil` where it was
  /// not compared.
  public var bodyMatches: Bool?
  /// The way in which the call ended.
  public var ending: CallResult
  /// The time from the intended start to the end, without a program's ``startUp``.
  public var latency: Duration {
    get { knownLatency ?? .zero }
    set { knownLatency = newValue }
  }
  /// The number of attempts that the harness observed; `nil` where they cannot be observed.
  public var attemptCount: Int? {
    get { shortAttemptCount.map { Int($0) } }
    set { shortAttemptCount = newValue.map { Int32(clamping: $0) } }
  }
  /// The attempts at what the call asks for, as far as they reached the deck; those of the start of
  /// an app are in ``startAttempts``.
  public var attempts: [Attempt]
  /// The time at which the call was to begin.
  @Microseconds public var intendedStart: Duration?
  /// The time at which the call began; later than intended where all workers were busy.
  @Microseconds public var start: Duration?
  /// The number of requests that the client says it meant to send.
  public var clientAttempts: Int? {
    get { shortClientAttempts.map { Int($0) } }
    set { shortClientAttempts = newValue.map { Int32(clamping: $0) } }
  }

  @Microseconds private var knownLatency: Duration?
  var shortAttemptCount: Int32?
  var shortClientAttempts: Int32?
  /// The parts that few calls have: millions are copied and looked at.
  var seldom: Boxed<Seldom>?

  /// Makes an observation; parts that are not given were not observed.
  public init(
    call: Int,
    endpoint: String,
    isCritical: Bool,
    ending: CallResult,
    showed: Bool,
    latency: Duration,
    attemptCount: Int?,
    attempts: [Attempt] = []
  ) {
    (self.call, self.endpoint, self.isCritical, self.ending) = (call, endpoint, isCritical, ending)
    self.showed = showed
    knownLatency = latency
    self.attempts = attempts
    self.attemptCount = attemptCount
  }

  /// The name of a captive portal's page in ``showsAnswerOf``.
  public static let portalPage = "captive portal"

  /// The memory that a program had, counted in its resident pages and of the largest of its
  /// processes.
  public struct Memory: Sendable, Hashable {
    /// The bytes before the call; of one that is started for it when the server first saw it.
    public var beforeBytes: Int?
    /// The most bytes in the call.
    public var peakBytes: Int
    /// Tells whether the drill ended it for their number.
    public var wasEnded: Bool

    /// Makes one of what was seen.
    public init(beforeBytes: Int? = nil, peakBytes: Int, wasEnded: Bool = false) {
      (self.beforeBytes, self.peakBytes) = (beforeBytes, peakBytes)
      self.wasEnded = wasEnded
    }
  }

  /// A cancellation of a call by its caller.
  public struct Cancellation: Sendable, Hashable {
    /// The time from the call's start to its cancellation.
    public var after: Duration
    /// The time from the cancellation to the call's return.
    public var toReturn: Duration
    /// The number of attempts that began after the call had returned.
    public var attemptsAfter: Int?

    /// Makes a cancellation of a call.
    public init(after: Duration, toReturn: Duration, attemptsAfter: Int?) {
      (self.after, self.toReturn, self.attemptsAfter) = (after, toReturn, attemptsAfter)
    }
  }

  /// The time at which the call ended, where its beginning is known.
  public var end: Duration? { (intendedStart ?? start).map { $0 + (startUp ?? .zero) + latency } }

  /// Tells whether the caller cancelled the call before it ended by itself: it counts as cancelled,
  /// and neither as a success nor as a failure, even where its client went on and succeeded.
  public var wasGivenUp: Bool {
    guard cancellation != nil else { return false }
    return ending != .crashed && ending != .hung
  }

  /// Returns the last part of an endpoint's path, such as `payments`: what a call's place is called
  /// by for people.
  package static func word(of endpoint: String) -> String {
    let path = endpoint.split(separator: " ", maxSplits: 1).last ?? ""
    return path.split(separator: "/").last.map(String.init) ?? "call"
  }

  /// Tells whether it counts as a success or as a failure of the client's.
  package var isJudged: Bool { notOnCassette == nil && !wasGivenUp }
}

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
      JSON.Member("met", .array(allAttempts.map(\.json))),
    ]
    return .object(members + laterMembers)
  }

  package init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    let whole = 0...(1 << 40)
    let ofCall = 0...Int(Int32.max)
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
    let count = isUnseen ? nil : try object.int("attempts", in: ofCall)
    var met: [Attempt] = []
    for json in try object.array("met") ?? [] { met.append(try Attempt(json, in: object)) }
    self.init(
      call: call,
      endpoint: endpoint,
      isCritical: critical,
      ending: ending,
      showed: showed,
      latency: Duration(milliseconds: latency),
      attemptCount: count
    )
    take(met)
    try takeLaterMembers(&object)
    try object.refuseUnknownKeys()
  }

  /// Reads one line of a log.
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
    if let showsAnswerOf { members.append(JSON.Member("showsAnswerOf", .text(showsAnswerOf))) }
    members.add("joinsVersions", joinsVersions)
    members.add("replacesScalars", replacesScalars)
    members.add("showsCutEvent", showsCutEvent)
    members.add("hidesErrorEvent", hidesErrorEvent)
    if let rogueAnswer { members.add("rogueAnswer", .text(rogueAnswer.rawValue)) }
    if let configuration { members.add("configuration", configuration.json) }
    if let received { members.append(JSON.Member("received", received.json)) }
    members.add("stale", isStale)
    if let memory {
      let seen = JSON.members([
        "beforeBytes": memory.beforeBytes.map { .number($0) },
        "peakBytes": .number(memory.peakBytes), "ended": memory.wasEnded ? true : JSON?.none,
      ])
      members.append(JSON.Member("memory", .object(seen)))
    }
    members.add("processorDelayMilliseconds", processorDelay)
    if let sleep = sleepWithoutLimit {
      members.append(JSON.Member("sleepWithoutLimit", .text(sleep)))
    }
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
    clientAttempts = try object.int("clientAttempts", in: 0...Int(Int32.max))
    bodyMatches = try object.bool("bodyMatches")
    joinsVersions = try object.bool("joinsVersions")
    replacesScalars = try object.bool("replacesScalars")
    showsCutEvent = try object.bool("showsCutEvent")
    hidesErrorEvent = try object.bool("hidesErrorEvent")
    printed = try object.string("printed")
    showsAnswerOf = try object.string("showsAnswerOf")
    rogueAnswer = try object.choice("rogueAnswer", RogueAnswer.self)
    configuration = try object.object("configuration").map(ConfigurationUse.init(reading:))
    if let said = try object.object("received") { received = try ReceivedMessages(reading: said) }
    isStale = try object.bool("stale")
    processorDelay = try object.offset("processorDelayMilliseconds")
    sleepWithoutLimit = try object.string("sleepWithoutLimit")
    afterWindow = try object.offset("afterWindowMilliseconds")
    notOnCassette = try object.string("notOnCassette")
    if var seen = try object.object("memory") {
      let range = 0...(1 << 50)
      let before = try seen.int("beforeBytes", in: range)
      guard let peak = try seen.int("peakBytes", in: range) else {
        throw object.error("memory", "it needs peakBytes")
      }
      let wasEnded = try seen.bool("ended") ?? false
      memory = Memory(beforeBytes: before, peakBytes: peak, wasEnded: wasEnded)
      try seen.refuseUnknownKeys()
    }
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
    var members = [JSON.Member("decision", .text(decision)), JSON.Member("take", .text(take))]
    members.add("startMilliseconds", start)
    members.add("endMilliseconds", end)
    members.add("status", status)
    members.add("bytes", bytes)
    if let error { members.append(JSON.Member("error", .text(error))) }
    members.add("retryAfterMilliseconds", retryAfter)
    members.add("retryNotBeforeMilliseconds", retryNotBefore)
    members.add("repeatable", isRepeatable)
    if isOfStart { members.append(JSON.Member("ofStart", true)) }
    if isOpenAtEnd { members.append(JSON.Member("openAtEnd", true)) }
    members.add("bytesSent", bytesSent)
    if isStaleOnArrival { members.append(JSON.Member("staleOnArrival", true)) }
    if let cacheTerms { members.append(JSON.Member("cache", cacheTerms.json)) }
    if isUnderBadCertificate { members.append(JSON.Member("underBadCertificate", true)) }
    if let stages = stages.json { members.append(JSON.Member("stages", stages)) }
    if let sent = sent?.json { members.append(JSON.Member("sent", sent)) }
    if let conversation { members.append(JSON.Member("conversation", conversation.json)) }
    if !undone.isEmpty { members.append(JSON.Member("notDone", .array(undone.map(\.json)))) }
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
    isOfStart = try object.bool("ofStart") ?? false
    isOpenAtEnd = try object.bool("openAtEnd") ?? false
    bytesSent = try object.int("bytesSent", in: 0...(1 << 50))
    isStaleOnArrival = try object.bool("staleOnArrival") ?? false
    cacheTerms = try object.object("cache").map(Observation.CacheTerms.init(reading:))
    isUnderBadCertificate = try object.bool("underBadCertificate") ?? false
    if let stages = try object.object("stages") {
      self.stages = try ExchangeStages(reading: stages)
    }
    if let sent = try object.object("sent") { self.sent = try Observation.Sent(reading: sent) }
    conversation = try object.object("conversation").map(ConversationLog.init(reading:))
    undone = try object.list("notDone", Undone.init(reading:)) ?? []
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
  fileprivate mutating func add(_ name: JSON.Text, _ value: Int?) {
    if let value { append(JSON.Member(name, .number(value))) }
  }

  fileprivate mutating func add(_ name: JSON.Text, _ value: Bool?) {
    if let value { append(JSON.Member(name, .bool(value))) }
  }
}

extension ObjectReader {
  /// Returns a length of time or an offset, where it is there.
  mutating func offset(_ name: String) throws(FormatError) -> Duration? {
    try double(name, in: 0...1e12).map { Duration(milliseconds: $0) }
  }
}

extension Observation.Attempt.Undone {
  package var json: JSON { ["fault": .text(fault), "reason": .text(reason)] }

  package init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    guard let fault = try object.string("fault"), let reason = try object.string("reason") else {
      throw object.error("fault", "a fault that was not done needs its name and the reason")
    }
    self.init(fault: fault, reason: reason)
    try object.refuseUnknownKeys()
  }
}
