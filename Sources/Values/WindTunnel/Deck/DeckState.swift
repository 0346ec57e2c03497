internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

extension Deck {
  /// The state that changes from one decision to the next.
  struct State: Sendable {
    private(set) var cassette: LoadedCassette
    var scenario: ActiveScenario
    var mutants: [Mutant] = [] {
      didSet { scenario.mutants = Scenario("mutants", rules: mutants.map(\.rule)) }
    }
    var journal = Journal()
    var missed = MissedRequests()
    var arrivals = Arrivals()
    var recordings = NewRecordings()
    /// The stubs, which have priority over the cassette.
    var stubs = NamedStubs()
    /// Whether the deck plays, records or both: never ``RecordMode/once``.
    let mode: RecordMode
    /// The hosts whose requests bypass the deck or are sent elsewhere.
    let routes: LiveRoutes

    private let options: PlaybackOptions
    /// The cassette's number, in the order in which they were loaded.
    private var cassetteNumber = 0
    private var playhead = Playhead()
    private var bindings = Bindings()
    /// The number of times that each template was filled in.
    private var fillings = BoundedTable<LaneKey, Int>()
    private(set) var lastID = 0
    /// The selection of exchanges that are observed, and the number of the other exchanges.
    var attention = Attention.everything
    private(set) var unfollowed = 0
    private var sessionCount = 0
    var kept: KeptRequests

    private static let connectionPrint = Fingerprint(FaultDecision.connectionKey)

    init(
      _ cassette: LoadedCassette,
      _ scenario: Scenario,
      seed: UInt64,
      _ options: PlaybackOptions
    ) {
      (self.cassette, self.options) = (cassette, options)
      kept = KeptRequests(isKept: options.keepsRequests)
      self.scenario = ActiveScenario(scenario, seed: seed, isProxied: options.isProxied)
      routes = LiveRoutes(ignoring: options.ignoring, mapping: options.mapping)
      mode =
        options.mode == .once ? (cassette.interactions.isEmpty ? .rewrite : .none) : options.mode
    }

    /// Whether the content of requests can make a difference, or is kept.
    var needsRequestContent: Bool {
      cassette.matcher.looksAtContent || mode != .none || options.passesUnknownHosts
        || !routes.isEmpty || cassette.computes
    }

    /// The new recordings, and the interactions that they are added to or replace.
    var recording: Recording {
      let isAnew = mode == .rewrite
      let old = cassette.cassette
      var kept = old
      if isAnew { kept.interactions = [] }
      return Recording(
        kept: kept,
        replaced: isAnew ? old.interactions : [],
        new: recordings,
        isAnew: isAnew
      )
    }

    // MARK: - Decisions

    /// A decision, and the work that remains to be done.
    typealias Decided = (outcome: Outcome, deferred: DeferredAnswer?, awaited: Awaited?)

    typealias Awaited = KeptRequests.Awaited

    typealias Sent = KeptRequests.Facts

    /// Returns whether an observer receives the next exchange, if the cassette has its response.
    func tells(_ observer: Observer?, at now: Date?) -> Bool {
      observer.map { $0.takesAll || attention.takes(at: now) } ?? false
    }

    /// Returns the number of exchanges so far that were not observed, or `nil` if this one is not
    /// observed.
    private mutating func follow(_ take: Journal.Take, at now: Date?) -> Int? {
      if take == .unmatched { return unfollowed }
      guard attention.takes(at: now) else {
        unfollowed += 1
        return nil
      }
      attention.took(at: now)
      return unfollowed
    }

    /// Decides the faults of a new connection.
    mutating func open(lane: Lane, at now: Date?, telling observer: Observer?) -> FaultDecision {
      let ordinal = arrivals.count(LaneKey(lane, Self.connectionPrint))
      let decision = scenario.decideConnection(lane, ordinal, at: now)
      let entry = Journal.Record(id: newID(), decision: decision, take: .connection)
      if !decision.faults.isEmpty { journal.append(entry) }
      guard let observer else { return decision }
      // A connection that is only late has no end yet.
      let isOver = decision.faults.contains(where: \.replacesOrCuts)
      if observer.takesAll || isOver && follow(entry.take, at: now) != nil {
        observer.tell(.decided(entry))
      }
      return decision
    }

