/// A failure of an exchange. Several faults compose in their order in the list.
///
/// ```swift
/// let faults: [Fault] = [
///   .delay(.around(.milliseconds(200), jitter: .milliseconds(50))),
///   .truncate(afterBodyBytes: 100),
/// ]
/// ```
///
/// A new fault is a case, here or in the enumeration that it belongs to, with its properties below.
/// Its steps are in `Delivery`, and its row is in the table of the conformance tests.
public enum Fault: Sendable, Hashable {
  /// Nothing is sent for a time before the response.
  case delay(Spread)
  /// A response with this status instead of the recorded one, and with `Retry-After` if one is
  /// given (RFC 9110 §10.2.3).
  case status(Int, retryAfter: RetryAfter? = nil)
  /// The connection attempt fails.
  case connection(ConnectionFault)
  /// The response is complete and well-formed, but not the recorded one.
  case mutate(Mutation)
  /// The response ends or pauses at a point, which need not be in its body.
  ///
  /// Each effect can be combined with each point.
  case cut(at: Point, then: Effect)
  /// The body arrives a number of bytes at a time: the first bytes at once, and the others at
  /// intervals.
  case dribble(bytes: Int, every: Duration)
  /// The body arrives at a maximum rate in bytes per second.
  case throttle(bytesPerSecond: Int)
  /// The response is not valid HTTP, or contradicts itself.
  case malformed(Malformation)
  /// Another response instead of the recorded one.
  case answer(ReplacementResponse)
  /// The recorded response with a change.
  case alter(ResponseEdit)
  /// The response is complete, and the connection ends although it should be kept alive.
  case idle(IdleEnd)
  /// A WebSocket conversation fails.
  case conversation(ConversationFault)

  /// Creates a delay of a fixed length.
  public static func delay(_ length: Duration) -> Fault { .delay(.exactly(length)) }

  /// A duration, fixed or drawn uniformly from a range.
  public struct Spread: Sendable, Hashable {
    /// The minimum of the range.
    public var least: Duration
    /// The maximum of the range; equal to ``least`` if the duration is fixed.
    public var most: Duration

    /// Creates a range; a `most` below `least` is raised to `least`.
    public init(_ least: Duration, through most: Duration) {
      self.least = least
      self.most = max(least, most)
    }

    /// Creates a fixed duration.
    public static func exactly(_ length: Duration) -> Spread { Spread(length, through: length) }

    /// Creates a range around a duration, by a maximum of `jitter` in both directions.
    public static func around(_ length: Duration, jitter: Duration) -> Spread {
      Spread(max(.zero, length - jitter), through: length + jitter)
    }

    package func resolved(_ draw: Double) -> Spread {
      let span = Double((most - least).inNanoseconds) / 1000
      return .exactly(least + .microseconds(Int64((span * draw).rounded())))
    }
  }

  // MARK: The effect on an exchange

  /// Whether the client does not receive the recorded response complete and unchanged.
  ///
  /// The recording then counts as not played, and a retry receives it.
  public var replacesOrCuts: Bool {
    switch self {
    case .delay, .dribble, .throttle, .cut(_, .stall(_?)), .idle: false
    case .connection(let fault): fault.symptom != nil
    case .alter(let edit): !edit.passesAnswer
    case .conversation(let fault): fault.replacesOrCuts
    case .status, .answer, .mutate, .malformed, .cut: true
    }
  }

  /// Whether nothing is sent after a point of the response.
  var endsAnswer: Bool { if case .cut = self { replacesOrCuts } else { false } }

  /// Whether a client can only wait until it gives up: nothing is sent, or hardly any byte.
  var standsStill: Bool {
    switch self {
    case .cut(_, .stall(nil)), .connection(.connectTimeout),
      .connection(.tls(.stallAfterClientHello)):
      true
    case .dribble(let bytes, let interval):
      // A hundred bytes would take at least ten seconds.
      interval >= .milliseconds(100) * bytes
    case .throttle(let rate): rate < 10
    case .conversation(.end(.stall, _)): true
    case .delay, .status, .connection, .mutate, .cut, .malformed, .answer, .alter, .idle,
      .conversation:
      false
    }
  }

  /// Whether the fault needs chunks or interim responses, which HTTP/1.0 does not have.
  var needsHTTP11: Bool {
    switch self {
    case .alter(.interimResponses), .cut(.inChunk, _), .malformed(.interimOnly),
      .malformed(.lengthAndChunked), .malformed(.badChunkSize), .malformed(.missingChunkEnd),
      .malformed(.missingLastChunk), .malformed(.chunkedTrailers):
      true
    default: false
    }
  }

