// Large interactions. Their secrets are looked for outside the lock, so that whoever writes a small one
// down does not wait for them.

extension RecordingJournal {
  /// What has larger bodies is looked through outside the lock.
  static let lockedBytesMax = 64 << 10
  /// How often an interaction is looked through anew since others have taught secrets meanwhile that it
  /// may repeat.
  private static let attemptsMax = 3

  /// Writes a large interaction down.
  func appendApart(_ interaction: Interaction, order: Int) {
    for _ in 0..<Self.attemptsMax {
      guard let start = state.withLock({ $0.beginning }) else { return }
      var redaction = start.redaction
      let kept = redaction.redact([interaction])
      let ordinals = state.withLock { $0.adopt(redaction, since: start.redaction) }
      let lines = kept.map { line in
        ordinals.isEmpty ? line : line.renumbered { ordinals[$0] ?? $0.ordinal }
      }
      let filters = lines.map { GramFilter($0) }
      let own = Set(redaction.takeLearned())
      let isDone = state.withLock { state in
        let words = state.learned.dropFirst(start.learnedCount).filter { !own.contains($0) }
        if filters.contains(where: { words.contains(where: $0.mayContain) }) { return false }
        state.attempt { state in
          for line in lines { try state.write(line, order: order) }
        }
        return true
      }
      if isDone { return }
    }
    // There is no end of what others teach.
    state.withLock { state in
      state.attempt { try $0.append(interaction, order: order) }
    }
  }
}

extension RecordingJournal.State {
  /// What a look at an interaction outside the lock starts from; `nil` where nothing is written any
  /// more.
  fileprivate var beginning: (redaction: Redaction, learnedCount: Int)? {
    problem == nil && page != nil ? (redaction, learned.count) : nil
  }

  /// Takes over what was found out outside the lock, and overwrites what repeats a secret of it.
  ///
  /// - Returns: The ordinals that others have given away since, and what they are instead.
  fileprivate mutating func adopt(
    _ found: Redaction,
    since start: Redaction
  ) -> [Pseudonym: Int] {
    let ordinals = redaction.adopt(found, since: start)
    attempt { try $0.replaceEchoes() }
    return ordinals
  }

  fileprivate mutating func attempt(_ body: (inout Self) throws -> Void) {
    guard problem == nil, page != nil else { return }
    do { try body(&self) } catch { problem = error }
  }
}