    /// Decides the faults of a new tunnel.
    mutating func openTunnel(
      to authority: String,
      lane: Lane,
      isOpened: Bool,
      at now: Date?,
      telling observer: Observer?
    ) -> TunnelDecision {
      let request = Request(tunnelTo: authority)
      let decision = scenario.decideTunnel(
        request,
        lane,
        arrivals.count(LaneKey(lane, Fingerprint(request.tunnelKey))),
        isOpened: isOpened,
        at: now
      )
      let entry = Journal.Record(id: newID(), decision: decision, take: .connection)
      journal.append(entry)
      var tunnel = TunnelDecision(
        decision: decision,
        path: scenario.path(decision),
        scenario: scenario.scenario.name,
        isOnCassette: cassette.answers(for: request.url),
        isOpened: isOpened
      )
      if mode != .none { tunnel.ticket = entry.id }
      if tunnel.isOnCassette {
        // A missing recording needs no explanation: the tunnel is opened.
        let isIgnored = routes.ignores(request.url)
        let dealt = deal(cassette.prepare(request), decision, id: entry.id, isIgnored: isIgnored)
        if case .recording(let interaction, _) = dealt.source {
          tunnel.failure = interaction.failure
        }
      }
      observer?.tell(.decided(entry))
      return tunnel
    }

    /// Decides the response to a request that was prepared for the current cassette.
    mutating func decide(
      _ prepared: PreparedRequest,
      _ lane: Lane,
      _ sent: Sent? = nil,
      at now: Date?,
      telling observer: Observer?
    ) -> Decided {
      let (lane, id) = (prepared.lane ?? lane, newID())
      let arrival = arrivals.arrive(id, LaneKey(lane, prepared.print))
      let isIgnored = routes.ignores(prepared.request.url)
      let due = isIgnored ? nil : dueRecording(of: prepared, lane)
      let decision = scenario.decide(
        prepared,
        lane,
        arrival.ordinal,
        isIgnored: isIgnored,
        recording: due,
        at: now
      )
      let dealt = deal(prepared, decision, id: id, isIgnored: isIgnored)
      let (source, take, deferred) = (dealt.source, dealt.take, dealt.deferred)
      var entry = Journal.Record(id: id, decision: decision, take: take)
      entry.rival = dealt.rival
      let skipped = observer == nil ? 0 : follow(take, at: now)
      let isTold = skipped != nil || observer?.takesAll == true || entry.rival != nil
      enter(entry, of: prepared, beside: arrival.others, telling: isTold ? observer : nil)
      let awaited = kept.keep(entry, of: prepared, sent, source, at: now)
      // Created in the return statement: copying an outcome takes as long as finding its recording.
      return (
        Outcome(
          id: id,
          request: prepared.request,
          source: source,
          decision: decision,
          path: scenario.hasLink && !isIgnored ? scenario.path(decision) : nil,
          liveURL: Outcome.forwards(source, decision)
            ? routes.destination(of: prepared.request.url) : nil,
          pace: options.pace,
          moment: now,
          bodySources: decision.faults.isEmpty ? nil : bodySources(of: decision),
          slot: arrival.slot,
          skipped: skipped,
          renderedKey: deferred == nil
            ? renderedKey(of: take, for: prepared, arrival, decision) : nil
        ),
        deferred,
        awaited
      )
    }

    /// Returns the recordings whose bodies faults send, by number; `nil` if no fault sends one.
    private func bodySources(of decision: FaultDecision) -> [Int: Interaction]? {
      let numbers = Set(decision.faults.compactMap(\.bodySource)).filter { number in
        cassette.interactions.indices.contains(number - 1)
          && cassette.function(at: number - 1) == nil
      }
      if numbers.isEmpty { return nil }
      return Dictionary(uniqueKeysWithValues: numbers.map { ($0, cassette.interactions[$0 - 1]) })
    }

    /// Returns the key of the response if nothing changes it; otherwise `nil`.
    ///
    /// Only this method decides which responses a stage may keep in rendered form.
    private func renderedKey(
      of take: Journal.Take,
      for prepared: PreparedRequest,
      _ arrival: Arrivals.ArrivalPosition,
      _ decision: FaultDecision
    ) -> RenderedResponseKey? {
      guard prepared.takesRecordingsUnchanged, case .recording(let place) = take,
        decision.faults.isEmpty, !scenario.hasLink
      else { return nil }
      return RenderedResponseKey(cassette: cassetteNumber, place: place, slot: arrival.slot)
    }

