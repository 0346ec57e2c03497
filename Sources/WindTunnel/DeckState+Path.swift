extension Deck.State {
  /// The link and the fates of a connection's packets; `nil` where there is no link. An exchange has
  /// a connection of its own, so that nobody's reuse of connections changes what it meets.
  func path(_ decision: Decision) -> LinkPath? {
    scenario.link.map { link in
      LinkPath(
        link: link,
        draws: ConnectionDraws(
          seed: seed,
          scenario: scenario.name,
          lane: decision.lane,
          key: decision.key,
          ordinal: decision.ordinal
        ),
        shared: link.isShared ? shared : nil
      )
    }
  }

  /// Counts an arrival of a key that is not told to end, and answers its ordinal.
  mutating func count(_ key: Fingerprint, in lane: Lane) -> Int {
    arrivals.count(LaneKey(lane, key))
  }
}
