internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine
@_spi(WindTunnel) internal import WindTunnelCore

/// A drill under way that SIGINT and SIGTERM stop: no further call begins, its processes end with
/// every program that they have started, and there is a report of the calls that had ended. A
/// second signal ends this process at once.
struct InterruptibleFlight {
  let plan: DrillPlan

  /// The way in which a drill ended.
  struct End: Sendable {
    var report: Report
    var part: ProcessDrill.Flown.Part?
    /// The signal that stopped it; `nil` where it came to its end.
    var signal: StopSignal?
  }

  /// Flies, and comes back when no process of the drill's is left.
  func run(_ run: @escaping @Sendable () async throws -> ProcessDrill.Flown) async throws -> End {
    let interruption = Interruption()
    let flight = Task { try await run() }
    let signal = Locked<Int32?>(nil)
    let watch = Task {
      // Nobody interrupted; the drill is over.
      guard let number = await interruption.wait() else { return }
      signal.withLock { $0 = number }
      flight.cancel()
    }
    let result = await flight.result
    watch.cancel()
    let stop = signal.withLock { $0 }.map { StopSignal(number: $0) }
    do {
      let flown = try result.get()
      // One that came behind the last call came too late to interrupt anything.
      return End(report: flown.report, part: flown.part, signal: flown.part == nil ? nil : stop)
    } catch is CancellationError {
      // Nothing of it had begun.
      return End(report: plan.report([]), signal: stop)
    }
  }
}

/// The signal that a drill was stopped by.
struct StopSignal: Sendable {
  let number: Int32

  var code: ExitCode { number == SIGTERM ? .terminated : .interrupted }

  /// Says in a sentence how far the drill came, and what is written.
  func words(_ part: ProcessDrill.Flown.Part?, _ files: [String]) -> String {
    let end = number == SIGTERM ? "Told to end" : "Interrupted"
    if let part, part.calls > 0 { return "\(end) \(part.words): the report is of these alone." }
    let verb = files.count == 1 ? "is" : "are"
    let lost =
      files.isEmpty
      ? "there is nothing to report" : "\(files.joined(separator: ", ")) \(verb) not written"
    return "\(end) before a call had ended: \(lost)."
  }
}
