extension Deck {
  /// How often requests of a pattern came, such as `GET /users/7` or `* /users/**`.
  public func attempts(_ pattern: RequestPattern) -> Int {
    journal.all.count { entry in
      guard entry.take != .connection else { return false }
      let words = entry.decision.key.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count >= 2 else { return false }
      return pattern.matches(Request(words[0], RequestURL(words[1])))
    }
  }

  /// The interactions that nobody has been given, in recorded order.
  public var unused: [Interaction] {
    var taken: Set<Int> = []
    for entry in journal.all {
      if case .recording(let place) = entry.take { taken.insert(place) }
    }
    return interactions.enumerated().filter { !taken.contains($0.offset) }.map(\.element)
  }
}
