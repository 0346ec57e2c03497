internal import Foundation
internal import WindTunnelCommandLine
@_spi(WindTunnel) internal import WindTunnelCore

/// A running drill that SIGINT and SIGTERM stop. No further call begins, its processes end with
/// every program that they have started, and the report has the calls that had ended. A second
/// signal ends this process at once.
struct InterruptibleFlight {
  let plan: DrillPlan

  /// The end of a drill: its report, and the signal if there was one.
  struct DrillEnd: Sendable {
    var report: Report
    var part: ProcessDrill.RunResult.Part?
    /// The signal that stopped the drill, or `nil` if it finished.
    var signal: StopSignal?
  }

  /// Runs the drill, and returns when none of its processes is left.
  func run(_ run: @escaping @Sendable () async throws -> ProcessDrill.RunResult) async throws
    -> DrillEnd
  {
    let (result, signal) = await Interruption.run(run)
    let stop = signal.map { StopSignal(number: $0) }
    do {
      let flown = try result.get()
      // A signal after the last call did not interrupt anything.
      let signal = flown.part == nil ? nil : stop
      return DrillEnd(report: flown.report, part: flown.part, signal: signal)
    } catch is CancellationError {
      // No call had begun.
      return DrillEnd(report: plan.report([]), signal: stop)
    }
  }
}

/// The signal that stopped a drill.
struct StopSignal: Sendable {
  let number: Int32

  var code: ExitCode { number == SIGTERM ? .terminated : .interrupted }

  /// Returns a sentence with the part of the drill that ran and the files that are written.
  func words(_ part: ProcessDrill.RunResult.Part?, _ files: [String]) -> String {
    let end = number == SIGTERM ? "Stopped" : "Interrupted"
    if let part, part.calls > 0 { return "\(end) \(part.words): the report covers only these." }
    let verb = files.count == 1 ? "is" : "are"
    let lost =
      files.isEmpty
      ? "there is nothing to report" : "\(files.joined(separator: ", ")) \(verb) not written"
    return "\(end) before a call had ended: \(lost)."
  }
}
