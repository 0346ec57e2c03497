/// One call, which is one use of the client's API, with all its observations.
///
/// Times are whole microseconds, and offsets count from the start of the scenario. A value that was
/// not observed is `nil`, never zero.
@dynamicMemberLookup
public struct Observation: Sendable, Hashable {
  /// The ways in which a call ends.
  public enum CallResult: Sendable, Hashable {
    /// The call returned the requested result.
    case succeeded
    /// The call returned an error, by the name of its symptom or status.
    case failed(String)
    /// The client's process crashed during the call.
    case crashed
    /// The call did not end, even some time after its deadline.
    case hung
  }

  /// The number of the call in its scenario, counted from 0.
  public var call: Int
  /// The endpoint that was called, such as `GET /home`.
  public var endpoint: String
  /// Whether the endpoint is critical.
  public var isCritical: Bool
  /// Whether the call showed content to the user. For a critical endpoint, a read without content
  /// is a blank screen, and any other call without content is a failed action.
  public var showed: Bool
  /// Whether a successful call returned the recorded body, byte for byte, or `nil` if it was not
  /// compared.
  public var bodyMatches: Bool?
  /// The way in which the call ended.
  public var ending: CallResult
  /// The time from the intended start to the end, without a program's start-up.
  public var latency: Duration {
    get { knownLatency ?? .zero }
    set { knownLatency = newValue }
  }
  /// The number of attempts that the harness observed, or `nil` if they cannot be observed.
  public var attemptCount: Int? {
    get { shortAttemptCount.map { Int($0) } }
    set { shortAttemptCount = newValue.map { Int32(clamping: $0) } }
  }
  /// The attempts of the call's own requests that reached the deck. Attempts of the start of an app
  /// are in ``startAttempts``.
  public var attempts: [Attempt]
  /// The time at which the call was due.
  @Microseconds public var intendedStart: Duration?
  /// The time at which the call began. It is later than intended if all workers were busy.
  @Microseconds public var start: Duration?
  /// The number of requests that the client reports it intended to send.
  public var clientAttempts: Int? {
    get { shortClientAttempts.map { Int($0) } }
    set { shortClientAttempts = newValue.map { Int32(clamping: $0) } }
  }

  @Microseconds private var knownLatency: Duration?
  var shortAttemptCount: Int32?
  var shortClientAttempts: Int32?
  /// The facts that few calls have, in the order of their keys.
  var facts: [Fact] = []
  /// The attempts that belong to the start of an app, in order. They are probes, requests for the
  /// configuration, redirects of these, and connections that failed before the call's own first
  /// request. Rules and figures about retries do not count them.
  public internal(set) var startAttempts: [Attempt] = []

  /// Creates an observation. Omitted values were not observed.
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

  /// The memory of a program: the resident pages of its largest process.
  public struct Memory: Sendable, Hashable {
    /// The bytes before the call. For a program that is started for the call, this is measured at
    /// its first sign at the server.
    public var beforeBytes: Int?
    /// The maximum number of bytes during the call.
    public var peakBytes: Int
    /// Whether the drill ended the program because of its memory.
    public var wasEnded: Bool

    /// Creates a value from its measurements.
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
    /// The number of attempts that began more than 250 ms after the cancellation; `nil` if attempts
    /// cannot be observed.
    public var attemptsAfter: Int?

    /// Creates a cancellation of a call.
    public init(after: Duration, toReturn: Duration, attemptsAfter: Int?) {
      (self.after, self.toReturn, self.attemptsAfter) = (after, toReturn, attemptsAfter)
    }
  }

  /// The time at which the call ended, or `nil` if its beginning is unknown.
  public var end: Duration? {
    (intendedStart ?? start).map { $0 + (self.startUp ?? .zero) + latency }
  }

  /// Whether the caller cancelled the call before it ended by itself. It then counts as cancelled,
  /// and neither as a success nor as a failure, even if its client continued and succeeded.
  public var wasGivenUp: Bool {
    // A direct check of the key, because this runs for each call and a row of evidence would take
    // longer.
    guard facts.contains(where: { $0.key == "cancelled" }) else { return false }
    return ending != .crashed && ending != .hung
  }

  /// Returns the last part of an endpoint's path, such as `payments`, which identifies a call for
  /// readers.
  package static func word(of endpoint: String) -> String {
    let path = endpoint.split(separator: " ", maxSplits: 1).last ?? ""
    return path.split(separator: "/").last.map(String.init) ?? "call"
  }

  /// Whether the call reads: its method is GET or HEAD.
  package var isRead: Bool { endpoint.hasPrefix("GET ") || endpoint.hasPrefix("HEAD ") }

  /// Whether the call counts as a success or a failure of the client.
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
    let problem = "expected succeeded, failed, crashed or hung"
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
    if fields.isReading || !unappliedFaults.isEmpty { try fields.list("notDone", &unappliedFaults) }
  }

  /// Creates a value from JSON as a part of an observation.
  init(_ json: JSON, in parent: ObjectReader) throws(FormatError) {
    guard json["decision"]?.stringValue != nil, json["source"]?.stringValue != nil else {
      throw parent.error("met", "\(json) is not a valid decision")
    }
    try self.init(reading: ObjectReader(json, source: parent.source, path: parent.place("met")))
  }

  /// Creates a value from JSON by itself.
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
  /// Creates a value from the JSON of a client process.
  package init(_ json: JSON) throws(FormatError) {
    try self.init(reading: ObjectReader(json, source: "a subject's process", path: ""))
  }
}

extension Observation.Attempt.UnappliedFault: JSONObject {
  package static let blank = Self(fault: "", reason: "")

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let missing: JSONFields.Missing = (
      "fault", "a skipped fault requires its name and the reason"
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
    try fields.int("peakBytes", &peakBytes, in: range, (nil, "peakBytes is required"))
    try fields.flag("ended", &wasEnded)
  }
}

extension Observation.Cancellation: JSONObject {
  package static let blank = Self(after: .zero, toReturn: .zero, attemptsAfter: nil)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let missing: JSONFields.Missing = (nil, "afterMilliseconds or toReturnMilliseconds is missing")
    try fields.time("afterMilliseconds", &after, missing)
    try fields.time("toReturnMilliseconds", &toReturn, missing)
    try fields.int("attemptsAfter", &attemptsAfter, in: 0...(1 << 40))
  }
}

extension Duration {
  /// The duration in whole microseconds.
  package var wholeMicroseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}