    /// Decides that a request receives the same response as before, and that its exchange has
    /// ended.
    ///
    /// Counts and notes are the same as after a decision and an end.
    ///
    /// - Returns: The request for a caller that waits for it, if any; `nil`, without a decision, if
    ///   another response may be due.
    mutating func repeatResponse(
      _ key: RenderedResponseKey,
      to prepared: PreparedRequest,
      _ lane: Lane,
      _ sent: Sent,
      at now: Date?
    ) -> Awaited?? {
      // A response with a key is never changed, and only the scenario may have changed since.
      let lane = prepared.lane ?? lane
      guard key.cassette == cassetteNumber, scenario.isCalm, stubs.isEmpty,
        let sequence = prepared.sequence,
        playhead.deal(sequence, lane: lane, as: key.place, then: { cassette.endPolicy(at: $0) })
      else { return nil }
      let id = newID()
      let arrival = arrivals.arrive(id, LaneKey(lane, prepared.print), likely: key.slot)
      scenario.clock.start(at: now)
      let decision = FaultDecision(
        lane: lane,
        key: prepared.key.text,
        ordinal: arrival.ordinal,
        faults: []
      )
      let take = Journal.Take.recording(key.place)
      let entry = Journal.Record(id: id, decision: decision, take: take)
      enter(entry, of: prepared, beside: arrival.others, telling: nil)
      unfollowed += 1
      arrivals.end(id, at: arrival.slot)
      if kept.exchanges == nil { return .some(nil) }
      let source = Outcome.Source.recording(cassette.interactions[key.place], place: key.place)
      return .some(kept.keep(entry, of: prepared, sent, source, at: now))
    }

    private typealias Dealt = (
      source: Outcome.Source, take: Journal.Take, deferred: DeferredAnswer?, rival: Int?
    )

    /// Selects the source of the response to a request.
    private mutating func deal(
      _ prepared: PreparedRequest,
      _ decision: FaultDecision,
      id: Int,
      isIgnored: Bool
    ) -> Dealt {
      let (request, key, cassette) = (prepared.request, prepared.key, cassette)
      if isIgnored { return (.forward(ticket: nil), .forwarded, nil, nil) }
      // A captive portal's page has no recording, and is sent nevertheless.
      if request.url.path == ReplacementResponse.portalPath,
        decision.faults == [.answer(.captivePortalPage)]
      {
        return (.computed(Response()), .computed, nil, nil)
      }
      if !stubs.isEmpty, let response = stubs.response(to: request) {
        return (.computed(response), .computed, nil, nil)
      }
      if mode == .rewrite { return (.forward(ticket: id), .forwarded, nil, nil) }
      guard let sequence = sequence(of: prepared, decision.lane) else {
        // The host was not recorded, so its own response is correct.
        if options.passesUnknownHosts, mode != .newEpisodes, !cassette.answers(for: request.url) {
          return (.forward(ticket: nil), .forwarded, nil, nil)
        }
        return missing(id, prepared, exhausted: nil)
      }
      let isWithheld = decision.faults.contains(where: \.replacesOrCuts)
      let take = playhead.deal(
        sequence,
        lane: decision.lane,
        key: cassette.index.playKey(request, key),
        // A function can compute any number of responses, so it is never used up.
        using: { !isWithheld && cassette.function(at: $0) == nil },
        then: { cassette.endPolicy(at: $0) }
      )
      switch take {
      case .exhausted(let times, let last): return missing(id, prepared, exhausted: (times, last))
      case .recording(let place):
        // A recording that continues requests an interaction again if a kill has cut it.
        if mode == .newEpisodes, cassette.interactions[place].isPart {
          return missing(id, prepared, exhausted: nil)
        }
        if let answer = cassette.function(at: place) {
          let delay = cassette.delay(at: place)
          return (.computed(Response()), .computed, .compute(answer, prepared, delay: delay), nil)
        }
        let dealt =
          decision.faults.contains(where: \.isStale) ? sequence.earlier(than: place) : place
        let take = isWithheld ? Journal.Take.withheld(dealt) : .recording(dealt)
        let interaction = cassette.interactions[dealt]
        return (
          .recording(interaction, place: dealt), take,
          fitting(interaction, at: dealt, prepared, decision, !isWithheld), sequence.rival
        )
      }
    }

    /// Returns the recordings of a request; `nil` if there are none.
    private mutating func sequence(
      of prepared: PreparedRequest,
      _ lane: Lane
    ) -> MatchIndex.Sequence? {
      prepared.sequence
        ?? cassette.index.played(
          for: prepared.request,
          key: prepared.key,
          lane: lane,
          bindings: &bindings,
          recordsHeads: mode == .newEpisodes
        )
    }

