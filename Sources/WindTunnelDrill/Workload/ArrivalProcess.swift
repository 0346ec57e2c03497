internal import Foundation
internal import WindTunnel

/// The moments at which the calls of an open loop are meant to begin: a Poisson process whose gaps
/// are drawn by call number, so every shard, subject and scenario has the same.
struct ArrivalProcess: Sendable {
  private let offsets: [Duration]

  /// - Parameters:
  ///   - seed: What the draws start from.
  ///   - callsPerSecond: How many calls begin in a second on average.
  ///   - count: How many calls there are.
  init(seed: UInt64, callsPerSecond: Double, count: Int) {
    let draws = Draws(
      seed: seed,
      scenario: "",
      lane: .deck,
      key: "departures",
      ordinal: 0,
      rule: ""
    )
    var offset = 0.0
    offsets = (0..<count).map { call in
      defer { offset += -log(1 - draws.unit(call)) / callsPerSecond }
      return .nanoseconds(Int64(offset * 1e9))
    }
  }

  /// When a call is meant to begin, counted from the beginning of the drill; the first one does at
  /// once.
  func offset(of call: Int) -> Duration { offsets[call] }
}
