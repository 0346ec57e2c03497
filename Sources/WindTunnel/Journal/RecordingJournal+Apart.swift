// Large interactions. Their secrets are looked for outside the lock, so that whoever writes a small one
// down does not wait for them.

extension RecordingJournal {
  /// The size of bodies up to which an interaction is searched inside the lock.
  static let lockedBytesMax = 64 << 10
  /// The largest number of times that an interaction is searched, each time anew because others
  /// have meanwhile taught secrets that it may repeat.
  private static let attemptsMax = 3

  /// Writes a large interaction down; answers what does not stand in the journal for that.
  func appendApart(_ interaction: Interaction, order: Int) -> [Loss] {
    var losses: [Loss] = []
    for _ in 0..<Self.attemptsMax {
      guard let start = state.withLock({ $0.beginning }) else { return losses }
      var redaction = start.redaction
      let kept = redaction.redact([interaction])
      let (ordinals, lost) = state.withLock { $0.adopt(redaction, since: start.redaction) }
      losses += lost
      let lines = kept.map { line in
        ordinals.isEmpty ? line : line.renumbered { ordinals[$0] ?? $0.ordinal }
      }
      let filters = lines.map { NGramFilter($0) }
      let own = Set(redaction.takeLearned())
      let sought = redaction.pseudonyms.sought
      let written = state.withLock { state -> [Loss]? in
        let words = state.learned.dropFirst(start.learnedCount).filter { word in
          // What it has found by itself may be taken out in fewer places than others have found.
          !own.contains(word)
            || sought[word]?.reach != state.redaction.pseudonyms.sought[word]?.reach
        }
        if filters.contains(where: { words.contains(where: $0.mayContain) }) { return nil }
        return state.page == nil ? [] : state.write(lines, order: order)
      }
      if let written { return losses + written }
    }
    // There is no end of what others teach.
    return losses
      + state.withLock { $0.page == nil ? [] : $0.append(interaction, order: order) }
  }
}

extension RecordingJournal.State {
  /// The start of a look at an interaction outside the lock; `nil` where nothing is written any more.
  fileprivate var beginning: (redaction: Redaction, learnedCount: Int)? {
    page != nil ? (redaction, learned.count) : nil
  }

  /// Takes over what was found out outside the lock, and overwrites what repeats a secret of it.
  ///
  /// - Returns: The ordinals that others have given away since, and what they are instead; and what
  ///   does not stand in the journal any more.
  fileprivate mutating func adopt(
    _ found: Redaction,
    since start: Redaction
  ) -> (ordinals: [Pseudonym: Int], losses: [RecordingJournal.Loss]) {
    // The recording may have come to its end meanwhile.
    guard page != nil else { return ([:], []) }
    let ordinals = redaction.adopt(found, since: start)
    return (ordinals, write([], order: 0))
  }
}
