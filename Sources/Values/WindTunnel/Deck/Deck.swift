public import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// A cassette, a matcher, a scenario and a mode behind one lock, for any number of clients in
/// process or on the wire.
///
/// ```swift
/// let deck = Deck([.get("/users/{id}", json: ["id": 7, "name": "Ada"])])
/// let session = URLSession(configuration: .windTunnel(deck))
/// let user = try await UserAPI(session: session).profile(7)
/// ```
///
/// A deck is a class with a lock. The order of arrival decides which recording each request
/// receives, and calls to an actor would not keep that order. A request takes the lock once when it
/// arrives, and once when its exchange has ended.
public final class Deck: Sendable {
  let state: Locked<State>
  let observer: Observer?
  /// The minimum time between the last bytes from a client and the first bytes to it.
  package let exchangeTime: Duration
  /// The clock to which the dates of recordings are moved; `nil` to keep the recorded dates.
  private let today: (@Sendable () -> Date)?
  package let recordingJournal: RecordingJournal?
  /// The rules by which ``recorded(volatile:)`` removes secrets, in addition to the fixed rules.
  package let redaction: RedactionRules

  /// Creates a deck from a cassette and the options that most decks need (``PlaybackOptions``).
  public convenience init(
    _ cassette: Cassette,
    scenario: Scenario = .calm,
    seed: UInt64 = 1,
    matcher: Matcher = .url,
    then: EndPolicy = .fail,
    pace: Pace = .immediately,
    mode: RecordMode = .none,
    recordingJournal: RecordingJournal? = nil
  ) {
    self.init(
      cassette,
      scenario: scenario,
      seed: seed,
      options: PlaybackOptions(matcher: matcher, then: then, pace: pace, mode: mode),
      recordingJournal: recordingJournal
    )
  }

  /// Creates a deck from a cassette.
  ///
  /// - Parameters:
  ///   - cassette: The interactions to play.
  ///   - scenario: The faults and the link.
  ///   - seed: The seed of all random draws.
  ///   - options: The options of playing and recording.
  ///   - recordingJournal: The file to which each interaction is written as soon as it is complete,
  ///     so that a crash of the process does not lose the recording.
  ///   - observe: The observer of all events. A decision is reported while it is made, under the
  ///     deck's lock, so the observer must be quick and must not call the deck. Any other event is
  ///     reported on the thread that handles the exchange.
  public convenience init(
    _ cassette: Cassette,
    scenario: Scenario = .calm,
    seed: UInt64 = 1,
    options: PlaybackOptions,
    recordingJournal: RecordingJournal? = nil,
    observe: (@Sendable (ExchangeEvent) -> Void)? = nil
  ) {
    self.init(
      cassette,
      scenario: scenario,
      seed: seed,
      options: options,
      recordingJournal: recordingJournal,
      observer: observe.map { Observer(tell: $0) }
    )
  }

  /// Creates a deck from a cassette, with an observer that may need only some exchanges.
  package convenience init(
    _ cassette: Cassette,
    scenario: Scenario,
    seed: UInt64,
    options: PlaybackOptions,
    recordingJournal: RecordingJournal? = nil,
    observer: Observer?
  ) {
    recordingJournal?.begin(after: cassette, options.redaction, rewrites: options.mode == .rewrite)
    self.init(
      LoadedCassette(cassette, options),
      scenario,
      seed: seed,
      options,
      recordingJournal,
      observer
    )
  }

  /// Creates a deck from responses that are written in Swift.
  public convenience init(
    _ stubs: [Stub],
    scenario: Scenario = .calm,
    seed: UInt64 = 1,
    matcher: Matcher = .url,
    then: EndPolicy = .fail,
    pace: Pace = .immediately
  ) {
    let options = PlaybackOptions(matcher: matcher, then: then, pace: pace)
    self.init(LoadedCassette(stubs, options), scenario, seed: seed, options)
  }

  private init(
    _ cassette: LoadedCassette,
    _ scenario: Scenario,
    seed: UInt64,
    _ options: PlaybackOptions,
    _ recordingJournal: RecordingJournal? = nil,
    _ observer: Observer? = nil
  ) {
    (self.recordingJournal, self.observer) = (recordingJournal, observer)
    (redaction, today) = (options.redaction, options.refreshingDates)
    exchangeTime = options.exchangeTime
    state = Locked(State(cassette, scenario, seed: seed, options))
  }

  // MARK: - Observers

  /// Selects the exchanges that are observed from the next decision on; by default all are.
  package func follow(_ attention: Attention) { state.withLock { $0.attention = attention } }

