extension Deck {
  /// Everything that is on the cassette and what was recorded since, in the order of the requests
  /// and without secrets; what cannot be looked into or rewritten is left out, and named. An
  /// interaction that was recorded anew and differs in volatile parts alone is the old one.
  ///
  /// - Parameter names: Header fields that change from one recording to the next, beside those that
  ///   always do.
  /// - Returns: The cassette, and what was left out, in words.
  public func recorded(volatile names: [String] = []) -> (cassette: Cassette, leftOut: [String]) {
    recorded(onto: state.withLock { $0.keptCassette }, volatile: names)
  }

  /// The same, with the numbers of the requests that are new on it, which are its last ones.
  package func numbered(
    volatile names: [String] = []
  ) -> (cassette: Cassette, orders: [Int], leftOut: [String]) {
    numbered(onto: state.withLock { $0.keptCassette }, volatile: names)
  }

  /// Whether anything was recorded.
  package var hasRecorded: Bool { state.withLock { !$0.recording.isEmpty } }

  /// Whether all that was recorded is connections that were refused: the origin is not there, and a
  /// tape of that is nobody's wish, least of all in place of a good one.
  package var recordedRefusalsAlone: Bool {
    state.withLock { state in
      !state.recording.isEmpty && state.recording.values.allSatisfy(\.isRefused)
    }
  }

  /// Keeps connections that were refused off the tape, and tells whose: `GET http://a.example`,
  /// without path and query, which may hold a secret.
  @discardableResult
  package func forgetRefusals() -> [String] {
    state.withLock { state in
      let refused = state.recording.filter(\.value.isRefused).sorted { $0.key < $1.key }
      for (order, _) in refused { state.recording[order] = nil }
      return refused.map { "\($0.value.request.method) \($0.value.request.url.origin ?? "")" }
    }
  }

  /// What was recorded, added to another cassette than the deck's own: the one that stands in the
  /// file by now.
  package func recorded(
    onto cassette: Cassette,
    volatile names: [String] = []
  ) -> (cassette: Cassette, leftOut: [String]) {
    let (cassette, _, leftOut) = numbered(onto: cassette, volatile: names)
    return (cassette, leftOut)
  }

  private func numbered(
    onto cassette: Cassette,
    volatile names: [String]
  ) -> (cassette: Cassette, orders: [Int], leftOut: [String]) {
    var cassette = cassette
    let (new, old) = state.withLock { state in
      (state.recording.sorted { $0.key < $1.key }, state.replacedInteractions)
    }
    var redaction = Redaction(continuing: cassette.interactions, rules: redaction)
    let redacted = redaction.redact(new.map(\.value))
    cassette.interactions += Rerecording.keepingOld(
      old,
      under: redacted,
      volatile: Set(names.map { $0.lowercased() })
    )
    return (cassette, redaction.keptPlaces.map { new[$0].key }, redaction.leftOut)
  }
}
