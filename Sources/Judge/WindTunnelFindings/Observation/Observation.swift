/// One call, which is one use of the client's API, with everything that was observed of it.
///
/// Times are whole microseconds, and offsets count from the start of the scenario. A value that was
/// not observed is `nil`, never zero.
@dynamicMemberLookup
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
  /// The time from the intended start to the end, without a program's start-up.
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
  /// The facts that few calls have, in the order of their keys.
  var facts: [Fact] = []
  /// The attempts that belong to the start of an app, in order: probes, the configuration, where
  /// those redirect to, and connections that failed before the call's own first request. No rule
  /// about retries and no figure of them counts any.
  public internal(set) var startAttempts: [Attempt] = []

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

  /// The name of a captive portal's page in the evidence `showsResponseOf`.
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
  public var end: Duration? {
    (intendedStart ?? start).map { $0 + (self.startUp ?? .zero) + latency }
  }

  /// Tells whether the caller cancelled the call before it ended by itself: it counts as cancelled,
  /// and neither as a success nor as a failure, even where its client went on and succeeded.
  public var wasGivenUp: Bool {
    // Asked of each call: a row of evidence would take longer.
    guard facts.contains(where: { $0.key == "cancelled" }) else { return false }
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
  package var isJudged: Bool {
    facts.isEmpty || (!facts.contains { $0.key == "notOnCassette" } && !wasGivenUp)
  }
}

extension Observation.CallResult {
  /// The ending without the reason of a failure.
  package var word: String {
    switch self {
    case .succeeded: "succeeded"
    case .failed: "failed"
    case .crashed: "crashed"
    case .hung: "hung"
    }
  }

  package var reason: String? { if case .failed(let reason) = self { reason } else { nil } }

  mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let problem = "none of succeeded, failed, crashed and hung"
    var (name, cause) = (word, reason)
    try fields.string("ending", &name, ("ending", problem))
    try fields.string("reason", &cause)
    let endings: [Self] = [.succeeded, .failed(cause ?? "unknown"), .crashed, .hung]
    self = try fields.required(endings.first { $0.word == name }, ("ending", problem))
  }
}

extension Observation.Attempt: JSONObject {
  package static let blank = Self(decision: AttemptDecision(line: ""), source: .played(.unmatched))

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    var (line, words) = fields.isReading ? ("", "") : (decision.line, source.words)
    try fields.string("decision", &line, ("decision", "it is missing"))
    try fields.string("source", &words, ("source", "it is missing"))
    if fields.isReading {
      (decision, source) = (AttemptDecision(line: line), ResponseSource(words: words))
    }
    try fields.time("startMilliseconds", &start)
    try fields.time("endMilliseconds", &end)
    try fields.int("status", &status, in: 0...999)
    try fields.int("bytes", &bytes, in: 0...(1 << 50))
    try fields.string("error", &error)
    try fields.time("retryAfterMilliseconds", &retryAfter)
    try fields.time("retryNotBeforeMilliseconds", &retryNotBefore)
    try fields.bool("repeatable", &isRepeatable)
    try fields.flag("ofStart", &isOfStart)
    try fields.flag("openAtEnd", &isOpenAtEnd)
    try fields.int("bytesSent", &bytesSent, in: 0...(1 << 50))
    try fields.flag("staleOnArrival", &isStaleOnArrival)
    try fields.nested("cache", &cacheTerms)
    try fields.flag("underBadCertificate", &isUnderBadCertificate)
    if fields.isReading {
      stages = try fields.object.object("stages").map(ExchangeStages.init(reading:)) ?? stages
      sent = try fields.object.object("sent").map(Observation.Sent.init(reading:))
    } else {
      fields.write("stages", stages.json)
      fields.write("sent", sent?.json)
    }
    try fields.nested("conversation", &conversation)
    if fields.isReading || !undone.isEmpty { try fields.list("notDone", &undone) }
  }

  /// Reads one as a part of an observation.
  init(_ json: JSON, in parent: ObjectReader) throws(FormatError) {
    guard json["decision"]?.stringValue != nil, json["source"]?.stringValue != nil else {
      throw parent.error("met", "\(json) is no decision with what was dealt")
    }
    try self.init(reading: ObjectReader(json, source: parent.source, path: parent.place("met")))
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

extension Duration {
  /// The same in whole microseconds.
  package var wholeMicroseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}