  /// The number of exchanges that were not observed.
  package var unfollowed: Int { state.withLock { $0.unfollowed } }

  // MARK: - A request

  /// The result of the arrival of a request on its own connection.
  package enum OpeningOrDecision: Sendable {
    /// The connection fails or is delayed; the request is decided once the connection is open.
    case opening(Delivery)
    case decided(Outcome)
  }

  /// Decides the faults of a request's connection, and then the faults of the request.
  ///
  /// Nothing is decided for the connection if the request bypasses the deck.
  package func arrive(_ request: Request, lane: Lane, on stage: Stage, at now: Date?)
    -> OpeningOrDecision
  {
    let (opening, decided) = state.withLock { state -> (Delivery?, State.Decided?) in
      if !state.routes.ignores(request.url) {
        let decision = state.open(lane: lane, at: now, telling: observer)
        let opening = decision.faults.isEmpty ? .nothing : Delivery(decision, on: stage)
        if opening != .nothing { return (opening, nil) }
      }
      let prepared = state.cassette.prepare(request)
      return (nil, state.decide(prepared, lane, at: now, telling: observer))
    }
    if let decided { return .decided(complete(decided)) }
    return .opening(opening ?? .nothing)
  }

  /// Decides the response to a request; the next equal request may receive another one.
  ///
  /// A request may name its lane itself (``Lane/take(from:)``), otherwise it belongs to `lane`. The
  /// caller passes the time (``open(lane:on:at:)``).
  public func decide(_ request: Request, lane: Lane = .deck, at now: Date? = nil) -> Outcome {
    complete(
      state.withLock { state in
        state.decide(state.cassette.prepare(request), lane, at: now, telling: observer)
      }
    )
  }

  /// Decides the response to a request, and returns the prepared request for its next repetition.
  ///
  /// The deck keeps the request with its connection and its whole content. The request itself may
  /// lack the content, which is `nil` if it is not available.
  package func prepareAndDecide(
    _ request: Request,
    lane: Lane,
    at now: Date?,
    on connection: SentRequest.Connection? = nil,
    content: Body? = nil
  ) -> (outcome: Outcome, prepared: PreparedRequest) {
    let (decided, prepared) = state.withLock { state -> (State.Decided, PreparedRequest) in
      let prepared = state.cassette.prepare(request)
      let sent = State.Sent(connection: connection, content: .some(content))
      return (state.decide(prepared, lane, sent, at: now, telling: observer), prepared)
    }
    return (complete(decided), prepared)
  }

  /// The result of the arrival of a request that was prepared before.
  package enum RepeatedArrival: Sendable {
    /// The same response as before, which the caller has rendered. It counts as delivered
    /// completely.
    case sameResponse
    // Indirect, because most arrivals have no outcome, which is large.
    indirect case decided(Outcome)
    /// Nothing was decided: the request was prepared for a cassette that is no longer loaded.
    case outdated
  }

  /// Decides the response to a prepared request, for which the caller may have a rendered response.
  package func decide(
    _ prepared: PreparedRequest,
    holding key: RenderedResponseKey?,
    lane: Lane,
    at now: Date?,
    on connection: SentRequest.Connection? = nil
  ) -> RepeatedArrival {
    let sent = State.Sent(connection: connection)
    if let key {
      let awaited = state.withLock { state -> State.Awaited?? in
        // An observer needs an outcome.
        guard state.cassette === prepared.cassette, !state.tells(observer, at: now) else {
          return nil
        }
        return state.repeatResponse(key, to: prepared, lane, sent, at: now)
      }
      if let awaited {
        awaited?(self)
        return .sameResponse
      }
    }
    let decided = state.withLock { state -> State.Decided? in
      guard state.cassette === prepared.cassette else { return nil }
      return state.decide(prepared, lane, sent, at: now, telling: observer)
    }
    return decided.map { .decided(complete($0)) } ?? .outdated
  }

  /// Prepares the parts of a request that stay the same while the cassette is loaded.
  package func prepare(_ request: Request) -> PreparedRequest {
    state.withLock { $0.cassette }.prepare(request)
  }

  /// Does the deferred work of a decision. Usually there is none.
  @inline(__always)
  private func complete(_ decided: State.Decided) -> Outcome {
    let (outcome, deferred, awaited) = decided
    if today == nil, deferred == nil, awaited == nil { return outcome }
    // A function may wait for a caller that waits for this request.
    let isComputed = if case .compute? = deferred { true } else { false }
    if isComputed { awaited?(self) }
    let completed = complete(outcome, deferred)
    if deferred != nil { change(completed) { $0.keep(completed.source) } }
    if !isComputed { awaited?(self) }
    return completed
  }

