public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelHTTP

extension Observation {
  /// An attempt of a call that the harness observed.
  public struct Attempt: Sendable, Hashable {
    /// The decision about the attempt.
    public var decision: AttemptDecision
    /// The source of the response.
    public var source: ResponseSource
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
      set { boxedCacheTerms = newValue.map { Self.distinctTerms($0) } }
    }
    /// The durations of the attempt's stages, as far as they were observed.
    public var stages: ExchangeStages {
      get { seenStages?.value ?? ExchangeStages() }
      set { seenStages = newValue == ExchangeStages() ? nil : Boxed(newValue) }
    }
    /// Tells whether it belongs to the start of an app and not to what its call asks for: a probe,
    /// the configuration, where those redirect to, or a connection that failed before the call's
    /// own first request.
    public var isOfStart = false
    /// Whether the attempt was open when its call ended without a success, which is its ``end``.
    public var isOpenAtEnd = false
    /// The bytes of the content that were sent before the client left; `nil` if it stayed, or if
    /// they were not counted.
    public var bytesSent: Int? {
      get { seldom?.value.bytesSent }
      set { if newValue != nil || seldom != nil { change { $0.bytesSent = newValue } } }
    }
    /// The parts of the request that rules compare; `nil` where there are none.
    public var sent: Sent? {
      @inline(__always) get { boxedSent?.value }
      // A value of the request's own is no other's.
      set {
        boxedSent = newValue.map { sent in
          let isShared = sent.key == nil && sent.content == nil && sent.marks.isEmpty
          return isShared ? Self.distinctSent(sent) : Boxed(sent)
        }
      }
    }
    /// Tells whether there are parts of the request that rules compare: cheaper than to copy them.
    @inline(__always) var hasSent: Bool { boxedSent != nil }
    /// Tells whether it is a request without TLS: of one that did not come whole nobody knows.
    var isPlain: Bool { isRequest && sent?.isSecure != true && (sent != nil || error == nil) }
    var shortStatus: Int32?
    /// Beside the rest: millions of attempts are copied, and few bear all of them.
    package private(set) var seenStages: Boxed<ExchangeStages>?
    private var seldom: Boxed<Seldom>?
    private var boxedSent: Boxed<Sent>?
    private var boxedCacheTerms: Boxed<CacheTerms>?
    private static let distinctSent = Distinct<Sent, Boxed<Sent>> { Boxed($0) }
    private static let distinctTerms = Distinct<CacheTerms, Boxed<CacheTerms>> { Boxed($0) }

    /// The parts that few attempts have.
    private struct Seldom: Sendable, Hashable {
      var error: String?
      @Microseconds var retryAfter: Duration?
      var retryNotBefore: Duration?
      var conversation: ConversationLog?
      var undone: [Undone] = []
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
        self.init(fault: undone.fault.name ?? "", reason: undone.reason)
      }
    }

    private mutating func change(_ change: (inout Seldom) -> Void) {
      var parts = seldom?.value ?? Seldom()
      change(&parts)
      seldom = parts == Seldom() ? nil : Boxed(parts)
    }

    /// Makes an attempt; parts that are not given were not observed.
    public init(decision: AttemptDecision, source: ResponseSource) {
      (self.decision, self.source) = (decision, source)
    }

    /// The names of the faults that the attempt met, in order; a status has its number with it.
    /// What was decided and not done is not among them.
    public var faults: [String] { decision.metNothing ? [] : done(of: decision.faultNames) { $0 } }

    /// The faults that the attempt met, in order, without those that were not done.
    package var metFaults: [Fault] {
      done(of: decision.faults) { $0.name ?? "" }
    }

    /// Returns the decided faults that were done, by their names.
    private func done<Decided>(of decided: [Decided], _ name: (Decided) -> String) -> [Decided] {
      guard seldom != nil, !undone.isEmpty else { return decided }
      var left = undone.map(\.fault)
      return decided.filter { fault in
        guard let place = left.firstIndex(of: name(fault)) else { return true }
        left.remove(at: place)
        return false
      }
    }

    /// Tells whether a request arrived, and not only a connection.
    @inline(__always) public var isRequest: Bool { source != .played(.connection) }

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

private let distinctFacts = Distinct<[Observation.Fact], [Observation.Fact]> { $0 }

extension [Observation] {
  /// Stores the stages of calls that are kept anew and close together, on the thread that keeps
  /// them: a flight's own lie between all that it has given back, and a report holds millions.
  package mutating func storeAnew() {
    for place in indices {
      self[place].changeAllAttempts { $0.stages = $0.stages }
      // Nearly all calls have the same few facts.
      if !self[place].facts.isEmpty { self[place].facts = distinctFacts(self[place].facts) }
    }
  }
}

extension Scenario {
  /// The faults that it has, each once and by name, as a report counts them.
  package var faultNames: [String] {
    rules.flatMap(\.faults).compactMap(\.name).grouped(by: \.self).map(\.key)
  }
}

extension Fault {
  /// The name, as reports have it; a status has its number with it.
  fileprivate var name: String? { Observation.Attempt.name(of: json) }
}

extension Observation.Attempt {
  /// The request that it makes, such as `GET /home`; empty if its decision is an unknown line.
  package var key: String { decision.key }
}
