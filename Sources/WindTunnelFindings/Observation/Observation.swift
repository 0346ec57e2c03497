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
  /// Whether the call had something to show to the user. A read of a critical endpoint that had
  /// nothing is a blank screen, and any other call of one is a failed action.
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

  /// The name of a captive portal's page in ``showsResponseOf``.
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

  /// Whether the call reads: its method is GET or HEAD.
  package var isRead: Bool { endpoint.hasPrefix("GET ") || endpoint.hasPrefix("HEAD ") }

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
      JSON.Member("latencyMilliseconds", .milliseconds(latency)),
      JSON.Member("attempts", .orNull(attemptCount)),
      JSON.Member("met", .array(allAttempts.map(\.json))),
    ]
    return .object(members + laterMembers)
  }

  package init(reading object: consuming ObjectReader) throws(FormatError) {
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
    for json in try object.array("met") ?? [] { met.append(try Attempt(json, in: copy object)) }
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
    if let showsResponseOf { members.append(JSON.Member("showsResponseOf", .text(showsResponseOf))) }
    members.add("joinsVersions", joinsVersions)
    members.add("replacesScalars", replacesScalars)
    members.add("showsCutEvent", showsCutEvent)
    members.add("hidesErrorEvent", hidesErrorEvent)
    if let rogueResponse { members.add("rogueResponse", .text(rogueResponse.rawValue)) }
    if let configuration { members.add("configuration", configuration.json) }
    if let received { members.append(JSON.Member("received", received.json)) }
    members.add("stale", isStale)
    if let memory { members.add("memory", memory.json) }
    members.add("processorDelayMilliseconds", processorDelay)
    if let sleepWithoutLimit { members.add("sleepWithoutLimit", .text(sleepWithoutLimit)) }
    members.add("afterWindowMilliseconds", afterWindow)
    if let cancellation { members.add("cancelled", cancellation.json) }
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
    showsResponseOf = try object.string("showsResponseOf")
    rogueResponse = try object.choice("rogueResponse", RogueResponse.self)
    configuration = try object.object("configuration").map(ConfigurationUse.init(reading:))
    received = try object.object("received").map(ReceivedMessages.init(reading:))
    isStale = try object.bool("stale")
    processorDelay = try object.offset("processorDelayMilliseconds")
    sleepWithoutLimit = try object.string("sleepWithoutLimit")
    afterWindow = try object.offset("afterWindowMilliseconds")
    notOnCassette = try object.string("notOnCassette")
    memory = try object.object("memory").map(Memory.init(reading:))
    cancellation = try object.object("cancelled").map(Cancellation.init(reading:))
  }
}

extension Observation.Attempt {
  package var json: JSON {
    var members = [JSON.Member("decision", .text(decision)), JSON.Member("source", .text(take))]
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
    guard let decision = json["decision"]?.stringValue, let take = json["source"]?.stringValue else {
      throw parent.error("met", "\(json) is no decision with what was dealt")
    }
    self.init(decision: decision, take: take)
    var object = try ObjectReader(json, source: parent.source, path: parent.place("met"))
    _ = (object.take("decision"), object.take("source"))
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
    if let seen = try object.object("stages") { stages = try ExchangeStages(reading: seen) }
    sent = try object.object("sent").map(Observation.Sent.init(reading:))
    conversation = try object.object("conversation").map(ConversationLog.init(reading:))
    undone = try object.list("notDone", Undone.init(reading:)) ?? []
    try object.refuseUnknownKeys()
  }

  /// Reads one by itself.
  package init(_ json: JSON) throws(FormatError) {
    try self.init(json, in: ObjectReader(["met": json], source: "a subject's process", path: ""))
  }
}

extension ExchangeStages: JSONPart {
  package static let blank = Self()

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.time("dnsMilliseconds", &dns)
    try fields.time("connectMilliseconds", &connect)
    try fields.time("tlsMilliseconds", &tls)
    try fields.time("uploadMilliseconds", &upload)
    try fields.time("firstByteMilliseconds", &firstByte)
    try fields.time("bodyMilliseconds", &body)
  }
}

extension JSONListed {
  /// Reads the value from a subject's process.
  package init(_ json: JSON) throws(FormatError) {
    try self.init(reading: ObjectReader(json, source: "a subject's process", path: ""))
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

extension Observation.Attempt.Undone: JSONObject {
  package static let blank = Self(fault: "", reason: "")

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let missing: JSONFields.Missing = (
      "fault", "a fault that was not done needs its name and the reason"
    )
    try fields.string("fault", &fault, missing)
    try fields.string("reason", &reason, missing)
  }
}

extension Observation.Memory: JSONObject {
  package static let blank = Self(peakBytes: 0)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let range = 0...(1 << 50)
    try fields.int("beforeBytes", &beforeBytes, in: range)
    try fields.int("peakBytes", &peakBytes, in: range, (nil, "it needs peakBytes"))
    try fields.flag("ended", &wasEnded)
  }
}

extension Observation.Cancellation: JSONObject {
  package static let blank = Self(after: .zero, toReturn: .zero, attemptsAfter: nil)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let missing: JSONFields.Missing = (nil, "it needs afterMilliseconds and toReturnMilliseconds")
    try fields.time("afterMilliseconds", &after, missing)
    try fields.time("toReturnMilliseconds", &toReturn, missing)
    try fields.int("attemptsAfter", &attemptsAfter, in: 0...(1 << 40))
  }
}