  private func complete(_ outcome: Outcome, _ deferred: DeferredAnswer?) -> Outcome {
    var outcome = outcome
    if let today, case .recording(let interaction, let place) = outcome.source {
      outcome.source = .recording(interaction.refreshingDates(at: today()), place: place)
    }
    switch deferred {
    case .fit(let isVersioned, let values, let delay):
      outcome.delay = delay
      return fit(outcome, isVersioned: isVersioned, values)
    case .compute(_, _, let delay): outcome.delay = delay
    case .explain, nil: break
    }
    guard let source = deferred?.source() else { return outcome }
    outcome.source = source
    if case .unmatched(let mismatch) = outcome.source {
      outcome.source = .unmatched(missed(mismatch, in: outcome.decision.lane))
    }
    return outcome
  }

  /// Adapts a recording to its request.
  ///
  /// The journal then has a note about a body in another form, values that a template lacks, and
  /// parts that cannot be played yet.
  private func fit(_ outcome: Outcome, isVersioned: Bool, _ values: TemplateValues?) -> Outcome {
    guard case .recording(var interaction, let place) = outcome.source else { return outcome }
    var notes = interaction.unplayed.map { "Of the recording \($0)." }
    if var values { notes += values.fill(&interaction) }
    let fitted = FittedResponse(interaction, to: outcome.request, isVersioned: isVersioned)
    notes += fitted.changes.map { "The response \($0)." }
    if !notes.isEmpty { note(notes, on: outcome) }
    var outcome = outcome
    outcome.source = .recording(fitted.interaction, place: place)
    return outcome
  }

  /// Keeps a mismatch, with the number of times that the lane received each similar recording.
  private func missed(_ mismatch: Mismatch, in lane: Lane) -> Mismatch {
    var mismatch = mismatch
    if mismatch.played == 0 {
      if lane == .deck { return state.withLock { $0.missed.keepCounted(mismatch) } }
      // There may be many lanes, and the deck keeps no counts for them.
      let journal = journal
      for index in mismatch.candidates.indices {
        let take = Journal.Take.recording(mismatch.candidates[index].number - 1)
        mismatch.candidates[index].played = journal.count {
          $0.take == take && $0.decision.lane == lane
        }
      }
    }
    state.withLock { $0.missed.keep(mismatch) }
    return mismatch
  }

  // MARK: - A connection

  /// Decides the faults of a connection before it has a request; `Delivery.nothing` if it has none.
  ///
  /// The caller passes the time, for rules with a time window. A scenario begins at the first time
  /// that is passed. A call without a time counts as its beginning.
  public func open(lane: Lane, on stage: Stage, at now: Date? = nil) -> Delivery {
    openConnection(lane: lane, on: stage, at: now).delivery
  }

  /// Returns the faults of a connection, its path, which is `nil` without a link, and its number.
  package func openConnection(
    lane: Lane,
    on stage: Stage,
    at now: Date? = nil
  ) -> (delivery: Delivery, path: LinkPath?, number: Int) {
    let (decision, path, number) = state.withLock { state -> (FaultDecision, LinkPath?, Int) in
      let decision = state.open(lane: lane, at: now, telling: observer)
      // The request's own path uses the shared rate; the connection must not use it a second time.
      var path = state.scenario.path(decision)
      path?.shared = nil
      return (decision, path, state.lastID)
    }
    return (decision.faults.isEmpty ? .nothing : Delivery(decision, on: stage), path, number)
  }

  /// Decides the faults of a tunnel to `host:port`.
  ///
  /// The *n*-th tunnel to the same address has the same faults for the same seed, regardless of
  /// other traffic. If the proxy decrypts the tunnel (`isOpened`), only faults of tunnels and
  /// connections are decided, because the requests within have all other faults.
  public func openTunnel(
    to authority: String,
    lane: Lane = .deck,
    isOpened: Bool = false,
    at now: Date? = nil
  ) -> TunnelDecision {
    state.withLock { state in
      state.openTunnel(to: authority, lane: lane, isOpened: isOpened, at: now, telling: observer)
    }
  }

  // MARK: - The end of an exchange

  // Events are autoclosures: without an observer no event is created, and the outcome in it is
  // neither copied nor retained.

