internal import Foundation

/// What a deck tells of requests that nothing answers.
struct MissedRequests: Sendable {
  private static let countMax = 100

  /// The reasons why nothing answered, in the order in which they were found out.
  private(set) var all: [Mismatch] = []
  /// The number of times that each recording was played in the unnamed lane, by its place.
  private var plays: [Int] = []

  /// Keeps a miss; beyond a bound only the first ones are worth reading.
  mutating func keep(_ mismatch: Mismatch) {
    if all.count < Self.countMax { all.append(mismatch) }
  }

  /// Keeps a miss, with how often what comes near was played in the unnamed lane.
  mutating func keepCounted(_ mismatch: Mismatch) -> Mismatch {
    var mismatch = mismatch
    for index in mismatch.candidates.indices {
      let place = mismatch.candidates[index].number - 1
      mismatch.candidates[index].played = place < plays.count ? plays[place] : 0
    }
    keep(mismatch)
    return mismatch
  }

  /// Counts that one of the recordings of a cassette was played in the unnamed lane.
  mutating func countPlay(of place: Int, among count: Int) {
    if place >= plays.count { plays += Array(repeating: 0, count: count - plays.count) }
    plays[place] += 1
  }
}
