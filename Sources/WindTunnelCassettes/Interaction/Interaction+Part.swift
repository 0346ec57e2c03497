internal import WindTunnelSymptoms

extension Interaction {
  private static let reason = "the recording was ended before it"
  /// The end of a response that still came when a recording was ended: no fault of the origin.
  package static let cut = Failure(.cancelled, text: reason)
  /// The note of a conversation that still went on then.
  package static let incomplete = JSON.Member("_incomplete", .text(reason))

  /// Whether a recording was ended before the exchange, so that only a part of it is there.
  package var isPart: Bool { failure == Self.cut || notes.contains(Self.incomplete) }

  /// The request by all that a recorder tells requests apart by, whatever its secrets are called.
  fileprivate var question: Request {
    var question = Interaction(request, .failure(Self.cut)).renumbered { _ in 1 }.request
    question.headers = [:]
    return question
  }
}

extension [Interaction] {
  /// Removes parts of what others were asked, too.
  package mutating func removeParts(beside others: [Interaction]) {
    guard !others.isEmpty, contains(where: \.isPart) else { return }
    let questions = Set(others.map(\.question))
    removeAll { $0.isPart && questions.contains($0.question) }
  }
}

extension Cassette {
  /// The number of parts that it has more than another.
  package func newParts(beside old: Cassette) -> Int {
    max(0, interactions.count(where: \.isPart) - old.interactions.count(where: \.isPart))
  }
}
