/// A failure of an exchange. Several faults compose in the order in which they stand.
///
/// ```swift
/// let faults: [Fault] = [
///   .delay(.around(.milliseconds(200), jitter: .milliseconds(50))),
///   .truncate(afterBodyBytes: 100),
/// ]
/// ```
///
/// A new fault is a case, here or in the enumeration that it belongs to, with its properties below;
/// its steps in `Delivery`; and its row in the table of the conformance tests.
public enum Fault: Sendable, Hashable {
  /// Nothing is sent for a time before the answer.
  case delay(Spread)
  /// An answer with this status in place of the recorded one, with `Retry-After` where it is given
  /// (RFC 9110 §10.2.3).
  case status(Int, retryAfter: RetryAfter? = nil)
  /// The connection attempt fails.
  case connection(ConnectionFault)
  /// The answer is whole and well-formed, but not the recorded one.
  case mutate(Mutation)
  /// The answer breaks off, or pauses, at a point that need not be in its body: each effect
  /// combines with each point.
  case cut(at: Point, then: Effect)
  /// The body arrives a number of bytes at a time: the first at once, each further one after an
  /// interval.
  case dribble(bytes: Int, every: Duration)
  /// The body arrives at no more than a number of bytes a second.
  case throttle(bytesPerSecond: Int)
  /// The answer is not HTTP, or contradicts itself.
  case malformed(Malformation)
  /// Another answer in place of the recorded one.
  case answer(ReplacementResponse)
  /// The recorded answer with something in it changed.
  case alter(ResponseEdit)
  /// The answer is whole, and the connection that was to be kept alive ends.
  case idle(IdleEnd)
  /// A conversation by WebSocket goes wrong.
  case conversation(ConversationFault)

  /// Creates a delay of a fixed length.
  public static func delay(_ length: Duration) -> Fault { .delay(.exactly(length)) }

  /// A length of time, fixed or drawn evenly from a range.
  public struct Spread: Sendable, Hashable {
    /// The shortest length of the range.
    public var least: Duration
    /// The longest length of the range; the same as ``least`` where nothing is drawn.
    public var most: Duration

    /// Makes a range; `most` is raised to `least` where it is less.
    public init(_ least: Duration, through most: Duration) {
      self.least = least
      self.most = max(least, most)
    }

    /// Makes a fixed length.
    public static func exactly(_ length: Duration) -> Spread { Spread(length, through: length) }

    /// Makes a range around a length, by at most `jitter` to both sides.
    public static func around(_ length: Duration, jitter: Duration) -> Spread {
      Spread(max(.zero, length - jitter), through: length + jitter)
    }

    package func resolved(_ draw: Double) -> Spread {
      let span = Double((most - least).inNanoseconds) / 1000
      return .exactly(least + .microseconds(Int64((span * draw).rounded())))
    }
  }

  // MARK: What it is to an exchange

  /// Whether the recorded answer does not reach the client whole and unchanged, so that it counts
  /// as not played and a retry gets it.
  public var replacesOrCuts: Bool {
    switch self {
    case .delay, .dribble, .throttle, .cut(_, .stall(_?)), .idle: false
    case .connection(let fault): fault.symptom != nil
    case .alter(let edit): !edit.passesAnswer
    case .conversation(let fault): fault.replacesOrCuts
    case .status, .answer, .mutate, .malformed, .cut: true
    }
  }

  /// Whether nothing comes after a point of the answer.
  var endsAnswer: Bool { if case .cut = self { replacesOrCuts } else { false } }

  /// Tells whether nothing comes from where it is on, or a byte now and then: a client waits until
  /// it gives up.
  var standsStill: Bool {
    switch self {
    case .cut(_, .stall(nil)), .connection(.connectTimeout),
      .connection(.tls(.stallAfterClientHello)):
      true
    case .dribble(let bytes, let interval):
      // A hundred bytes would take ten seconds and more.
      interval >= .milliseconds(100) * bytes
    case .throttle(let rate): rate < 10
    case .conversation(.end(.stall, _)): true
    case .delay, .status, .connection, .mutate, .cut, .malformed, .answer, .alter, .idle,
      .conversation:
      false
    }
  }

  /// Tells whether it is made of chunks or of interim responses, which HTTP/1.0 has not.
  var needsHTTP11: Bool {
    switch self {
    case .alter(.interimResponses), .cut(.inChunk, _), .malformed(.interimOnly),
      .malformed(.lengthAndChunked), .malformed(.badChunkSize), .malformed(.missingChunkEnd),
      .malformed(.missingLastChunk), .malformed(.chunkedTrailers):
      true
    default: false
    }
  }