    /// Returns the number of the recording that a request will receive, without using it up.
    ///
    /// `nil` if the request receives none, or no rule depends on it.
    private mutating func dueRecording(of prepared: PreparedRequest, _ lane: Lane) -> Int? {
      guard scenario.asksForRecordings else { return nil }
      let (request, cassette) = (prepared.request, cassette)
      guard mode != .rewrite, stubs.response(to: request) == nil,
        let sequence = sequence(of: prepared, lane),
        case .recording(let place) = playhead.deal(
          sequence,
          lane: lane,
          key: cassette.index.playKey(request, prepared.key),
          using: { _ in false },
          then: { cassette.endPolicy(at: $0) }
        )
      else { return nil }
      return place + 1
    }

    /// Returns the deferred work if a request may need another form of its recording; otherwise
    /// `nil`.
    private mutating func fitting(
      _ interaction: Interaction,
      at place: Int,
      _ prepared: PreparedRequest,
      _ decision: FaultDecision,
      _ isUsed: Bool
    ) -> DeferredAnswer? {
      // Usually neither is needed.
      let isVersioned = !decision.faults.isEmpty && decision.faults.contains(where: \.isVersion)
      let isNeeded = FittedResponse.isNeeded(interaction, to: prepared.request, prepared.traits)
      guard isVersioned || isNeeded || cassette.isSpecial(at: place) else { return nil }
      var values: TemplateValues?
      if interaction.isTemplate {
        let slot = fillings.place(of: LaneKey(decision.lane, Fingerprint("\(place)")), or: 0)
        let key = "template\n\(decision.lane.name)\n\(decision.key)"
        let draws = Draws(seed: scenario.seed, key: key, ordinal: decision.ordinal)
        values = TemplateValues(prepared.request, draws, counter: fillings[slot] + 1)
        if isUsed { fillings[slot] += 1 }
      }
      return .fit(isVersioned: isVersioned, values, delay: cassette.delay(at: place))
    }

    private func missing(
      _ id: Int,
      _ prepared: PreparedRequest,
      exhausted: (times: Int, last: Int)?
    ) -> Dealt {
      if mode == .newEpisodes { return (.forward(ticket: id), .forwarded, nil, nil) }
      let empty = Mismatch(asked: "", nearest: nil, played: 0, count: 0)
      return (.unmatched(empty), .unmatched, .explain(prepared, exhausted: exhausted), nil)
    }

    /// Adds a decision to the journal and reports it.
    private mutating func enter(
      _ entry: Journal.Record,
      of prepared: PreparedRequest,
      beside others: Arrivals.Others,
      telling observer: Observer?
    ) {
      var entry = entry
      entry.overlapping = others != .none
      entry.isRepeatable = prepared.request.isRepeatable
      journal.append(entry)
      if case .recording(let place) = entry.take, entry.decision.lane == .deck {
        missed.countPlay(of: place, among: cassette.interactions.count)
      }
      // If there are two or more, all of them are marked already.
      if case .one(let other) = others { journal.markOverlapping(id: other) }
      observer?.tell(.decided(entry))
    }

    private mutating func newID() -> Int {
      lastID += 1
      return lastID
    }

    // MARK: - After a decision

    /// Keeps a live origin's response, and returns whether it is omitted from the cassette.
    mutating func keep(_ interaction: Interaction, under ticket: Int) -> Bool {
      recordings.keep(interaction, under: ticket)
      return options.isProxied && interaction.isRefused
    }

    // MARK: - Changes

    mutating func newSession() -> Int {
      sessionCount += 1
      return sessionCount
    }

    /// Returns the options of the next cassette.
    func options(by matcher: Matcher?) -> PlaybackOptions {
      var options = options
      options.matcher = matcher ?? cassette.matcher
      return options
    }

    /// Replaces the cassette and rewinds it for every lane.
    mutating func load(_ cassette: LoadedCassette) {
      self.cassette = cassette
      cassetteNumber += 1
      kept.exchanges?.beginCassette()
      rewind()
    }

    /// Starts again with the same cassette and scenario.
    mutating func reset() {
      rewind()
      kept.exchanges?.reset()
      arrivals = Arrivals()
      scenario.restart()
    }

    /// Resets the state of playing the cassette.
    private mutating func rewind() {
      playhead = Playhead()
      bindings = Bindings()
      fillings = BoundedTable()
      journal = Journal()
      missed = MissedRequests()
    }
  }

  /// The new recordings of a deck, and the interactions that they are added to or replace.
  struct Recording: Sendable {
    /// The cassette to which the recorded interactions are added.
    let kept: Cassette
    /// The interactions of the cassette that are recorded again.
    let replaced: [Interaction]
    let new: NewRecordings
    /// Whether everything is recorded again.
    let isAnew: Bool
  }
}
