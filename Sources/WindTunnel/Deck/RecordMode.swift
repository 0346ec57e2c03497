/// The choice whether a deck plays, records or both, or is compared with the live origin.
public enum RecordMode: String, Sendable, Hashable, CaseIterable {
  /// Plays what is recorded and never asks the origin.
  case none
  /// Records everything where the cassette is empty, else plays.
  case once
  /// Plays what is recorded, each recording once, and records the rest. What was just recorded is
  /// not played in the same run.
  case newEpisodes = "new-episodes"
  /// Records everything anew, whatever is on the cassette.
  case rewrite
  /// Asks the origin for what is recorded and tells what differs. A deck of this mode plays: the
  /// asking is done beside it.
  case verify

  /// Reads a name; `all` is another one for ``rewrite``.
  public init?(name: String) { self.init(rawValue: name == "all" ? "rewrite" : name) }

  /// Every name, in order.
  public static let names = allCases.map(\.rawValue)
}
