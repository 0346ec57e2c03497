/// A mode in which a deck plays, records or both, or is compared with the live origin.
public enum RecordMode: String, Sendable, Hashable, CaseIterable {
  /// Plays what is recorded and never asks the origin.
  case none
  /// Records everything where the cassette is empty, else plays.
  case once
  /// Plays what is recorded, each recording once, and records the rest. New recordings are not
  /// played in the same run.
  case newEpisodes = "new-episodes"
  /// Records everything again, whatever is on the cassette.
  case rewrite
  /// Compares the live origin's answers with the recorded ones. A deck in this mode plays; the
  /// comparison is made beside it.
  case verify

  /// Makes a mode from its name; `all` is another name of ``rewrite``.
  public init?(name: String) { self.init(rawValue: name == "all" ? "rewrite" : name) }

  /// The names of all modes, in order.
  public static let names = allCases.map(\.rawValue)
}
