internal import Foundation
internal import WindTunnel

/// The settings of a test's cassette: playing, recording, and the expectation of it.
struct CassetteSettings: Sendable {
  /// The options by which it is played; recording depends on the machine that it is on.
  var options = PlaybackOptions()
  /// The demands on the cassette at the end.
  var expectation: CassetteExpectation = []

  /// The clock of a test whose recordings are played as if they were of today.
  static let today: @Sendable () -> Date = { Date() }

  /// Refuses what would lead nowhere.
  func check() throws {
    for (name, url) in options.mapping.sorted(by: { $0.key < $1.key }) where url.host == nil {
      throw CassetteProblem(
        "mapping: \(name) is to be asked at \(url), which names no host; "
          + "say it as [\"\(name)\": \"http://127.0.0.1:8000\"]."
      )
    }
  }

  /// A deck of a cassette; what is mapped was checked (``check()``).
  func deck(_ cassette: Cassette, _ mode: RecordMode, journal: RecordingJournal? = nil) -> Deck {
    var options = options
    options.mode = mode
    return Deck(cassette, options: options, recordingJournal: journal)
  }
}
