/// Whether a deck plays, records or both.
public enum RecordMode: String, Sendable, Hashable, CaseIterable {
  /// Plays what is recorded and never asks the origin.
  case none
  /// Records everything where the cassette is empty, else plays.
  case once
  /// Plays what is recorded and records the rest.
  case newEpisodes = "new-episodes"
  /// Records everything anew.
  case rewrite
}