  /// Whether it replaces an answer that was not received yet, so that a live origin need not be
  /// asked. A change wants an answer, and a live one passes before it is known whole.
  var forestallsOrigin: Bool {
    switch self {
    // Where an event ends is known of a recorded answer alone.
    case .cut(.event, _), .mutate, .alter, .conversation: false
    case .delay, .status, .connection, .cut, .dribble, .throttle, .malformed, .answer, .idle:
      replacesOrCuts
    }
  }

  /// Whether the client may take another answer for the recorded one.
  var misleads: Bool {
    switch self {
    case .alter(let edit): edit.misleads
    case .malformed(let malformation): malformation.isSeen
    case .answer, .mutate: true
    case .delay, .status, .connection, .cut, .dribble, .throttle, .idle, .conversation: false
    }
  }

  /// Whether the client receives another answer in place of the recorded one, or a changed one.
  package var changesAnswer: Bool {
    switch self {
    case .answer, .mutate, .alter, .malformed: true
    case .delay, .status, .connection, .cut, .dribble, .throttle, .idle, .conversation: false
    }
  }

  /// With everything random in it drawn.
  func resolved(_ draw: () -> Double) -> Fault {
    switch self {
    case .delay(let spread) where spread.least < spread.most: .delay(spread.resolved(draw()))
    case .mutate(let mutation): .mutate(mutation.resolved(draw))
    default: self
    }
  }

  // MARK: Through a proxy

  /// A fault's effect on a tunnel, whose bytes nobody can read.
  enum TunnelPart: Sendable, Hashable {
    /// The tunnel opens so much later.
    case wait(Duration)
    /// The `CONNECT` is answered by this status.
    case refusal(Int, RetryAfter?)
    /// The tunnel ends so, after so many bytes to the client; `nil`: before it opens.
    case end(after: Int?, Effect)
    /// The handshake within fails.
    case handshake(TLSFault)
  }

  /// The effect that it has on a tunnel; `nil`: none, since nobody can read what it would change,
  /// or hold back what passes and let it go again.
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
    // A proxy sees these as its own (``behindProxy``).
    case .connection: .end(after: nil, .reset)
    case .mutate, .alter, .answer, .malformed, .dribble, .throttle, .idle, .conversation: nil
    }
  }

  /// The fault as a client behind a proxy sees it: the proxy has the connection that fails, and
  /// says so by 502 (RFC 9110 §15.6.3). A handshake is the client's own.
  var behindProxy: Fault {
    switch self {
    case .connection(.tls): self
    // A proxy waits for the connection, and its client for the proxy.
    case .connection(.connectTimeout): .stall(.afterRequest)
    case .connection(let fault) where fault.symptom == nil: .delay(fault.delay)
    case .connection: .status(502)
    default: self
    }
  }

  // MARK: In the catalogue

  /// The clients' views of it.
  var expected: FaultExpectation {
    switch self {
    case .connection(let fault): fault.expected
    case .status(let status, _): FaultExpectation(status)
    case .delay, .dribble, .throttle, .idle: FaultExpectation(200)
    // A client that asks for no WebSocket is told so.
    case .conversation: FaultExpectation(426)
    case .mutate: FaultExpectation(apple: .someAnswer, linux: .someAnswer, curl: [0])
    case .cut(let point, let effect): effect.expected(at: point)
    case .answer(let replacement): replacement.expected
    case .alter(let edit): edit.expected
    case .malformed(let malformation): malformation.expected
    }
  }

  /// The kinds that take their time and come whole.
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
  // and those at the format of ``Fault/Effect``, ``ResponseEdit``, ``IdleEnd``,
  // ``ConversationFault``, ``ConnectionFault`` and ``Mutation``.
  static let bytes = 0...(1 << 50)
  static let statusRange = 200...599
  static let milliseconds = 0.0...86_400_000
  static let rates = 1...(1 << 30)
  /// The numbers that a recording of a cassette may have.
  static let recordingNumbers = 1...1_000_000_000

  package init(reading object: consuming ObjectReader) throws(FormatError) {
    // What an error says of known keys has them in this order.
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
        ofAll: "\(found.count) faults stand in one object",
        fix: "Give each an object of its own; they are composed in order."
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
      throw object.error("delayMilliseconds", "jitter and range need a delay")
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
      throw object.error("everyMilliseconds", "a dribble needs this time, 0 to 86400000")
    case (nil, _?): throw object.error("everyMilliseconds", "this belongs to \"dribbleBytes\"")
    }
  }

  /// The object in a scenario's file, which is also what the story's hash is made of.
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
