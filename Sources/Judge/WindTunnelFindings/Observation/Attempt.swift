public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

extension Observation {
  /// An attempt of a call that the harness observed.
  public struct Attempt: Sendable, Hashable {
    /// The decision about the attempt.
    public var decision: AttemptDecision
    /// The source of the response.
    public var source: ResponseSource
    /// The time at which the attempt reached the deck.
    @Microseconds public var start: Duration?
    /// The time at which the attempt ended for the deck, by a complete or cut response, or because
    /// the client closed it.
    @Microseconds public var end: Duration?
    /// The status of the response, or `nil` if none was sent.
    public var status: Int? {
      get { shortStatus.map { Int($0) } }
      set { shortStatus = newValue.map { Int32(clamping: $0) } }
    }
    /// The length of the response's content in bytes.
    public var bytes: Int?
    /// The symptom of the failure that ended the attempt.
    public var error: String? {
      @inline(__always) get { seldom?.value.error }
      set { if newValue != nil || seldom != nil { change { $0.error = newValue } } }
    }
    /// The wait that the response's `Retry-After` requests.
    public var retryAfter: Duration? {
      @inline(__always) get { seldom?.value.retryAfter }
      set { if newValue != nil || seldom != nil { change { $0.retryAfter = newValue } } }
    }
    /// The time before which the response asks the client not to retry, if its `Retry-After` is a
    /// date. A date has whole seconds, so this can be up to a second earlier than the intended
    /// wait.
    public var retryNotBefore: Duration? {
      @inline(__always) get { seldom?.value.retryNotBefore }
      set { if newValue != nil || seldom != nil { change { $0.retryNotBefore = newValue } } }
    }
    /// The WebSocket conversation that the attempt began, or `nil` if none was played. Its times
    /// count from ``end``.
    public var conversation: ConversationLog? {
      @inline(__always) get { seldom?.value.conversation }
      set { if newValue != nil || seldom != nil { change { $0.conversation = newValue } } }
    }
    /// The faults of the decision that were not applied, because the response did not allow them.
    public var unappliedFaults: [UnappliedFault] {
      @inline(__always) get { seldom?.value.unappliedFaults ?? [] }
      set { if !newValue.isEmpty || seldom != nil { change { $0.unappliedFaults = newValue } } }
    }
    /// Whether a server can receive the request twice without harm, by its method or because it has
    /// an `Idempotency-Key`.
    public var isRepeatable: Bool?
    /// Whether the request was sent on a connection with an invalid certificate, which the client
    /// has accepted anyway.
    public var isUnderBadCertificate = false
    /// Whether its response was already stale when it arrived. A client must revalidate it before
    /// it shows it again, or mark it as a copy.
    public var isStaleOnArrival = false
    /// The terms on which its response may be reused. `nil` if its server sent none, or if a fault
    /// changed them.
    public var cacheTerms: CacheTerms? {
      get { boxedCacheTerms?.value }
      set { boxedCacheTerms = newValue.map { Self.distinctTerms($0) } }
    }
    /// The durations of the attempt's stages, as far as they were observed.
    public var stages: ExchangeStages {
      get { seenStages?.value ?? ExchangeStages() }
      set { seenStages = newValue == ExchangeStages() ? nil : Boxed(newValue) }
    }
    /// Whether the attempt belongs to the start of an app and not to its call. It is then a probe,
    /// a request for the configuration, a redirect of these, or a connection that failed before the
    /// call's own first request.
    public var isOfStart = false
    /// Whether the attempt was open when its call ended without success. The end of the call is
    /// then its ``end``.
    public var isOpenAtEnd = false
    /// The bytes of the content that were sent before the client closed the connection. `nil` if
    /// the client did not close it, or if they were not counted.
    public var bytesSent: Int? {
      get { seldom?.value.bytesSent }
      set { if newValue != nil || seldom != nil { change { $0.bytesSent = newValue } } }
    }
    /// The parts of the request that rules compare, or `nil` if there are none.
    public var sent: Sent? {
      @inline(__always) get { boxedSent?.value }
      // A value with parts of this request alone is not shared.
      set {
        boxedSent = newValue.map { sent in
          let isShared = sent.key == nil && sent.content == nil && sent.marks.isEmpty
          return isShared ? Self.distinctSent(sent) : Boxed(sent)
        }
      }
    }
    /// Whether rules can compare parts of the request. This is cheaper than copying the parts.
    @inline(__always) var hasSent: Bool { boxedSent != nil }
    /// Whether it is a request without TLS. For an incomplete request this is unknown, so it does
    /// not count.
    var isPlain: Bool { isRequest && sent?.isSecure != true && (sent != nil || error == nil) }
    var shortStatus: Int32?
    /// Stored separately, because millions of attempts are copied and few have all parts.
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
      var unappliedFaults: [UnappliedFault] = []
      var bytesSent: Int?
    }