  /// Reports that a request has arrived completely.
  ///
  /// - Parameters:
  ///   - outcome: The decision about the request.
  ///   - handshake: The time from the connection's beginning to the request's, if that was a TLS
  ///     handshake; otherwise `nil`.
  ///   - upload: The time from the request's head to its last byte; `nil` if the stage sees no
  ///     bytes.
  public func requestEnded(
    _ outcome: Outcome,
    handshake: Duration? = nil,
    upload: Duration? = nil
  ) {
    tell(.requestEnd(outcome, handshake: handshake, upload: upload), of: outcome)
  }

  /// Reports that the first byte of a response has been sent to the client.
  public func responseBegan(_ outcome: Outcome) { tell(.firstByte(outcome), of: outcome) }

  /// Reports an event of an exchange.
  @inline(__always)
  package func tell(_ event: @autoclosure () -> ExchangeEvent, of outcome: Outcome) {
    if isObserved(outcome) { observer?.tell(event()) }
  }

  /// Reports that a response has ended in any way, with its measurements.
  public func finished(_ outcome: Outcome, _ end: ExchangeEnd? = nil) {
    let (id, slot) = (outcome.id, outcome.slot)
    state.withLock { state in
      state.arrivals.end(id, at: slot)
      if let end { state.kept.exchanges?.change(id) { $0.end = end } }
    }
    tell(.ended(outcome, end), of: outcome)
  }

  /// Reports that a tunnel has been closed.
  package func tunnelEnded(_ end: TunnelEnd) { observer?.tell(.tunnelEnded(end)) }

  /// Whether the deck has an observer.
  package var isObserved: Bool { observer != nil }

  /// Returns whether an exchange is observed, so that its end must be measured.
  package func isObserved(_ outcome: Outcome) -> Bool {
    observer.map { $0.takesAll || outcome.isFollowed } ?? false
  }

  /// Adds notes about parts of a decision that were not possible to the journal.
  func note(_ misfits: [String], on outcome: Outcome) {
    let id = outcome.id
    state.withLock { $0.journal.note(misfits, on: id) }
  }

  /// Records that a request was not answered, for a courier that cannot pass it to the deck.
  package func missed(_ request: Request) {
    let mismatch = state.withLock { $0.cassette }.explanation(of: request)
    state.withLock { $0.missed.keep(mismatch) }
  }

  // MARK: - Changes between two requests

  /// Changes the scenario between two requests, and returns the previous one with its seed.
  @discardableResult
  public func swap(_ scenario: Scenario, seed: UInt64? = nil) -> (scenario: Scenario, seed: UInt64)
  {
    state.withLock { state in
      defer { state.scenario.change(to: scenario, seed: seed) }
      return (state.scenario.scenario, state.scenario.seed)
    }
  }

  /// Changes the scenario and the seed, and calls a closure with the seed before any other
  /// decision.
  package func swap(_ scenario: Scenario, seed: UInt64?, telling tell: (UInt64) -> Void) {
    state.withLock { state in
      state.scenario.change(to: scenario, seed: seed)
      tell(state.scenario.seed)
    }
  }

  /// Sets the age that the scenario has at the first time that is passed; zero by default.
  package func begin(aged age: Duration) { state.withLock { $0.scenario.clock.age = age } }

  /// Replaces the cassette between two requests, and the matcher if one is given.
  ///
  /// Use it for a deck that plays. Responses that have begun are completed from the old cassette.
  /// In the new one no lane has played anything, its placeholders have no values, and the journal
  /// is empty, because its entries refer to the old cassette. Ordinals continue, so the scenario
  /// does not restart with each save of the file.
  public func load(_ cassette: Cassette, matcher: Matcher? = nil) {
    load(cassette, matcher: matcher, keepingStubs: true)
  }

  /// Replaces the cassette and optionally removes the stubs in one step, so that no request is
  /// matched by only one of the two.
  package func load(_ cassette: Cassette, matcher: Matcher? = nil, keepingStubs: Bool) {
    // Building the index takes time, so it is done outside the lock.
    let next = LoadedCassette(cassette, state.withLock { $0.options(by: matcher) })
    state.withLock { state in
      if !keepingStubs { state.stubs.removeAll() }
      state.load(next)
    }
  }

  /// Adds a stub in front of the cassette from the next request on, or replaces the one with its
  /// name.
  ///
  /// The stub's response has priority over everything except requests that bypass the deck
  /// (`ignoring`). This is also true while the deck records; the response is not recorded.
  ///
  /// - Returns: False, without a change, if the deck has ``NamedStub/countMax`` other stubs.
  @discardableResult
  public func put(_ stub: NamedStub) -> Bool { state.withLock { $0.stubs.put(stub) } }

