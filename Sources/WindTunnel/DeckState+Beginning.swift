internal import Foundation

extension Deck {
  /// How a scenario began, which some rules count from.
  struct Beginning: Sendable {
    /// The first moment that was told in it.
    private var moment: Date?
    private var firstValues = FirstValues()

    /// What rules may ask beside the seed.
    mutating func circumstances(
      _ scenario: Scenario,
      of request: Request?,
      in lane: Lane,
      at now: Date?
    ) -> Circumstances {
      if moment == nil { moment = now }
      var circumstances = Circumstances()
      if let now, let moment {
        let milliseconds = min(now.timeIntervalSince(moment) * 1000, Self.longestMilliseconds)
        circumstances.elapsed = Duration(milliseconds: milliseconds)
      }
      if let request {
        circumstances.headers = request.headers
        circumstances.changed = firstValues.changed(scenario, request, in: lane)
      }
      return circumstances
    }

    /// A hundred years: a clock that tells more is no clock.
    private static let longestMilliseconds = 3.2e12
  }
}
