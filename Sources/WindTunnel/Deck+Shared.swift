package import Foundation

extension Deck {
  /// What was recorded, put onto the cassette that stands in the file by now and that others may have
  /// written onto since.
  ///
  /// A deck that records everything anew replaces what it was asked for and nothing else
  /// (``RerecordingMerge``); any other adds.
  ///
  /// - Parameters:
  ///   - cassette: What stands in the file.
  ///   - then: What is played when the recordings of a request are used up.
  ///   - keepsOrder: Whether what was asked for is to stand in the order in which it was.
  ///   - date: What recordings bear as their day; `nil`: none.
  ///   - claims: What was recorded onto the cassette before, in the same run.
  /// - Returns: The cassette, what could not be kept, in words, and what was recorded in this run by
  ///   now.
  package func recorded(
    into cassette: Cassette,
    then: EndPolicy,
    keepsOrder: Bool = false,
    on date: Date? = nil,
    beside claims: RunRecordings = RunRecordings()
  ) -> (cassette: Cassette, leftOut: [String], claims: RunRecordings) {
    let (recorded, isAnew) = state.withLock { state in
      (state.recording.sorted { $0.key < $1.key }.map(\.value), state.recordsAnew)
    }
    var redaction = Redaction(continuing: cassette.interactions, rules: redaction)
    var new = redaction.redact(recorded)
    let day = date.map(Cassette.day)
    var (cassette, claims) = (cassette, claims)
    if isAnew {
      let rule = ReplacedPlaces.Rule.played(by: matcher, then: then)
      let replacing = RerecordingMerge(rule: rule, keepsOrder: keepsOrder, day: day)
      cassette.interactions = replacing(new, in: cassette.interactions, beside: &claims)
    } else {
      if let day { for index in new.indices { new[index].recordedAt = day } }
      cassette.interactions += new
      claims.add(new)
    }
    return (cassette, redaction.leftOut, claims)
  }
}
