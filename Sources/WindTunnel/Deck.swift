public import Foundation

/// The one door: a cassette, a matcher, a scenario and a mode, played to any number of clients in
/// process or on the wire.
///
/// A lock around a value and not an actor: the order in which requests arrive decides which
/// recording each gets, and a hop to an actor would not keep that order.
public final class Deck: Sendable {
  /// What the requests are compared by.
  public var matcher: Matcher { front.withLock { $0 }.matcher }
  /// The origin that most of the cassette was recorded from, such as `https://api.example.com`.
  public var origin: RequestURL? { front.withLock { $0 }.origin }
  let state: Locked<State>
  /// Beside the state, since every request looks here before it waits for its decision.
  let front: Locked<Front>
  let observe: (@Sendable (Journal.Entry) -> Void)?
  let follow: (@Sendable (Outcome, Milestone) -> Void)?
  package let recordingJournal: RecordingJournal?
  /// What ``recorded()`` takes out beside what it always does.
  let redaction: RedactionRules
  let pace: Pace
  /// Whether the content of requests is looked at, handed on or kept: else a server may let it pass
  /// by unread, however much it is.
  package var needsRequestContent: Bool {
    state.withLock { $0.front.matcher.looksAtContent || $0.needsRequestContent }
  }
  /// Whether the whole content of a request makes a difference to what answers it.
  package var comparesContent: Bool {
    state.withLock { $0.front.matcher.looksAtContent || $0.computes }
  }
  /// Whether what is passed on is kept.
  package var records: Bool { state.withLock { $0.mode != .none } }
  /// Whether answers are of any day, and are there at once.
  var isPlain: Bool { pace == .immediately && today == nil }
  /// What time it is, where recordings are played as if they were of today.
  let today: (@Sendable () -> Date)?

  /// Loads a deck with a cassette.
  ///
  /// - Parameters:
  ///   - cassette: What was said.
  ///   - scenario: What the weather is.
  ///   - seed: What all draws start from.
  ///   - matcher: What the requests are compared by.
  ///   - then: What follows when the recordings of a request are used up.
  ///   - pace: How long recorded answers take; their streamed bodies come in their pieces at any.
  ///   - mode: Whether the live origin is asked.
  ///   - redaction: What ``recorded()`` takes out beside what it always does.
  ///   - ignoring: Hosts that are left alone: their requests pass to them in every mode, without
  ///     weather and unrecorded. `api.example.com` is every port of it, `api.example.com:8443` one.
  ///   - mapping: Hosts that are asked elsewhere where they are asked at all:
  ///     `["api.example.com": "http://127.0.0.1:8000"]`. On the tape they keep their names.
  ///   - isProxied: Whether requests come through a forward proxy: it passes others, and a failed
  ///     connection is the proxy's, which answers 502.
  ///   - passesOthers: Whether requests to hosts that are nowhere on the cassette go there, in the
  ///     weather and unrecorded; with an empty cassette that is weather over live traffic.
  ///   - recordingJournal: Where each interaction is noted as soon as it is complete, so that what
  ///     ends the process does not take the recording with it.
  ///   - observe: Told of each decision while it is made, under the deck's lock: it must be quick
  ///     and must not call the deck.
  ///   - follow: Told how far a request and its answer have come, on the thread that carries them. Of
  ///     connections nothing is told.
  ///   - now: Tells the time, where dates in recorded answers shall be moved by as much as has gone by
  ///     since (``Interaction/refreshingDates(at:)``). What is dealt does not depend on it.
  public init(
    _ cassette: Cassette,
    scenario: Scenario = .calm,
    seed: UInt64 = 1,
    matcher: Matcher = .url,
    then: EndPolicy = .fail,
    pace: Pace = .immediately,
    mode: RecordMode = .none,
    redaction: RedactionRules = .standard,
    ignoring: [String] = [],
    mapping: [String: RequestURL] = [:],
    isProxied: Bool = false,
    passesOthers: Bool = false,
    recordingJournal: RecordingJournal? = nil,
    observe: (@Sendable (Journal.Entry) -> Void)? = nil,
    follow: (@Sendable (Outcome, Milestone) -> Void)? = nil,
    refreshingDates now: (@Sendable () -> Date)? = nil
  ) {
    (self.observe, self.follow) = (observe, follow)
    self.recordingJournal = recordingJournal
    (self.redaction, self.pace, today) = (redaction, pace, now)
    recordingJournal?.begin(after: cassette, redaction, rewrites: mode == .rewrite)
    let state = State(
      Tape(cassette.interactions),
      notes: cassette.notes,
      scenario: scenario,
      seed: seed,
      matcher: matcher,
      then: then,
      mode: mode,
      routes: LiveRoutes(ignoring: ignoring, mapping: mapping),
      isProxied: isProxied,
      passesOthers: passesOthers
    )
    front = Locked(state.front)
    self.state = Locked(state)
  }

  /// Loads a deck with answers written by hand.
  public init(
    _ stubs: [Stub],
    scenario: Scenario = .calm,
    seed: UInt64 = 1,
    matcher: Matcher = .url,
    then: EndPolicy = .fail,
    pace: Pace = .immediately
  ) {
    (observe, follow) = (nil, nil)
    recordingJournal = nil
    (redaction, self.pace, today) = (.standard, pace, nil)
    let state = State(
      Tape(stubs),
      scenario: scenario,
      seed: seed,
      matcher: matcher,
      then: then,
      mode: .none
    )
    front = Locked(state.front)
    self.state = Locked(state)
  }

  /// Decides what a connection meets before there is a request on it; `Delivery.nothing` where it
  /// simply goes on.
  ///
  /// The caller says what time it is, for the rules that follow the clock: the first moment that is
  /// told in a scenario is its beginning, and who tells none is always there.
  public func open(lane: Lane, on stage: Stage, at now: Date? = nil) -> Delivery {
    openConnection(lane: lane, on: stage, at: now).delivery
  }

  /// The same with the path of the connection; `nil` where there is no link.
  package func openConnection(
    lane: Lane,
    on stage: Stage,
    at now: Date? = nil
  ) -> (delivery: Delivery, path: LinkPath?) {
    let (decision, path) = state.withLock { state -> (Decision, LinkPath?) in
      let entry = state.open(lane: lane, at: now)
      observe?(entry)
      // What its request's connection takes of a rate that is shared it does not take twice.
      var path = state.path(entry.decision)
      path?.shared = nil
      return (entry.decision, path)
    }
    return (decision.faults.isEmpty ? .nothing : Delivery(decision, on: stage), path)
  }

  /// Decides under the lock, and tells of it there.
  func tell<Result: Sendable>(_ decide: (inout State) -> (Journal.Entry, Result)) -> Result {
    state.withLock { state in
      let (entry, result) = decide(&state)
      observe?(entry)
      return result
    }
  }

  /// How many explanations of misses are kept.
  static let missesMax = 100
}
