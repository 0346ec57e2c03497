internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The times at which the calls of a drill begin.
public enum Load: Sendable, Hashable {
  /// Calls at times that the seed fixes, with an average rate. A call begins even if the previous
  /// calls have not ended. A call's latency counts from its intended start, so a slow client cannot
  /// hide its latency by calling less often (coordinated omission).
  case openLoop(callsPerSecond: Double)
  /// A number of concurrent calls: the next call begins when one has ended. The report states this,
  /// because a slow client makes fewer calls and its percentiles look better than they are.
  case closedLoop(concurrency: Int)

  /// The load of fifty calls a second.
  public static let standard = openLoop(callsPerSecond: 50)
  /// The load for external programs: at most ten calls a second, because each call starts a
  /// program, which uses a core for some time.
  public static let programs = openLoop(callsPerSecond: 10)

  /// The load for a program that is started once: one call after the other. The program reads a
  /// line, makes the call and reports the result. A line that is written in the meantime would
  /// appear to take long.
  public static let service = closedLoop(concurrency: 1)

  /// The maximum number of concurrent calls. A call that waits for others is late, and its latency
  /// includes the wait.
  public static let inAirMax = 1024
  /// The maximum number of calls per second of an open loop.
  public static let callsPerSecondMax = 10_000.0

  /// Returns the same load with at most a scenario's number of calls per second. A closed loop is
  /// unchanged; a `Pace` adds its pauses.
  func atMost(_ callsPerSecond: Double?) -> Load {
    guard case .openLoop(let rate) = self, let callsPerSecond else { return self }
    return .openLoop(callsPerSecond: min(rate, callsPerSecond))
  }

  /// The load as a report describes it.
  var words: String {
    switch self {
    case .openLoop(let rate):
      let text = rate == rate.rounded() ? String(Int(rate)) : String(rate)
      return "open loop, \(text) calls a second"
    case .closedLoop(let concurrency): return "closed loop, \(concurrency) at once"
    }
  }

  /// The reason why a drill cannot have this load, in a sentence, or `nil` if it can.
  var flaw: String? {
    switch self {
    case .openLoop(let rate) where !(rate > 0 && rate <= Self.callsPerSecondMax):
      "\(rate) calls per second: expected more than 0 and at most \(Int(Self.callsPerSecondMax))."
    case .closedLoop(let concurrency) where !(1...Self.inAirMax).contains(concurrency):
      "\(concurrency) calls at once: expected 1 to \(Self.inAirMax)."
    case .openLoop, .closedLoop: nil
    }
  }
}

extension Load: Codable {}

/// The moments at which the calls of an open loop are due: a Poisson process. Its gaps are drawn by
/// call number, so every shard, client and scenario has the same.
struct ArrivalProcess: Sendable {
  /// The offsets in nanoseconds, indexed by call.
  private let offsets: [Int64]

  /// Creates the process from a seed.
  ///
  /// - Parameters:
  ///   - seed: The seed of the draws.
  ///   - callsPerSecond: The average number of calls that begin in a second.
  ///   - count: The number of calls.
  init(seed: UInt64, callsPerSecond: Double, count: Int) {
    let draws = Draws(seed: seed, key: "departures")
    var offset = 0.0
    offsets = (0..<count).map { call in
      defer { offset += -log(1 - draws.unit(call)) / callsPerSecond }
      return Int64(offset * 1e9)
    }
  }

  /// Returns the moment at which a call is due, counted from the beginning of the drill. The first
  /// call is due at once.
  func offset(of call: Int) -> Duration { .nanoseconds(offsets[call]) }
}

/// The gaps between the beginnings of calls in a closed loop. Delays are not made up for. Otherwise
/// the calls that waited for the end of an outage would all begin at once afterwards, which is not
/// the client's behaviour.
struct Pace: Sendable {
  private let gap: Duration?
  private let next = Locked<ContinuousClock.Instant?>(nil)

  /// Creates a pace of at most a number of calls per second. `nil` means that calls follow each
  /// other without a gap.
  init(callsPerSecond: Double?) { gap = callsPerSecond.map { .seconds(1 / $0) } }

  /// Waits for the moment at which the next call may begin.
  func wait() async {
    guard gap != nil else { return }
    // Only a cancellation ends the wait early, and the caller checks for it.
    try? await Task.sleep(until: moment(after: .now), tolerance: .zero, clock: .continuous)
  }

  /// Returns the moment at which a call may begin if its turn is at another moment.
  func moment(after turn: ContinuousClock.Instant) -> ContinuousClock.Instant {
    guard let gap else { return turn }
    return next.withLock { next in
      let moment = max(next ?? turn, turn)
      next = moment + gap
      return moment
    }
  }
}
