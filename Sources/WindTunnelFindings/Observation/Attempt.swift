@_spi(WindTunnel) internal import WindTunnelCore

extension Observation {
  /// An attempt of a call that the harness observed.
  public struct Attempt: Sendable, Hashable {
    /// The decision about the attempt, as a line of the story.
    public var decision: String {
      get { line.text }
      set { line = DecisionLine(newValue) }
    }
    /// The same, without the line being written.
    package var line: DecisionLine
    /// The answer that was played, such as `recording 3`, `withheld 3` or `unmatched`.
    public var take: String
    /// The time at which the attempt reached the deck.
    @Microseconds public var start: Duration?
    /// The time at which the attempt ended for the deck: answered, cut, or abandoned by the client.
    @Microseconds public var end: Duration?
    /// The status of the answer; `nil` where none was sent.
    public var status: Int? {
      get { shortStatus.map { Int($0) } }
      set { shortStatus = newValue.map { Int32(clamping: $0) } }
    }
    /// The length of the answer's content, in bytes.
    public var bytes: Int?
    /// The symptom of the failure that ended the attempt.
    public var error: String? {
      @inline(__always) get { seldom?.value.error }
      set { if newValue != nil || seldom != nil { change { $0.error = newValue } } }
    }
    /// The wait that the answer's `Retry-After` asked for.
    public var retryAfter: Duration? {
      @inline(__always) get { seldom?.value.retryAfter }
      set { if newValue != nil || seldom != nil { change { $0.retryAfter = newValue } } }
    }
    /// The time before which the answer asked not to be retried, where its `Retry-After` is a date:
    /// a date has whole seconds, so that it is up to a second earlier than the wait that it was
    /// made of.
    public var retryNotBefore: Duration? {
      @inline(__always) get { seldom?.value.retryNotBefore }
      set { if newValue != nil || seldom != nil { change { $0.retryNotBefore = newValue } } }
    }
    /// The conversation by WebSocket that the attempt began, whose times count from ``end``; `nil`
    /// where none was played.
    public var conversation: ConversationLog? {
      @inline(__always) get { seldom?.value.conversation }
      set { if newValue != nil || seldom != nil { change { $0.conversation = newValue } } }
    }
    /// The faults of the decision that were not done, since the answer gave no room for them.
    public var undone: [Undone] {
      @inline(__always) get { seldom?.value.undone ?? [] }
      set { if !newValue.isEmpty || seldom != nil { change { $0.undone = newValue } } }
    }
    /// Tells whether a server may get the request twice without harm: by its method, or because it
    /// has an `Idempotency-Key`.
    public var isRepeatable: Bool?
    /// Tells whether the request came under an invalid certificate, which the client has accepted
    /// all the same.
    public var isUnderBadCertificate = false
    /// Tells whether its answer was older than it may be when it came, so that whoever shows it
    /// again has to ask first, or to say that it is a copy.
    public var isStaleOnArrival = false
    /// The terms on which its answer may be shown again; `nil` where its server says nothing, or a
    /// fault changed it.
    public var cacheTerms: CacheTerms? {
      get { boxedCacheTerms?.value }
      set { boxedCacheTerms = newValue.map { Boxed($0) } }
    }
    /// The durations of the attempt's stages, as far as they were observed.
    public var stages: ExchangeStages {
      get { seenStages?.value ?? ExchangeStages() }
      set { seenStages = newValue == ExchangeStages() ? nil : Boxed(newValue) }
    }
    /// Tells whether it belongs to the start of an app and not to what its call asks for: a probe,
    /// the configuration, where those redirect to, or a connection that failed before the call's
    /// own first request.
    public var isOfStart: Bool {
      @inline(__always) get { seldom?.value.isOfStart ?? false }
      set { if newValue || seldom != nil { change { $0.isOfStart = newValue } } }
    }
    /// Whether the attempt was open when its call ended without a success, which is its ``end``.
    public var isOpenAtEnd: Bool {
      get { seldom?.value.isOpenAtEnd ?? false }
      set { if newValue || seldom != nil { change { $0.isOpenAtEnd = newValue } } }
    }
    /// The bytes of the content that were sent before the client left; `nil` if it stayed, or if
    /// they were not counted.
    public var bytesSent: Int? {
      get { seldom?.value.bytesSent }
      set { if newValue != nil || seldom != nil { change { $0.bytesSent = newValue } } }
    }
    /// The parts of the request that rules compare; `nil` where there are none.
    public var sent: Sent? {
      @inline(__always) get { boxedSent?.value }
      set { boxedSent = newValue.map { Boxed($0) } }
    }
    /// Tells whether there are parts of the request that rules compare: cheaper than to copy them.
    @inline(__always) var hasSent: Bool { boxedSent != nil }
    /// Tells whether it is a request without TLS: of one that did not come whole nobody knows.
    var isPlain: Bool { isRequest && sent?.isSecure != true && (sent != nil || error == nil) }
    var shortStatus: Int32?
    /// Beside the rest: millions of attempts are copied, and few bear all of them.
    package private(set) var seenStages: Boxed<ExchangeStages>?
    private var seldom: Boxed<Seldom>?
    fileprivate var boxedSent: Boxed<Sent>?
    fileprivate var boxedCacheTerms: Boxed<CacheTerms>?