  /// Removes a stub from the next request on; returns false if no stub has the name.
  @discardableResult
  public func removeStub(named name: String) -> Bool {
    state.withLock { $0.stubs.remove(named: name) }
  }

  /// Removes all stubs that were added in front of the cassette.
  public func removeStubs() { state.withLock { $0.stubs.removeAll() } }

  /// Resets playheads, ordinals, the values of placeholders, the journal and the mismatches.
  ///
  /// The scenario, the seed and the recordings stay.
  public func reset() { state.withLock { $0.reset() } }

  /// Returns a lane for another session of this deck.
  package func sessionLane() -> Lane { Lane("session/\(state.withLock { $0.newSession() })") }

  // MARK: - State

  /// The matcher, which compares the parts of a request that select its recording.
  public var matcher: Matcher { state.withLock { $0.cassette }.matcher }

  /// The origin of requests that name none, such as `https://api.example.com`.
  ///
  /// By default this is the origin of most interactions on the cassette.
  public var origin: RequestURL? { state.withLock { $0.cassette }.origin }

  /// The interactions of the deck, in order.
  public var interactions: [Interaction] { state.withLock { $0.cassette }.interactions }

  /// The stubs in front of the cassette, in the order in which they were added.
  public var stubs: [NamedStub] { state.withLock { $0.stubs.all } }

  /// The recordings by their indices; `nil` if a function computes the response.
  var recordings: [Interaction?] { state.withLock { $0.cassette }.recordings }

  /// The scenario that the deck plays.
  public var scenario: Scenario { state.withLock { $0.scenario.scenario } }

  /// The seed of all random draws.
  public var seed: UInt64 { state.withLock { $0.scenario.seed } }

  /// Returns the time since the scenario began; `nil` if no time has been passed in it.
  package func elapsed(at now: Date) -> Duration? {
    state.withLock { $0.scenario.clock.elapsed(at: now) }
  }

  /// The scenario with its seed and the state of its rules.
  var activeScenario: ActiveScenario { state.withLock { $0.scenario } }

  /// The decisions that the deck has made so far.
  public var journal: Journal { state.withLock { $0.journal } }

  /// The reasons why requests had no response, in the order in which they occurred; the first
  /// hundred.
  public var mismatches: [Mismatch] { state.withLock { $0.missed.all } }

  /// The requests so far, and the requests that are being handled.
  var arrivals: Arrivals { state.withLock { $0.arrivals } }

  /// Returns whether requests to this URL bypass the deck.
  package func ignores(_ url: RequestURL) -> Bool { state.withLock { $0.routes }.ignores(url) }

  /// Whether the content of requests is compared, forwarded or kept; otherwise a server need not
  /// store it.
  package var needsRequestContent: Bool { state.withLock { $0.needsRequestContent } }

  /// Whether the whole content of a request can change its response.
  package var comparesContent: Bool {
    let cassette = state.withLock { $0.cassette }
    return cassette.matcher.looksAtContent || cassette.computes
  }

  /// Returns the steps of an outcome on a stage.
  ///
  /// Faults that are not possible with the response are noted in the journal and reported to the
  /// observer. A client of HTTP/1.0 receives no interim response (RFC 9110 §15.2) and no chunks
  /// (RFC 9112 §6.1).
  public func delivery(of outcome: Outcome, on stage: Stage, isHTTP10: Bool = false) -> Delivery {
    let script = Script.played(outcome, on: stage, isHTTP10: isHTTP10)
    tell(script.undone, of: outcome)
    var delivery = script.delivery
    if let status = delivery.status,
      !outcome.decision.faults.isEmpty || status != outcome.recording?.response?.status
    {
      change(outcome) { $0.givenStatus = status }
    }
    guard exchangeTime > .zero else { return delivery }
    let begins = delivery.steps.firstIndex { if case .await = $0 { false } else { true } }
    delivery.steps.insert(.wait(exchangeTime), at: begins ?? delivery.steps.endIndex)
    return delivery
  }

  /// Notes faults that did not happen in the journal, and reports them to the observer.
  package func tell(_ undone: [UndoneFault], of outcome: Outcome) {
    if undone.isEmpty { return }
    note(undone.map(\.description), on: outcome)
    let id = outcome.id
    state.withLock { $0.kept.exchanges?.note(undone, of: id) }
    observer?.tell(.undone(outcome, undone))
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 1)
