internal import Foundation

/// The requests without a recording, with the reasons.
struct MissedRequests: Sendable {
  private static let countMax = 100

  /// The reasons why requests had no recording, in the order in which they were found.
  private(set) var all: [Mismatch] = []
  /// The number of times that each recording was played in the unnamed lane, by its index.
  private var plays: [Int] = []

  /// Keeps a mismatch, up to a maximum; only the first ones are useful.
  mutating func keep(_ mismatch: Mismatch) {
    if all.count < Self.countMax { all.append(mismatch) }
  }

  /// Keeps a mismatch, with the number of times that similar recordings were played in the unnamed
  /// lane.
  mutating func keepCounted(_ mismatch: Mismatch) -> Mismatch {
    var mismatch = mismatch
    for index in mismatch.candidates.indices {
      let place = mismatch.candidates[index].number - 1
      mismatch.candidates[index].played = place < plays.count ? plays[place] : 0
    }
    keep(mismatch)
    return mismatch
  }

  /// Counts that a recording of the cassette was played in the unnamed lane.
  mutating func countPlay(of place: Int, among count: Int) {
    if place >= plays.count { plays += Array(repeating: 0, count: count - plays.count) }
    plays[place] += 1
  }
}