    /// The parts that few attempts have.
    private struct Seldom: Sendable, Hashable {
      var error: String?
      @Microseconds var retryAfter: Duration?
      var retryNotBefore: Duration?
      var conversation: ConversationLog?
      var undone: [Undone] = []
      var isOfStart = false
      var isOpenAtEnd = false
      var bytesSent: Int?
    }

    /// A fault that was decided and not done.
    public struct Undone: Sendable, Hashable {
      /// The name of the fault, as ``faults`` has those that were done.
      public var fault: String
      /// The reason, half a sentence: `the answer has 4 events`.
      public var reason: String

      /// Makes one of a fault's name and the reason.
      public init(fault: String, reason: String) { (self.fault, self.reason) = (fault, reason) }

      /// Makes one of what a deck tells.
      package init(_ undone: UndoneFault) {
        self.init(fault: Attempt.name(of: undone.fault.json) ?? "", reason: undone.reason)
      }
    }

    private mutating func change(_ change: (inout Seldom) -> Void) {
      var parts = seldom?.value ?? Seldom()
      change(&parts)
      seldom = parts == Seldom() ? nil : Boxed(parts)
    }

    /// Makes an attempt; parts that are not given were not observed.
    public init(decision: String, take: String) {
      self.init(DecisionLine(decision), take: take)
    }

    /// Makes an attempt of a line that need not have been written.
    package init(_ line: DecisionLine, take: String) { (self.line, self.take) = (line, take) }

    /// The names of the faults that the attempt met, in order; a status has its number with it.
    /// What was decided and not done is not among them.
    public var faults: [String] {
      line.metNothing ? [] : done(of: Self.faults(of: decision))
    }

    /// Returns the names of the decided faults that were done.
    package func done(of decided: [String]) -> [String] {
      guard seldom != nil, !undone.isEmpty else { return decided }
      var left = undone.map(\.fault)
      return decided.filter { name in
        guard let place = left.firstIndex(of: name) else { return true }
        left.remove(at: place)
        return false
      }
    }

    /// Tells whether a request arrived, and not only a connection.
    @inline(__always) public var isRequest: Bool { take != Self.connection }
    private static let connection = Journal.Take.connection.words

    /// Tells whether a line of the story has no faults behind its last tab: most have none.
    ///
    /// Of the line and not of the attempt, which another module would copy to ask it.
    package static func metNothing(in decision: String) -> Bool {
      let end = decision.utf8.withContiguousStorageIfAvailable { bytes in
        bytes.count >= 3 && bytes[bytes.count - 1] == UInt8(ascii: "]")
          && bytes[bytes.count - 2] == UInt8(ascii: "[")
          && bytes[bytes.count - 3] == UInt8(ascii: "\t")
      }
      // What comes from elsewhere may be kept otherwise.
      return end ?? decision.utf8.suffix(3).elementsEqual("\t[]".utf8)
    }

    package static func faults(of decision: String) -> [String] {
      guard !metNothing(in: decision),
        let tab = decision.utf8.lastIndex(of: UInt8(ascii: "\t")),
        // A line that is not ours names no faults; that it is in the story is checked elsewhere.
        let json = try? JSON(
          parsing: decision.utf8[decision.utf8.index(after: tab)...],
          source: ""
        ),
        case .array(let faults) = json
      else { return [] }
      return faults.compactMap(Self.name)
    }

    /// Returns a fault's name, from its object: `reset`, `status 503`, `hostNotFound`.
    static func name(of fault: JSON) -> String? {
      guard case .object(let members) = fault, let first = members.first else { return nil }
      let key = first.name.value
      switch (key, first.value) {
      case ("status", .number(let status)): return "status \(status)"
      case ("mutate", .string(let kind)): return "mutate \(kind.value)"
      // What fails is named by its kind.
      case ("connect", .string(let kind)), ("dns", .string(let kind)), ("tls", .string(let kind)):
        return kind.value
      default:
        for suffix in ["Milliseconds", "AfterBodyBytes"] where key.hasSuffix(suffix) {
          return String(key.dropLast(suffix.count))
        }
        return key
      }
    }
  }
}

extension [Observation] {
  /// Stores calls that are kept anew and close together, on the thread that keeps them, with what
  /// many have alike once: what a flight left where it was made lies between all that it has given
  /// back, and a report holds millions.
  package mutating func storeAnew() {
    var sent: [Observation.Sent: Boxed<Observation.Sent>] = [:]
    var terms: [Observation.CacheTerms: Boxed<Observation.CacheTerms>] = [:]
    for place in indices {
      self[place].changeAllAttempts { attempt in
        attempt.line = attempt.line.storedAnew()
        attempt.stages = attempt.stages
        attempt.boxedSent = attempt.boxedSent.map { Self.once($0, &sent) }
        attempt.boxedCacheTerms = attempt.boxedCacheTerms.map { Self.once($0, &terms) }
      }
    }
  }

  private static func once<Part: Hashable>(
    _ part: Boxed<Part>,
    _ all: inout [Part: Boxed<Part>]
  ) -> Boxed<Part> {
    if let known = all[part.value] { return known }
    let anew = Boxed(part.value)
    all[part.value] = anew
    return anew
  }
}

extension Scenario {
  /// The faults that it has, each once and by name, as a report counts them.
  package var faultNames: [String] {
    var names: [String] = []
    for fault in rules.flatMap(\.faults) {
      guard let name = Observation.Attempt.name(of: fault.json), !names.contains(name) else {
        continue
      }
      names.append(name)
    }
    return names
  }
}
