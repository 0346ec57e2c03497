/// A mode in which a deck plays, records or both, or is compared with the live origin.
public enum RecordMode: String, Sendable, Hashable, CaseIterable {
  /// Plays recordings and never contacts the origin.
  case none
  /// Records everything if the cassette is empty, otherwise plays.
  case once
  /// Plays each recording once and records the other requests. New recordings are not played in the
  /// same run.
  case newEpisodes = "new-episodes"
  /// Records everything again, regardless of the cassette's contents.
  case rewrite
  /// Compares the live origin's responses with the recorded ones.
  ///
  /// A deck in this mode plays; the comparison is done outside the deck.
  case verify

  /// Creates a mode from its name; `all` is another name of ``rewrite``.
  public init?(name: String) { self.init(rawValue: name == "all" ? "rewrite" : name) }

  /// The names of all modes, in order.
  public static let names = allCases.map(\.rawValue)
}
