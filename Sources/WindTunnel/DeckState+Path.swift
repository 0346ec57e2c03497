extension Deck.State {
  /// The link and the fates of an outcome's packets; `nil` where there is no link.
  func path(_ decision: Decision) -> Outcome.Path? {
    scenario.link.map { link in
      let draws = { (direction: String) in
        Draws(
          seed: seed,
          scenario: scenario.name,
          lane: decision.lane,
          key: decision.key,
          ordinal: decision.ordinal,
          rule: "link/\(direction)"
        )
      }
      return Outcome.Path(link: link, up: draws("up"), down: draws("down"))
    }
  }

  /// Counts an arrival of a key that is not told to end, and answers its ordinal.
  mutating func count(_ key: String, in lane: Lane) -> Int {
    arrivals.count(LaneKey(lane: lane, key: key))
  }
}
