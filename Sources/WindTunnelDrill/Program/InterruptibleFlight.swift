internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine

/// A drill under way that SIGINT and SIGTERM end: its processes first, with every program that they have
/// started, and then itself.
struct InterruptibleFlight {
  let drill: ProcessDrill
  /// The files that are not written then.
  let files: [String]

  /// How a drill ended.
  enum End: Sendable {
    case flown(Report)
    case interrupted(ExitCode, String)
  }

  /// Flies, and comes back when no process of the drill's is left.
  func fly(progress: @escaping @Sendable (ProcessDrill.Progress) -> Void) async throws -> End {
    let (drill, flown) = (drill, Locked<[String]>([]))
    let interruption = Interruption()
    let flight = Task {
      try await drill.fly { step in
        if case .finished(let scenario, _) = step { flown.withLock { $0.append(scenario) } }
        progress(step)
      }
    }
    let signal = Locked<Int32?>(nil)
    let watch = Task {
      // Nobody interrupted; the drill is over.
      guard let number = await interruption.wait() else { return }
      signal.withLock { $0 = number }
      flight.cancel()
    }
    let result = await flight.result
    watch.cancel()
    // One that came behind the last call came too late to interrupt anything.
    if case .success(let report) = result { return .flown(report) }
    guard let number = signal.withLock({ $0 }) else { return .flown(try result.get()) }
    return .interrupted(
      number == SIGTERM ? .terminated : .interrupted,
      words(number, flown.withLock { $0 })
    )
  }

  /// One sentence: a part of a drill would pass for the whole, so none is written.
  private func words(_ signal: Int32, _ flown: [String]) -> String {
    let plan = drill.plan
    let done = plan.scenarios.count { scenario in
      flown.count { $0 == scenario.name } == plan.subjects.count
    }
    let end = signal == SIGTERM ? "Told to end" : "Interrupted"
    let lost =
      files.isEmpty ? "nothing is reported" : "\(files.joined(separator: ", ")) not written"
    return "\(end) after \(done) of \(plan.scenarios.count) scenarios: \(lost).\n"
  }
}
