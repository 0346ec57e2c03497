internal import Foundation
internal import WindTunnel

/// How a test's cassette is played and recorded.
struct CassetteSettings: Sendable {
  /// What requests are compared by.
  var matcher: Matcher = .url
  /// What follows when the recordings of a request are used up.
  var then: EndPolicy = .fail
  /// How long recorded answers take.
  var pace: Pace = .immediately
  /// Whether dates in answers are moved by the time that has gone by since.
  var refreshesDates = false
  /// What a recording is written without, beside what it always is.
  var redaction: RedactionRules = .standard
  /// Hosts whose requests pass to them, unrecorded.
  var ignored: [String] = []
  /// Hosts that are asked elsewhere where they are asked at all.
  var mapping: [String: RequestURL] = [:]
  /// What must be true of the cassette at the end.
  var expectation: TapeExpectation = []

  /// Refuses what would lead nowhere.
  func check() throws {
    for (name, url) in mapping.sorted(by: { $0.key < $1.key }) where url.host == nil {
      throw CassetteProblem(
        "mapping: \(name) is to be asked at \(url), which names no host; "
          + "say it as [\"\(name)\": \"http://127.0.0.1:8000\"]."
      )
    }
  }

  /// A deck of a cassette; what is mapped was checked (``check()``).
  func deck(_ cassette: Cassette, _ mode: RecordMode, journal: RecordingJournal? = nil) -> Deck {
    let clock: @Sendable () -> Date = { Date() }
    return Deck(
      cassette,
      matcher: matcher,
      then: then,
      pace: pace,
      mode: mode,
      redaction: redaction,
      ignoring: ignored,
      mapping: mapping,
      recordingJournal: journal,
      refreshingDates: refreshesDates ? clock : nil
    )
  }
}
