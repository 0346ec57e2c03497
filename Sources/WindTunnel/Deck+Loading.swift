extension Deck {
  /// Takes the next tape, and other rules to compare requests by where there are any, between two
  /// requests.
  ///
  /// Answers that have begun end from the old tape. The new one is at its head for every lane:
  /// nothing of it was played, redactions stand for no value yet, and the journal begins anew,
  /// since its entries name places on the old tape. Ordinals go on, so the weather does not begin
  /// anew with each save. It is meant for a deck that plays.
  public func load(_ cassette: Cassette, matcher: Matcher? = nil) {
    let now = state.withLock { $0 }
    // The index takes its time; nobody has to wait for it.
    var next = State(
      Tape(cassette.interactions),
      notes: cassette.notes,
      scenario: now.scenario,
      seed: now.seed,
      matcher: matcher ?? now.front.matcher,
      then: now.then,
      mode: now.mode,
      routes: now.routes,
      isProxied: now.isProxied,
      passesOthers: now.passesOthers
    )
    state.withLock { state in
      next.goOn(from: state)
      state = next
    }
    front.withLock { $0 = next.front }
  }

  /// Begins anew: playheads, ordinals, what redactions stand for, the journal and the misses.
  /// Scenario and seed stay, and so does what was recorded.
  public func reset() {
    state.withLock { state in
      state.beginTape()
      state.arrivals = Arrivals()
      state.beginning = Deck.Beginning()
      state.ruleUse.begin()
    }
  }
}

extension Deck.State {
  /// Takes over what a new tape does not change.
  fileprivate mutating func goOn(from old: Deck.State) {
    (scenario, seed, sessions) = (old.scenario, old.seed, old.sessions)
    (recording, arrivals, nextID) = (old.recording, old.arrivals, old.nextID)
    tapeNumber = old.tapeNumber + 1
    beginning = old.beginning
    ruleUse = old.ruleUse
    unasked = old.unasked
  }

  fileprivate mutating func beginTape() {
    playhead = Playhead()
    bindings = Bindings()
    journal = Journal()
    plays = []
    misses = []
  }
}
