extension Deck {
  /// The interactions of the deck, in order.
  public var interactions: [Interaction] { state.withLock { $0.interactions } }

  /// Why requests were not answered, in the order in which that was found out; the first hundred.
  public var mismatches: [Mismatch] { state.withLock { $0.misses } }

  /// Remembers that a request was not answered, by a courier that could not ask for it.
  package func missed(_ request: Request) {
    let (front, interactions) = state.withLock { ($0.front, $0.interactions) }
    let mismatch = front.explanation(of: request, among: interactions)
    state.withLock { $0.missed(mismatch) }
  }

  /// What was decided so far.
  public var journal: Journal { state.withLock { $0.journal } }

  /// How often requests of a pattern came, such as `GET /users/7` or `* /users/**`.
  public func attempts(_ pattern: RequestPattern) -> Int {
    journal.count { entry in
      guard entry.take != .connection else { return false }
      let words = entry.decision.key.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count >= 2 else { return false }
      return pattern.matches(Request(words[0], RequestURL(words[1], askedBy: words[0])))
    }
  }

  /// The interactions that nobody has been given, in recorded order. Functions are none.
  public var unused: [Interaction] {
    let taken = Set(journal.plays)
    return state.withLock { $0.recordings }.enumerated().filter { !taken.contains($0.offset) }
      .compactMap(\.element)
  }

  /// What of an expectation does not hold by now.
  ///
  /// A deck that records everything anew plays nothing, so of its tape nothing is expected.
  public func unmet(_ expectation: TapeExpectation) -> [UnmetExpectation] {
    let (journal, tape, recordsAnew) = state.withLock {
      ($0.journal, $0.recordings, $0.recordsAnew)
    }
    let rules = expectation.contains(.everyRule) ? unmetRules : []
    return (recordsAnew ? [] : expectation.unmet(by: journal, of: tape))
      + rules.map { .unmetRule($0) }
  }

  /// The rules of the weather, as it is and as it was, that have met no request by now: misspelt, or
  /// no longer needed.
  public var unmetRules: [UnmetRule] {
    let (use, journal) = state.withLock { ($0.ruleUse, $0.journal) }
    return use.unmet(seen: journal.requests)
  }

  /// Whether requests to this address are none of the deck's affair.
  package func ignores(_ url: RequestURL) -> Bool { state.withLock { $0.routes.ignores(url) } }

  /// A lane for one more session of this deck.
  package func sessionLane() -> Lane {
    state.withLock { state in
      state.sessions += 1
      return Lane("session/\(state.sessions)")
    }
  }
}

extension Journal {
  /// The requests that came, each once, in the order in which they came first: `GET /get`.
  fileprivate var requests: [String] {
    var known: Set<String> = []
    return all.compactMap { entry in
      guard entry.take != .connection else { return nil }
      let words = entry.decision.key.split(separator: " ", maxSplits: 2).prefix(2)
      let request = words.joined(separator: " ")
      return known.insert(request).inserted ? request : nil
    }
  }

  /// The places of what was played, in the order in which it was.
  var plays: [Int] {
    all.compactMap { entry in
      guard case .recording(let place) = entry.take else { return nil }
      return place
    }
  }
}
