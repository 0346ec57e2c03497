internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The times at which the calls of a drill begin.
public enum Load: Sendable, Hashable {
  /// Calls at times that the seed fixes, a number a second on average, whether or not those before
  /// them have ended. A call's latency counts from its intended start, so that a slow client cannot
  /// hide it by calling less often (coordinated omission).
  case openLoop(callsPerSecond: Double)
  /// A number of concurrent calls: the next one begins when one has ended. A report says so, since
  /// a slow client makes fewer calls and its percentiles flatter it.
  case closedLoop(concurrency: Int)

  /// The load of fifty calls a second.
  public static let standard = openLoop(callsPerSecond: 50)
  /// The load for external programs: at most ten calls a second, since each starts a program, which
  /// takes a core some time.
  public static let programs = openLoop(callsPerSecond: 10)

  /// The load for a program that is started once: one call after the other. The program reads a
  /// line, calls and answers, and a line that is written to it meanwhile would seem to take long.
  public static let service = closedLoop(concurrency: 1)

  /// The greatest number of calls in flight at once; a call that has to wait for others is late,
  /// and its latency shows it.
  public static let inAirMax = 1024
  /// The greatest number of calls a second of an open loop.
  public static let callsPerSecondMax = 10_000.0

  /// Returns the same with no more calls a second than a scenario wants; a closed loop has them at
  /// once, and whoever runs it waits between them.
  func atMost(_ callsPerSecond: Double?) -> Load {
    guard case .openLoop(let rate) = self, let callsPerSecond else { return self }
    return .openLoop(callsPerSecond: min(rate, callsPerSecond))
  }

  /// In the words of a report.
  var words: String {
    switch self {
    case .openLoop(let rate):
      let text = rate == rate.rounded() ? String(Int(rate)) : String(rate)
      return "open loop, \(text) calls a second"
    case .closedLoop(let concurrency): return "closed loop, \(concurrency) at once"
    }
  }

  /// The reason why no drill can have this load, in a sentence; `nil` where one can.
  var flaw: String? {
    switch self {
    case .openLoop(let rate) where !(rate > 0 && rate <= Self.callsPerSecondMax):
      "\(rate) calls a second: it is more than 0 and at most \(Int(Self.callsPerSecondMax))."
    case .closedLoop(let concurrency) where !(1...Self.inAirMax).contains(concurrency):
      "\(concurrency) calls at once: there can be 1 to \(Self.inAirMax)."
    case .openLoop, .closedLoop: nil
    }
  }
}

extension Load: Codable {}

/// The moments at which the calls of an open loop are meant to begin: a Poisson process whose gaps
/// are drawn by call number, so every shard, subject and scenario has the same.
struct ArrivalProcess: Sendable {
  /// The offsets in nanoseconds, by call.
  private let offsets: [Int64]

  /// - Parameters:
  ///   - seed: What the draws start from.
  ///   - callsPerSecond: How many calls begin in a second on average.
  ///   - count: How many calls there are.
  init(seed: UInt64, callsPerSecond: Double, count: Int) {
    let draws = Draws(seed: seed, key: "departures")
    var offset = 0.0
    offsets = (0..<count).map { call in
      defer { offset += -log(1 - draws.unit(call)) / callsPerSecond }
      return Int64(offset * 1e9)
    }
  }

  /// Returns the moment at which a call is meant to begin, counted from the beginning of the drill;
  /// the first one does at once.
  func offset(of call: Int) -> Duration { .nanoseconds(offsets[call]) }
}

/// The gaps between the beginnings of calls in a closed loop. What is late is not made up for:
/// calls that waited for the end of an outage would begin all at once behind it, which their client
/// has not done.
struct Pace: Sendable {
  private let gap: Duration?
  private let next = Locked<ContinuousClock.Instant?>(nil)

  /// Makes a pace of at most this many calls a second; `nil`: they follow each other at once.
  init(callsPerSecond: Double?) { gap = callsPerSecond.map { .seconds(1 / $0) } }

  /// Waits for the moment at which the next call may begin.
  func wait() async {
    guard gap != nil else { return }
    // Only a cancellation ends it early, and whoever makes the calls sees that.
    try? await Task.sleep(until: moment(after: .now), tolerance: .zero, clock: .continuous)
  }

  /// Returns the moment at which a call may begin whose turn it is at another.
  func moment(after turn: ContinuousClock.Instant) -> ContinuousClock.Instant {
    guard let gap else { return turn }
    return next.withLock { next in
      let moment = max(next ?? turn, turn)
      next = moment + gap
      return moment
    }
  }
}