  /// Whether the fault replaces a response before it is received, so that a live origin need not be
  /// contacted.
  ///
  /// A change needs a response, and a live response is forwarded before it is complete.
  var forestallsOrigin: Bool {
    switch self {
    // The end of an event is only known in a recorded response.
    case .cut(.event, _), .mutate, .alter, .conversation: false
    case .delay, .status, .connection, .cut, .dribble, .throttle, .malformed, .answer, .idle:
      replacesOrCuts
    }
  }

  /// Whether the client may mistake a detectably different response for the recorded one.
  var misleads: Bool {
    switch self {
    case .alter(let edit): edit.misleads
    case .malformed(let malformation): malformation.isSeen
    case .answer, .mutate: true
    case .delay, .status, .connection, .cut, .dribble, .throttle, .idle, .conversation: false
    }
  }

  /// Whether the client receives another response instead of the recorded one, or a changed one.
  package var changesAnswer: Bool {
    switch self {
    case .answer, .mutate, .alter, .malformed: true
    case .delay, .status, .connection, .cut, .dribble, .throttle, .idle, .conversation: false
    }
  }

  /// Returns the fault with all random values drawn.
  func resolved(_ draw: () -> Double) -> Fault {
    switch self {
    case .delay(let spread) where spread.least < spread.most: .delay(spread.resolved(draw()))
    case .mutate(let mutation): .mutate(mutation.resolved(draw))
    default: self
    }
  }

  // MARK: Through a proxy

  /// A fault's effect on a tunnel, whose bytes cannot be read.
  enum TunnelPart: Sendable, Hashable {
    /// The tunnel opens after a delay.
    case wait(Duration)
    /// The response to the `CONNECT` has this status.
    case refusal(Int, RetryAfter?)
    /// The tunnel ends with this effect, after a number of bytes to the client; `nil` for before it
    /// opens.
    case end(after: Int?, Effect)
    /// The handshake in the tunnel fails.
    case handshake(TLSFault)
  }

  /// The fault's effect on a tunnel; `nil` if it has none.
  ///
  /// A proxy cannot read the bytes that such a fault changes, and cannot pause a tunnel.
  var tunnelPart: TunnelPart? {
    switch self {
    case .delay(let spread): .wait(spread.least)
    case .status(let status, let retryAfter): .refusal(status, retryAfter)
    case .cut(_, .stall(_?)), .cut(.afterRequest, .halfClose): nil
    case .cut(.afterRequest, let effect): .end(after: nil, effect)
    case .cut(.body(let count), let effect), .cut(.byte(let count), let effect):
      .end(after: count, effect)
    case .cut(.inStatusLine, _), .cut(.inHeaders, _), .cut(.inChunk, _), .cut(.event, _): nil
    case .connection(.tls(let fault)): .handshake(fault)
    // A proxy has these failures itself (``behindProxy``).
    case .connection: .end(after: nil, .reset)
    case .mutate, .alter, .answer, .malformed, .dribble, .throttle, .idle, .conversation: nil
    }
  }

  /// The fault as a client behind a proxy receives it.
  ///
  /// The proxy has the failing connection and reports it by a 502 (RFC 9110 §15.6.3). The handshake
  /// is the client's own.
  var behindProxy: Fault {
    switch self {
    case .connection(.tls): self
    // The proxy waits for the connection, and its client for the proxy.
    case .connection(.connectTimeout): .stall(.afterRequest)
    case .connection(let fault) where fault.symptom == nil: .delay(fault.delay)
    case .connection: .status(502)
    default: self
    }
  }

  // MARK: In the catalogue

  /// The results of the fault in clients.
  var expected: FaultExpectation {
    switch self {
    case .connection(let fault): fault.expected
    case .status(let status, _): FaultExpectation(status)
    case .delay, .dribble, .throttle, .idle: FaultExpectation(200)
    // Without a WebSocket handshake, the response to the client is a 426.
    case .conversation: FaultExpectation(426)
    case .mutate: FaultExpectation(apple: .someAnswer, linux: .someAnswer, curl: [0])
    case .cut(let point, let effect): effect.expected(at: point)
    case .answer(let replacement): replacement.expected
    case .alter(let edit): edit.expected
    case .malformed(let malformation): malformation.expected
    }
  }

  /// The kinds that delay a response, which stays complete.
  static let paceKinds =
    [FaultKind("delay", .http, .delay(.milliseconds(50)))] + pauseKinds + [
      FaultKind("dribble", .http, .dribble(bytes: 1, every: .milliseconds(5))),
      FaultKind("throttle", .http, .throttle(bytesPerSecond: 100)),
    ]

  // MARK: In a scenario's file