    /// A fault that was decided but not applied.
    public struct UnappliedFault: Sendable, Hashable {
      /// The name of the fault, in the form of ``faults``.
      public var fault: String
      /// The reason as a clause: `the answer has 4 events`.
      public var reason: String

      /// Creates a fault that was not applied from its name and the reason.
      public init(fault: String, reason: String) { (self.fault, self.reason) = (fault, reason) }

      /// Creates a fault that was not applied from the report of a deck.
      package init(_ undone: UndoneFault) {
        self.init(fault: undone.fault.name ?? "", reason: undone.reason)
      }
    }

    private mutating func change(_ change: (inout Seldom) -> Void) {
      var parts = seldom?.value ?? Seldom()
      change(&parts)
      seldom = parts == Seldom() ? nil : Boxed(parts)
    }

    /// Creates an attempt without any observed parts.
    public init(decision: AttemptDecision, source: ResponseSource) {
      (self.decision, self.source) = (decision, source)
    }

    /// The names of the faults that the attempt met, in order. A status includes its number. Faults
    /// that were not applied are not included.
    public var faults: [String] { decision.metNothing ? [] : done(of: decision.faultNames) { $0 } }

    /// The faults that the attempt met, in order, without faults that were not applied.
    package var metFaults: [Fault] {
      done(of: decision.faults) { $0.name ?? "" }
    }

    /// Returns the decided faults that were applied, by their names.
    private func done<Decided>(of decided: [Decided], _ name: (Decided) -> String) -> [Decided] {
      guard seldom != nil, !unappliedFaults.isEmpty else { return decided }
      var left = unappliedFaults.map(\.fault)
      return decided.filter { fault in
        guard let place = left.firstIndex(of: name(fault)) else { return true }
        left.remove(at: place)
        return false
      }
    }

    /// Whether a request arrived, and not only a connection.
    @inline(__always) public var isRequest: Bool { source != .played(.connection) }

    /// Returns a fault's name from its JSON object: `reset`, `status 503`, `hostNotFound`.
    static func name(of fault: JSON) -> String? {
      guard case .object(let members) = fault, let first = members.first else { return nil }
      let key = first.name.value
      switch (key, first.value) {
      case ("status", .number(let status)): return "status \(status)"
      case ("mutate", .string(let kind)): return "mutate \(kind.value)"
      // A failing connection is named by the kind of its fault.
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
  /// Copies the stages of calls into new, contiguous memory, on the thread that keeps the calls.
  /// The original values are spread across freed memory, and a report holds millions of them.
  package mutating func storeAnew() {
    for place in indices {
      self[place].changeAllAttempts { $0.stages = $0.stages }
      // Nearly all calls have the same few facts.
      if !self[place].facts.isEmpty { self[place].facts = distinctFacts(self[place].facts) }
    }
  }
}

extension Scenario {
  /// The names of the scenario's faults, each once, as a report counts them.
  package var faultNames: [String] {
    rules.flatMap(\.faults).compactMap(\.name).grouped(by: \.self).map(\.key)
  }
}

extension Fault {
  /// The name in reports. A status includes its number.
  fileprivate var name: String? { Observation.Attempt.name(of: json) }
}

extension Observation.Attempt {
  /// The request that it makes, such as `GET /home`; empty if its decision is an unknown line.
  package var key: String { decision.key }
}
