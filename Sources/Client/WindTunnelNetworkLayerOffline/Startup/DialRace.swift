internal import Foundation
internal import WindTunnelNetworkLayer

/// The state of a dial test while probes are out: what has come of each server, and until when the
/// others are waited for.
///
/// As soon as one server is measured, another is waited for only while it can still be chosen. It
/// cannot where as many of its probes as make its median took too long, and it is taken not to be
/// able to where one takes several times as long as its median may be.
struct DialRace: Sendable {
  /// The multiple of the time to beat for which a single probe is waited for. A first one also
  /// makes its connection, which by TCP and TLS takes up to four round trips.
  static let patienceFactor = 4

  /// One server in the race.
  private struct Runner {
    var found: DialRecord.Candidate
    /// The time at which the probe that is out was sent; `nil` where none is.
    var sent: Duration?
    var isOver = false

    /// The number of probes that have failed.
    var failures: Int {
      found.requests - found.samples.count - (sent == nil ? 0 : 1)
    }
  }

  private var runners: [Runner]
  private let samples: Int
  private let margin: Double
  private let patience: Duration
  /// The place of the server that is left for a faster one only.
  private let current: Int?

  /// Makes a race in which nothing was sent yet; `current` is the server of before.
  init(_ candidates: [URL], samples: Int, margin: Double, patience: Duration, from current: URL?) {
    runners = candidates.map { Runner(found: DialRecord.Candidate($0)) }
    (self.samples, self.margin, self.patience) = (samples, margin, patience)
    self.current = candidates.firstIndex { $0 == current ?? candidates.first }
  }

  /// The servers with what was found of them, in the order in which they were given.
  var candidates: [DialRecord.Candidate] { runners.map(\.found) }

  /// Tells whether nothing more is to come.
  var isOver: Bool { runners.allSatisfy(\.isOver) }

  /// Takes what was found of a server so far.
  ///
  /// - Parameters:
  ///   - found: The server with its probes.
  ///   - place: Its place among those that were given.
  ///   - sent: The time at which the probe that is out was sent; `nil`: it is over.
  mutating func note(_ found: DialRecord.Candidate, at place: Int, sent: Duration?) {
    let before = runners[place].found
    (runners[place].found, runners[place].sent) = (found, sent)
    runners[place].isOver = sent == nil
    // That its probe was given up is nothing that it did; what came meanwhile counts.
    guard before.slowerThan != nil, found.samples.count < samples else { return }
    runners[place].found.slowerThan = before.slowerThan
    runners[place].found.failure = before.failure
  }

  /// Marks the servers that are not waited for any more: their probes are no failures.
  mutating func leave() {
    for place in runners.indices where !runners[place].isOver {
      runners[place].found.slowerThan = bar(for: place)
    }
  }

  /// The time from which on nobody is waited for, if nothing comes before it; `nil` where a server
  /// may yet be chosen, however long it takes.
  var end: Duration? {
    var end = Duration.zero
    for place in runners.indices where !runners[place].isOver {
      guard let bar = bar(for: place), let its = self.end(of: runners[place], above: bar) else {
        return nil
      }
      end = max(end, its)
    }
    return end
  }

  /// Returns the time below which a server's median has to be for it to be chosen; `nil` where it
  /// may have any.
  private func bar(for place: Int) -> Duration? {
    guard let best = runners.filter(\.isOver).compactMap(\.found.median).min() else { return nil }
    if place == current { return margin < 1 ? (best / (1 - margin)).inWholeNanoseconds : nil }
    guard let current, runners[current].isOver, let time = runners[current].found.median else {
      return best
    }
    return min(best, (time * (1 - margin)).inWholeNanoseconds)
  }

  private func end(of runner: Runner, above bar: Duration) -> Duration? {
    guard let sent = runner.sent else { return nil }
    let slow = runner.found.samples.count { $0 >= bar }
    let time =
      if isSettled(runner, slow: slow) {
        Duration.zero
      } else if isSettled(runner, slow: slow + 1) {
        bar
      } else {
        bar * Self.patienceFactor
      }
    return sent + max(patience, time)
  }

  /// Tells whether a median cannot be below the bar any more, with so many probes above it.
  private func isSettled(_ runner: Runner, slow: Int) -> Bool {
    let quick = samples - runner.failures - slow
    // The median of 2n or of 2n + 1 samples has n below it.
    return quick <= (quick + slow) / 2
  }
}

extension Duration {
  /// The next length of whole nanoseconds, which is what clocks tell.
  fileprivate var inWholeNanoseconds: Duration {
    let (seconds, attoseconds) = components
    let nanosecond: Int64 = 1_000_000_000
    return .seconds(seconds) + .nanoseconds((attoseconds + nanosecond - 1) / nanosecond)
  }
}