  // { "delayMilliseconds": 300 }                                  fixed
  // { "delayMilliseconds": 300, "jitterMilliseconds": 50 }        even between 250 and 350
  // { "delayMilliseconds": 100, "throughMilliseconds": 900 }      even between 100 and 900
  // { "status": 429, "retryAfterSeconds": 1 } or "retryAfter": "garbage" and so on
  // { "dribbleBytes": 1, "everyMilliseconds": 600 }
  // { "throttleBytesPerSecond": 20000 }
  // { "malformed": NAME }   { "answer": NAME }
  // and the formats of ``Fault/Effect``, ``ResponseEdit``, ``IdleEnd``, ``ConversationFault``,
  // ``ConnectionFault`` and ``Mutation``.
  static let bytes = 0...(1 << 50)
  static let statusRange = 200...599
  static let milliseconds = 0.0...86_400_000
  static let rates = 1...(1 << 30)
  /// The numbers that a recording on a cassette may have.
  static let recordingNumbers = 1...1_000_000_000

  package init(reading object: consuming ObjectReader) throws(FormatError) {
    // Errors list the known keys in this order.
    var found = try Self.delays(&object)
    found += try Self.statuses(&object)
    found += try Self.cuts(&object)
    found += try Self.dribbles(&object)
    if let rate = try object.int("throttleBytesPerSecond", in: Self.rates) {
      found.append(.throttle(bytesPerSecond: rate))
    }
    if let form = try object.choice("malformed", Malformation.self) {
      found.append(.malformed(form))
    }
    if let other = try object.choice("answer", ReplacementResponse.self) {
      found.append(.answer(other))
    }
    found += try Self.edits(&object)
    if let end = try IdleEnd(reading: &object) { found.append(.idle(end)) }
    if let fault = try ConversationFault(reading: &object) { found.append(.conversation(fault)) }
    found += try Self.connections(&object)
    if let mutation = try Mutation(reading: &object) { found.append(.mutate(mutation)) }
    try object.refuseUnknownKeys()
    guard let fault = found.first else {
      throw object.error(
        ofAll: "no fault is named here",
        fix: "Write for example { \"status\": 503 } or { \"delayMilliseconds\": 300 }."
      )
    }
    guard found.count == 1 else {
      throw object.error(
        ofAll: "one object has \(found.count) faults",
        fix: "Write one object for each; they are combined in order."
      )
    }
    self = fault
  }

  private static func delays(_ object: inout ObjectReader) throws(FormatError) -> [Fault] {
    let delay = try object.double("delayMilliseconds", in: milliseconds)
    let jitter = try object.double("jitterMilliseconds", in: milliseconds)
    let through = try object.double("throughMilliseconds", in: milliseconds)
    guard let delay else {
      if jitter == nil, through == nil { return [] }
      throw object.error("delayMilliseconds", "jitter and range require a delay")
    }
    let length = Duration(milliseconds: delay)
    switch (jitter, through) {
    case (nil, nil): return [.delay(length)]
    case (let jitter?, nil):
      return [.delay(.around(length, jitter: Duration(milliseconds: jitter)))]
    case (nil, let through?):
      guard through >= delay else {
        throw object.error("throughMilliseconds", "\(through) is less than the delay of \(delay)")
      }
      return [.delay(Spread(length, through: Duration(milliseconds: through)))]
    case (_?, _?):
      throw object.error("jitterMilliseconds", "a delay has a jitter or a range, not both")
    }
  }

  private static func dribbles(_ object: inout ObjectReader) throws(FormatError) -> [Fault] {
    let count = try object.int("dribbleBytes", in: 1...(1 << 30))
    let interval = try object.double("everyMilliseconds", in: milliseconds)
    switch (count, interval) {
    case (nil, nil): return []
    case (let count?, let interval?):
      return [.dribble(bytes: count, every: Duration(milliseconds: interval))]
    case (_?, nil):
      throw object.error("everyMilliseconds", "a dribble requires this time, 0 to 86400000")
    case (nil, _?): throw object.error("everyMilliseconds", "this requires \"dribbleBytes\"")
    }
  }

  /// The object in a scenario's file, which is also an input of the fault plan's hash.
  package var json: JSON {
    switch self {
    case .delay(let spread):
      var members = [JSON.Member("delayMilliseconds", .milliseconds(spread.least))]
      if spread.least != spread.most { members.add("throughMilliseconds", spread.most) }
      return .object(members)
    case .status(let status, let retryAfter):
      return .object([JSON.Member("status", .number(status))] + (retryAfter?.members ?? []))
    case .cut(let point, let effect): return effect.json(at: point)
    case .connection(let fault): return fault.json
    case .mutate(let mutation): return mutation.json
    case .dribble(let count, let interval):
      return ["dribbleBytes": .number(count), "everyMilliseconds": .milliseconds(interval)]
    case .throttle(let rate): return ["throttleBytesPerSecond": .number(rate)]
    case .malformed(let malformation): return ["malformed": .text(malformation.rawValue)]
    case .answer(let replacement): return ["answer": .text(replacement.rawValue)]
    case .alter(let edit): return edit.json
    case .idle(let end): return end.json
    case .conversation(let fault): return fault.json
    }
  }
}
