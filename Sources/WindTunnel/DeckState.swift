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
    /// The number of times that each recording was played in the unnamed lane, by its place.
    var plays: [Int] = []
    /// The requests that this process could not ask for.
    var unasked: Unasked?
    /// Why nothing answered, in the order in which that was found out.
    var misses: [Mismatch] = []
    let front: Front
    /// Which of the deck's tapes this is.
    var tapeNumber = 0

    let tape: Tape
    private let notes: [JSON.Member]
    let then: EndPolicy
    let mode: RecordMode
    let routes: LiveRoutes
    /// Whether requests come through a proxy.
    let isProxied: Bool
    /// Whether hosts that are nowhere on the tape are asked live; a proxy passes on what it is asked.
    let passesOthers: Bool
    private let tapeHosts: Set<String>
    var playhead = Playhead()
    var arrivals = Arrivals()
    var bindings = Bindings()
    var nextID = 0
    var beginning = Beginning()
    var ruleUse: RuleUse

    init(
      _ tape: Tape,
      notes: [JSON.Member] = [],
      scenario: Scenario,
      seed: UInt64,
      matcher: Matcher,
      then: EndPolicy,
      mode: RecordMode,
      routes: LiveRoutes = LiveRoutes(),
      isProxied: Bool = false,
      passesOthers: Bool = false
    ) {
      self.tape = tape
      self.notes = notes
      (self.scenario, self.seed) = (scenario, seed)
      ruleUse = RuleUse(scenario)
      self.then = then
      self.routes = routes
      self.isProxied = isProxied
      self.passesOthers = isProxied || passesOthers
      self.mode = mode == .once ? (tape.interactions.isEmpty ? .rewrite : .none) : mode
      let requests = tape.interactions.lazy.map { $0.request }
      tapeHosts = self.passesOthers ? Set(requests.compactMap { $0.url.host }) : []
      front = Front(requests, matcher)
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
      _ prepared: PreparedRequest,
      _ lane: Lane,
      at now: Date?,
      pace: Pace,
      telling observe: ((Journal.Entry) -> Void)?,
      later: inout Later?
    ) -> Outcome {
      let (lane, id) = (prepared.lane ?? lane, newID())
      let arrival = arrivals.arrive(id, LaneKey(lane, prepared.print))
      let isIgnored = routes.ignores(prepared.request.url)
      let decision = decide(prepared, lane, arrival.ordinal, isIgnored: isIgnored, at: now)
      let (source, take) = deal(prepared, decision, id: id, later: &later)
      enter(decision, take, of: prepared.request, id: id, beside: arrival.others, telling: observe)
      var plain: PlainAnswer?
      if prepared.takesPlainAnswers, case .recording(let place) = take, !hasLink,
        decision.faults.isEmpty, pace == .immediately
      {
        plain = PlainAnswer(tape: tapeNumber, place: place)
      }
      var outcome = Outcome(
        id: id,
        request: prepared.request,
        source: source,
        decision: decision,
        pace: pace,
        moment: now,
        seat: arrival.seat,
        plain: plain
      )
      if hasLink, !isIgnored { outcome.path = path(decision) }
      if case .forward = source, outcome.forwards {
        outcome.liveURL = routes.destination(of: prepared.request.url)
      }
      return outcome
    }

    /// What goes wrong with one that arrives.
    private mutating func decide(
      _ prepared: PreparedRequest,
      _ lane: Lane,
      _ ordinal: Int,
      isIgnored: Bool,
      at now: Date?
    ) -> Decision {
      let circumstances = beginning.circumstances(
        scenario,
        of: prepared.request,
        in: lane,
        at: now
      )
      if isIgnored || scenario.rules.isEmpty {
        return Decision(lane: lane, key: prepared.key.text, ordinal: ordinal, faults: [])
      }
      if ruleUse.isWaiting { ruleUse.meet(prepared.request) }
      let moment = Scenario.Moment(seed, lane, prepared.key.text, ordinal, circumstances)
      return isProxied
        ? scenario.decideProxied(prepared.request, at: moment)
        : scenario.decide(prepared.request, at: moment)
    }

    /// Whether there is a link; asked of the case alone, which copies nothing.
    private var hasLink: Bool { if case .some = scenario.link { true } else { false } }

    /// Notes what was decided.
    mutating func enter(
      _ decision: Decision,
      _ take: Journal.Take,
      of request: Request,
      id: Int,
      beside others: Arrivals.Others,
      telling observe: ((Journal.Entry) -> Void)?
    ) {
      var entry = Journal.Entry(id: id, decision: decision, take: take)
      entry.overlapping = others != .none
      entry.isRepeatable = request.isRepeatable
      journal.append(entry)
      if case .recording(let place) = take, decision.lane == .deck { countPlay(of: place) }
      // Of two and more all are marked already.
      if case .one(let other) = others { journal.markOverlapping(id: other) }
      observe?(entry)
    }

    private mutating func countPlay(of place: Int) {
      if place >= plays.count {
        plays += Array(repeating: 0, count: tape.interactions.count - plays.count)
      }
      plays[place] += 1
    }

    /// Whether functions answer.
    var computes: Bool { !tape.computed.isEmpty }

    mutating func finished(_ id: Int, at seat: Int) { arrivals.end(id, at: seat) }
  }
}
