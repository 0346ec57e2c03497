/// Names a recorded answer that nothing bends: whoever asks for it by GET, and not for a part of it,
/// is answered by the very same bytes.
package struct PlainAnswer: Sendable, Hashable {
  /// Which of a deck's tapes it is on, in the order in which they were loaded.
  package var tape: Int
  /// Its place on that.
  package var place: Int
}

/// What a courier put together for plain answers, to be sent again as it is.
package struct PlainAnswers<Prepared> {
  // Inlinable, all that uses them: a generic call into another module costs a request several times
  // what it does.
  @usableFromInline var tape = 0
  @usableFromInline var answers: [Prepared?] = []
  @usableFromInline var bytes = 0
  @usableFromInline let bytesMax: Int

  /// What is prepared for more than so many bytes is put together each time anew.
  package static var bytesMaxDefault: Int { 32 << 20 }

  /// Begins with none.
  package init(bytesMax: Int = Self.bytesMaxDefault) { self.bytesMax = bytesMax }

  /// What was kept of an answer.
  @inlinable package subscript(plain: PlainAnswer) -> Prepared? {
    guard plain.tape == tape, plain.place < answers.count else { return nil }
    return answers[plain.place]
  }

  /// Keeps what takes so many bytes; what is of an older tape goes.
  @inlinable package mutating func keep(
    _ prepared: Prepared,
    of plain: PlainAnswer,
    weighing weight: Int
  ) {
    if plain.tape != tape { (tape, answers, bytes) = (plain.tape, [], 0) }
    // Mostly by one, since tapes are played in their order.
    while answers.count <= plain.place { answers.append(nil) }
    // One in place of another takes no more room, or little.
    let isNew = answers[plain.place] == nil
    guard !isNew || bytes + weight <= bytesMax else { return }
    if isNew { bytes += weight }
    answers[plain.place] = prepared
  }
}

extension PlainAnswers: Sendable where Prepared: Sendable {}
