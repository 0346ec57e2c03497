public import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// A cassette, a matcher, a scenario and a mode behind one lock, played to any number of clients in
/// process or on the wire.
///
/// ```swift
/// let deck = Deck([.get("/users/{id}", json: ["id": 7, "name": "Ada"])])
/// let session = URLSession(configuration: .windTunnel(deck))
/// let user = try await UserAPI(session: session).profile(7)
/// ```
///
/// A lock around a value and not an actor: the order in which requests arrive decides which
/// recording each gets, and a hop to an actor would not keep that order. A request takes the lock
/// once when it arrives, and once more when its exchange has ended.
public final class Deck: Sendable {
  let state: Locked<State>
  let observer: Observer?
  /// The smallest time between what comes from a client and what is sent to it.
  package let exchangeTime: Duration
  /// The clock by which recordings are played as if they were of today.
  private let today: (@Sendable () -> Date)?
  package let recordingJournal: RecordingJournal?
  /// The rules by which ``recorded(volatile:)`` takes secrets out, beside those that always are.
  package let redaction: RedactionRules

  /// Makes a deck of a cassette and the options that most decks need (``PlaybackOptions``).
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

  /// Makes a deck of a cassette.
  ///
  /// - Parameters:
  ///   - cassette: The interactions to play.
  ///   - scenario: The faults and the link.
  ///   - seed: The seed of all random draws.
  ///   - options: The options of playing and recording.
  ///   - recordingJournal: The file that each interaction is written to as soon as it is complete,
  ///     so that a crash of the process does not lose the recording.
  ///   - observe: The observer of all events. A decision is reported while it is made, under the
  ///     deck's lock, so that the observer must be quick and must not call the deck; any other
  ///     event is reported on the thread that carries the exchange.
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

  /// Makes a deck of a cassette with an observer that need not be told of every exchange.
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

  /// Makes a deck of answers that are written in Swift.
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

  // MARK: - Whoever looks

  /// Follows these exchanges from the next decision on; without that all are followed.
  package func follow(_ attention: Attention) { state.withLock { $0.attention = attention } }

  /// The number of exchanges that nobody followed.
  package var unfollowed: Int { state.withLock { $0.unfollowed } }

  // MARK: - A request

  /// The fate of a request that comes on a connection of its own.
  package enum Arrival: Sendable {
    /// Its connection fails, or has to be waited for; only when that is open is it decided.
    case opening(Delivery)
    case decided(Outcome)
  }

