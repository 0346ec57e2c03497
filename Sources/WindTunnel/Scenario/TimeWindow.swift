/// A time of a scenario, counted from the first connection or request that was decided in it, by the
/// clock of whoever asks the deck.
public struct TimeWindow: Sendable, Hashable {
  /// When it begins.
  public var start: Duration
  /// When it is over; `nil`: never. That moment is not in it.
  public var end: Duration?

  /// Makes a window.
  public init(from start: Duration = .zero, until end: Duration? = nil) {
    (self.start, self.end) = (start, end)
  }

  /// Whether a moment of the scenario is in it.
  func contains(_ elapsed: Duration) -> Bool {
    elapsed >= start && end.map { elapsed < $0 } != false
  }
}

extension Scenario {
  /// When the last of its time windows that end is over.
  package var lastWindowEnd: Duration? { rules.compactMap { $0.trigger.window?.end }.max() }
}
