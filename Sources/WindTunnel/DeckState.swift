internal import Foundation

extension Deck {
  /// Everything that changes from one decision to the next.
  struct State: Sendable {
    var scenario: Scenario
    /// What all draws start from.
    var seed: UInt64
    var sessions = 0
    /// The rates that the connections of this deck share, where the link says so.
    let shared = SharedPath()
    /// What was recorded, by the number of the request that asked for it.
    var recording: [Int: Interaction] = [:]
    var journal = Journal()
    /// Why nothing answered, in the order in which that was found out.
    var misses: [Mismatch] = []
    let front: Front

    private let tape: Tape
    private let notes: [JSON.Member]
    private let index: MatchIndex
    let then: EndPolicy
    let mode: RecordMode
    let routes: LiveRoutes
    /// Whether requests come through a proxy, which passes on what the cassette does not answer for.
    let isProxied: Bool
    private let tapeHosts: Set<String>
    var playhead = Playhead()
    var arrivals = Arrivals()
    var bindings = Bindings()
    var nextID = 0
    var beginning = Beginning()

    init(
      _ tape: Tape,
      notes: [JSON.Member] = [],
      scenario: Scenario,
      seed: UInt64,
      matcher: Matcher,
      then: EndPolicy,
      mode: RecordMode,
      routes: LiveRoutes = LiveRoutes(),
      isProxied: Bool = false
    ) {
      self.tape = tape
      self.notes = notes
      (self.scenario, self.seed) = (scenario, seed)
      self.then = then
      self.routes = routes
      self.isProxied = isProxied
      self.mode = mode == .once ? (tape.interactions.isEmpty ? .rewrite : .none) : mode
      let requests = tape.interactions.lazy.map { $0.request }
      tapeHosts = isProxied ? Set(requests.compactMap { $0.url.host }) : []
      index = MatchIndex(requests, matcher: matcher)
      front = Front(matcher, RequestURL.mostFrequentOrigin(of: requests.map { $0.url }))
    }

    /// What stays on the cassette when the recorded interactions are added.
    var keptCassette: Cassette {
      var cassette = Cassette(mode == .rewrite ? [] : tape.recorded)
      cassette.notes = notes
      return cassette
    }

    /// What was on the cassette and is recorded anew.
    var replacedInteractions: [Interaction] {
      mode == .rewrite ? tape.recorded : []
    }

    /// The interactions in their order; a function stands in as an empty answer.
    var interactions: [Interaction] { tape.interactions }

    /// What is recorded, by its place; `nil` where a function answers.
    var recordings: [Interaction?] { tape.recordings }

    var recordsAnew: Bool { mode == .rewrite }

    /// Remembers a miss; beyond a bound only the first ones are worth reading.
    mutating func missed(_ mismatch: Mismatch) {
      if misses.count < Deck.missesMax { misses.append(mismatch) }
    }

    mutating func newID() -> Int {
      nextID += 1
      return nextID
    }

    mutating func keep(_ entry: Journal.Entry) { journal.append(entry) }

    /// Whether the cassette answers for a host.
    func isOnTape(_ url: RequestURL) -> Bool { url.host.map(tapeHosts.contains) ?? false }

    mutating func decide(
      _ request: Request,
      key: RequestKey,
      lane: Lane,
      at now: Date?
    ) -> (Journal.Entry, Outcome, Later?) {
      let id = newID()
      let (ordinal, others) = arrivals.arrive(id, LaneKey(lane: lane, key: key.text))
      let isIgnored = routes.ignores(request.url)
      let moment = Scenario.Moment(
        seed,
        lane,
        key.text,
        ordinal,
        beginning.circumstances(scenario, of: request, in: lane, at: now)
      )
      var decision =
        isProxied
        ? scenario.decideProxied(request, at: moment) : scenario.decide(request, at: moment)
      if isIgnored { decision.faults = [] }
      let (source, take, later) = deal(request, key, decision, id: id)
      var entry = Journal.Entry(id: id, decision: decision, take: take)
      entry.overlapping = others != .none
      entry.isRepeatable = request.isRepeatable
      journal.append(entry)
      // Of two and more all are marked already.
      if case .one(let other) = others { journal.markOverlapping(id: other) }
      var outcome = Outcome(
        id: id,
        request: request,
        source: source,
        decision: decision,
        path: isIgnored ? nil : path(decision)
      )
      if outcome.forwards { outcome.liveURL = routes.destination(of: request.url) }
      return (entry, outcome, later)
    }

    /// Whether functions answer.
    var computes: Bool { !tape.computed.isEmpty }

    mutating func finished(_ id: Int) { arrivals.end(id) }

    mutating func deal(
      _ request: Request,
      _ key: RequestKey,
      _ decision: Decision,
      id: Int
    ) -> (Outcome.Source, Journal.Take, Later?) {
      if routes.ignores(request.url) { return (.forward(ticket: nil), .forwarded, nil) }
      // Nobody recorded the page of a portal, which is there all the same.
      if request.url.path == Substitute.portalPath,
        decision.faults == [.answer(.captivePortalPage)]
      {
        return (.computed(Response()), .computed, nil)
      }
      if mode == .rewrite { return (.forward(ticket: id), .forwarded, nil) }
      let sequence = index.sequence(
        for: request,
        key: key,
        lane: decision.lane,
        bindings: &bindings
      )
      guard let sequence else {
        // Nobody recorded this host, so its own answer is the right one.
        if isProxied, mode != .newEpisodes, !isOnTape(request.url) {
          return (.forward(ticket: nil), .forwarded, nil)
        }
        return missing(id, decision.lane, exhausted: nil)
      }
      let isWithheld = decision.faults.contains(where: \.replacesOrCuts)
      let (tape, then) = (tape, then)
      let take = playhead.deal(
        sequence,
        lane: decision.lane,
        key: index.playKey(request, key),
        // A function answers for ever, so it is never used up.
        using: { !isWithheld && tape.computed[$0] == nil },
        then: { tape.interactions[$0].then ?? then }
      )
      switch take {
      case .exhausted(let times, let last):
        return missing(id, decision.lane, exhausted: (times, last))
      case .recording(let place):
        if let answer = tape.computed[place] {
          return (.computed(Response()), .computed, .compute(answer))
        }
        let dealt =
          decision.faults.contains(where: \.isStale) ? sequence.earlier(than: place) : place
        let take = isWithheld ? Journal.Take.withheld(dealt) : .recording(dealt)
        return (.recording(tape.interactions[dealt], place: dealt), take, nil)
      }
    }

    private func missing(
      _ id: Int,
      _ lane: Lane,
      exhausted: (times: Int, last: Int)?
    ) -> (Outcome.Source, Journal.Take, Later?) {
      if mode == .newEpisodes { return (.forward(ticket: id), .forwarded, nil) }
      let empty = Mismatch(asked: "", nearest: nil, played: 0, count: 0)
      return (
        .unmatched(empty), .unmatched,
        .explain(tape.interactions, journal, lane, exhausted: exhausted)
      )
    }
  }
}
