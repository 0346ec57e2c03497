internal import Foundation
internal import WindTunnelNetworkLayer

/// The state of a dial test in progress: the results of each server, and how long to wait.
///
/// As soon as one server is measured, the test waits for another only while that can still be
/// chosen. A server cannot be chosen if enough of its probes were slow to make its median too slow.
/// It is also given up if one probe takes several times as long as its median may be.
struct DialRace: Sendable {
  /// The maximum wait for a single probe, as a multiple of the time to beat.
  ///
  /// A first probe also opens its connection, which takes up to four round trips with TCP and TLS.
  static let patienceFactor = 4

  /// One server in the test.
  private struct Runner {
    var found: DialRecord.Candidate
    /// The time at which the current probe was sent; `nil` if there is none.
    var sent: Duration?
    var isOver = false

    /// The number of failed probes.
    var failures: Int {
      found.requests - found.samples.count - (sent == nil ? 0 : 1)
    }
  }

  private var runners: [Runner]
  private let samples: Int
  private let margin: Double
  private let patience: Duration
  /// The index of the previous server, which only a faster one can replace.
  private let current: Int?

  /// Creates the state before the first probe; `current` is the previous server.
  init(_ candidates: [URL], samples: Int, margin: Double, patience: Duration, from current: URL?) {
    runners = candidates.map { Runner(found: DialRecord.Candidate($0)) }
    (self.samples, self.margin, self.patience) = (samples, margin, patience)
    self.current = candidates.firstIndex { $0 == current ?? candidates.first }
  }

  /// The servers with their results, in the given order.
  var candidates: [DialRecord.Candidate] { runners.map(\.found) }

  /// Whether no further result is expected.
  var isOver: Bool { runners.allSatisfy(\.isOver) }

  /// Records the results of a server so far.
  ///
  /// - Parameters:
  ///   - found: The server with its probes.
  ///   - place: Its index among the given servers.
  ///   - sent: The time at which the current probe was sent; `nil` if the server is finished.
  mutating func note(_ found: DialRecord.Candidate, at place: Int, sent: Duration?) {
    let before = runners[place].found
    (runners[place].found, runners[place].sent) = (found, sent)
    runners[place].isOver = sent == nil
    // The cancellation of a given-up probe is not the server's fault, but complete results count.
    guard before.slowerThan != nil, found.samples.count < samples else { return }
    runners[place].found.slowerThan = before.slowerThan
    runners[place].found.failure = before.failure
  }

  /// Marks the servers that are given up as slower. Their probes are not failures.
  mutating func leave() {
    for place in runners.indices where !runners[place].isOver {
      runners[place].found.slowerThan = bar(for: place)
    }
  }

  /// The time at which to stop waiting if no result arrives before.
  ///
  /// `nil` if a server can still be chosen, however long it takes.
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

  /// Returns the time below which a server's median must be for it to be chosen.
  ///
  /// `nil` if any median may still win.
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

  /// Returns whether a median cannot be below the limit any more, given the number of slow probes.
  private func isSettled(_ runner: Runner, slow: Int) -> Bool {
    let quick = samples - runner.failures - slow
    // The median of 2n or 2n + 1 samples has n samples below it.
    return quick <= (quick + slow) / 2
  }
}

extension Duration {
  /// The duration rounded up to whole nanoseconds, the resolution of clocks.
  fileprivate var inWholeNanoseconds: Duration {
    let (seconds, attoseconds) = components
    let nanosecond: Int64 = 1_000_000_000
    return .seconds(seconds) + .nanoseconds((attoseconds + nanosecond - 1) / nanosecond)
  }
}