  /// Decides what a request meets, first of its connection's and then of its own, or that it is
  /// none of the deck's affair.
  package func arrive(_ request: Request, lane: Lane, on stage: Stage, at now: Date?) -> Arrival {
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

  /// Decides the answer to a request; an equal request may get another one next time.
  ///
  /// A request may name its lane itself (``Lane/take(from:)``), else it belongs to `lane`. The
  /// caller passes the time (``open(lane:on:at:)``).
  public func decide(_ request: Request, lane: Lane = .deck, at now: Date? = nil) -> Outcome {
    complete(
      state.withLock { state in
        state.decide(state.cassette.prepare(request), lane, at: now, telling: observer)
      }
    )
  }

  /// Decides what a request gets, and returns what was worked out of it beside that: for when it
  /// comes again. The deck keeps it with its connection and with its whole content, which the
  /// request itself may lack, and which is `nil` if it is not there.
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

  /// The answer to a request that has come before.
  package enum RepeatedArrival: Sendable {
    /// The response that the caller holds ready for it. It counts as carried to its end.
    case sameResponse
    case decided(Outcome)
    /// Nothing was decided: it was prepared for another cassette than is loaded by now.
    case outdated
  }

  /// Decides what a request gets that has come before, and for which the caller may hold a response
  /// ready.
  package func decide(
    _ prepared: PreparedRequest,
    holding key: RenderedResponseKey?,
    lane: Lane,
    at now: Date?,
    on connection: SentRequest.Connection? = nil
  ) -> RepeatedArrival {
    typealias Repeated = (isSame: Bool, awaited: State.Awaited?, decided: State.Decided?)
    let (isSame, awaited, decided) = state.withLock { state -> Repeated in
      guard state.cassette === prepared.cassette else { return (false, nil, nil) }
      let sent = State.Sent(connection: connection)
      // Whoever is told is told of an outcome.
      if let key, !state.tells(observer, at: now),
        let awaited = state.repeatResponse(key, to: prepared, lane, sent, at: now)
      {
        return (true, awaited, nil)
      }
      return (false, nil, state.decide(prepared, lane, sent, at: now, telling: observer))
    }
    if isSame {
      awaited?(self)
      return .sameResponse
    }
    return decided.map { .decided(complete($0)) } ?? .outdated
  }

  /// Works out what does not change of a request, as long as no other cassette is loaded.
  package func prepare(_ request: Request) -> PreparedRequest {
    state.withLock { $0.cassette }.prepare(request)
  }

  /// Works out what is left of a decision. Mostly there is nothing.
  @inline(__always)
  private func complete(_ decided: State.Decided) -> Outcome {
    let (outcome, deferred, awaited) = decided
    if today == nil, deferred == nil, awaited == nil { return outcome }
    // A function may wait for somebody who waits for the request.
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

  /// Fits a recording to its request. Journals a body in another form, values that a template
  /// lacks, and parts that are not played yet.
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

  /// Remembers why nothing answered, with how often what comes near was given to the same lane.
  private func missed(_ mismatch: Mismatch, in lane: Lane) -> Mismatch {
    var mismatch = mismatch
    if mismatch.played == 0 {
      if lane == .deck { return state.withLock { $0.missed.keepCounted(mismatch) } }
      // Lanes are many, and of none the numbers are kept.
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

  /// Decides the faults of a connection before there is a request on it; `Delivery.nothing` where
  /// it simply goes on.
  ///
  /// The caller passes the time, for the rules that follow the clock: the first time that is passed
  /// in a scenario is its beginning, and without a time it is always the beginning.
  public func open(lane: Lane, on stage: Stage, at now: Date? = nil) -> Delivery {
    openConnection(lane: lane, on: stage, at: now).delivery
  }

  /// Returns the same with the path of the connection, which is `nil` where there is no link, and
  /// the number of the connection.
  package func openConnection(
    lane: Lane,
    on stage: Stage,
    at now: Date? = nil
  ) -> (delivery: Delivery, path: LinkPath?, number: Int) {
    let (decision, path, number) = state.withLock { state -> (FaultDecision, LinkPath?, Int) in
      let decision = state.open(lane: lane, at: now, telling: observer)
      // What its request's connection takes of a rate that is shared it does not take twice.
      var path = state.scenario.path(decision)
      path?.shared = nil
      return (decision, path, state.lastID)
    }
    return (decision.faults.isEmpty ? .nothing : Delivery(decision, on: stage), path, number)
  }

  /// Decides the faults of a tunnel to `host:port`. The *n*-th tunnel to the same address meets the
  /// same faults for the same seed, whatever else is going on.
  ///
  /// Where the proxy decrypts the tunnel (`isOpened`), only faults of tunnels and connections are
  /// decided, since the requests within meet the rest.
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

  // An event is made where it is handed over: so none is where nobody observes, and the outcome in
  // it is the carrier's own, neither copied nor retained.

  /// Reports that a request has arrived as a whole.
  ///
  /// - Parameters:
  ///   - outcome: The decision about the request.
  ///   - handshake: The time from the connection's beginning to the request's, where that was a TLS
  ///     handshake.
  ///   - upload: The time from the request's head to its last byte, where bytes can be seen.
  public func requestEnded(
    _ outcome: Outcome,
    handshake: Duration? = nil,
    upload: Duration? = nil
  ) {
    tell(.requestEnd(outcome, handshake: handshake, upload: upload), of: outcome)
  }

  /// Reports that the first byte of an answer has been sent to the client.
  public func responseBegan(_ outcome: Outcome) { tell(.firstByte(outcome), of: outcome) }

  /// Reports an event of an exchange.
  @inline(__always)
  package func tell(_ event: @autoclosure () -> ExchangeEvent, of outcome: Outcome) {
    if isObserved(outcome) { observer?.tell(event()) }
  }

  /// Reports that an answer has ended, in whatever way, and what was measured of it.
  public func finished(_ outcome: Outcome, _ end: ExchangeEnd? = nil) {
    let (id, slot) = (outcome.id, outcome.slot)
    state.withLock { state in
      state.arrivals.end(id, at: slot)
      if let end { state.kept.exchanges?.change(id) { $0.end = end } }
    }
    tell(.ended(outcome, end), of: outcome)
  }

  /// Tells that a tunnel has been closed.
  package func tunnelEnded(_ end: TunnelEnd) { observer?.tell(.tunnelEnded(end)) }

  /// Tells whether anybody is told of events.
  package var isObserved: Bool { observer != nil }

  /// Tells whether anybody is told of an exchange, so that its end is worth being measured.
  package func isObserved(_ outcome: Outcome) -> Bool {
    guard let observer else { return false }
    return observer.takesAll || outcome.isFollowed
  }

  /// Notes in the journal what an answer gave no room for.
  func note(_ misfits: [String], on outcome: Outcome) {
    let id = outcome.id
    state.withLock { $0.journal.note(misfits, on: id) }
  }

  /// Remembers that a request was not answered, by a courier that could not ask for it.
  package func missed(_ request: Request) {
    let mismatch = state.withLock { $0.cassette }.explanation(of: request)
    state.withLock { $0.missed.keep(mismatch) }
  }

  // MARK: - Changes between two requests

  /// Changes the scenario between two requests, and returns the former one with its seed.
  @discardableResult
  public func swap(_ scenario: Scenario, seed: UInt64? = nil) -> (scenario: Scenario, seed: UInt64)
  {
    state.withLock { state in
      defer { state.scenario.change(to: scenario, seed: seed) }
      return (state.scenario.scenario, state.scenario.seed)
    }
  }

  /// Changes the scenario and the seed, and tells of it before anything is decided by them.
  package func swap(_ scenario: Scenario, seed: UInt64?, telling tell: (UInt64) -> Void) {
    state.withLock { state in
      state.scenario.change(to: scenario, seed: seed)
      tell(state.scenario.seed)
    }
  }

  /// Says how old the scenario is when the first moment is told, where that is not its beginning.
  package func begin(aged age: Duration) { state.withLock { $0.scenario.begin(aged: age) } }

  /// Replaces the cassette between two requests, and the matcher where one is given.
  ///
  /// Answers that have begun are completed from the old cassette. The new one is at its head for
  /// every lane: none of it has been played, its placeholders have no values yet, and the journal
  /// is empty, since its entries named places on the old one. Ordinals go on, so that the scenario
  /// does not begin again with each save. Meant for a deck that plays.
  public func load(_ cassette: Cassette, matcher: Matcher? = nil) {
    load(cassette, matcher: matcher, keepingStubs: true)
  }

  /// Plays another cassette, and where asked removes the stubs at the same moment, so that no
  /// request meets the one without the other.
  package func load(_ cassette: Cassette, matcher: Matcher? = nil, keepingStubs: Bool) {
    // The index takes its time; no request has to wait for it.
    let next = LoadedCassette(cassette, state.withLock { $0.options(by: matcher) })
    state.withLock { state in
      if !keepingStubs { state.stubs.removeAll() }
      state.load(next)
    }
  }

  /// Puts a stub in front of the cassette from the next request on, in place of one of the same
  /// name. It answers before everything but requests that leave the deck (`ignoring`), also where
  /// the deck records; what it answers is on no cassette.
  ///
  /// - Returns: False, and nothing is changed, where the deck has ``NamedStub/countMax`` others.
  @discardableResult
  public func put(_ stub: NamedStub) -> Bool { state.withLock { $0.stubs.put(stub) } }

  /// Removes a stub from the next request on; false where there is none of the name.
  @discardableResult
  public func removeStub(named name: String) -> Bool {
    state.withLock { $0.stubs.remove(named: name) }
  }

  /// Removes all stubs that were put in front of the cassette.
  public func removeStubs() { state.withLock { $0.stubs.removeAll() } }

  /// Resets playheads, ordinals, the values of placeholders, the journal and the mismatches. The
  /// scenario, the seed and what was recorded stay.
  public func reset() { state.withLock { $0.reset() } }

  /// Returns a lane for one more session of this deck.
  package func sessionLane() -> Lane { Lane("session/\(state.withLock { $0.newSession() })") }

  // MARK: - What it holds

  /// The parts of a request that decide which recording answers it.
  public var matcher: Matcher { state.withLock { $0.cassette }.matcher }

  /// The origin of requests that name none, such as `https://api.example.com`: the one that most
  /// of the cassette was recorded from.
  public var origin: RequestURL? { state.withLock { $0.cassette }.origin }

  /// The interactions of the deck, in order.
  public var interactions: [Interaction] { state.withLock { $0.cassette }.interactions }

  /// The stubs in front of the cassette, in the order in which they were put.
  public var stubs: [NamedStub] { state.withLock { $0.stubs.all } }

  /// The recordings by their places; `nil` where a function answers.
  var recordings: [Interaction?] { state.withLock { $0.cassette }.recordings }

  /// The scenario that the deck plays.
  public var scenario: Scenario { state.withLock { $0.scenario.scenario } }

  /// The seed of all random draws.
  public var seed: UInt64 { state.withLock { $0.scenario.seed } }

  /// Returns the time since the scenario began, with its first moment that was told; `nil` where
  /// none was.
  package func elapsed(at now: Date) -> Duration? {
    state.withLock { $0.scenario.elapsed(at: now) }
  }

  /// The scenario with its seed and with what its rules have met.
  var activeScenario: ActiveScenario { state.withLock { $0.scenario } }

  /// The decisions that the deck has made so far.
  public var journal: Journal { state.withLock { $0.journal } }

  /// The reasons for which requests were not answered, in the order in which they were found; the
  /// first hundred.
  public var mismatches: [Mismatch] { state.withLock { $0.missed.all } }

  /// The requests so far, and those that are being carried.
  var arrivals: Arrivals { state.withLock { $0.arrivals } }

  /// Tells whether requests to this address are none of the deck's affair.
  package func ignores(_ url: RequestURL) -> Bool { state.withLock { $0.routes }.ignores(url) }

  /// Tells whether the content of requests is looked at, handed on or kept: else a server may let
  /// it pass by unread, however much it is.
  package var needsRequestContent: Bool { state.withLock { $0.needsRequestContent } }

  /// Tells whether the whole content of a request makes a difference to what answers it.
  package var comparesContent: Bool {
    let cassette = state.withLock { $0.cassette }
    return cassette.matcher.looksAtContent || cassette.computes
  }

  /// Returns the steps of an outcome on a stage. Faults for which its answer gave no room are noted
  /// in the journal, and told to the observer. A client of HTTP/1.0 is sent no interim response
  /// (RFC 9110 §15.2) and no chunks (RFC 9112 §6.1).
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

  /// Notes the faults that were not done in the journal, and tells the observer of them, if any.
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
