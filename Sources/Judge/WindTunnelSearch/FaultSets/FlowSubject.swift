internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// A flow as the client of a drill with one call.
struct FlowSubject: Subject {
  let name: String
  let flow: SurroundedFlow
  let interruption: FaultSet.Interruption?
  let log: Locked<Log>

  /// The results that the flow reports itself.
  struct Log: Sendable {
    var mark: Int?
    var issues: [String] = []
    var steps: FlowSteps?
    /// The time at which the process started again.
    var restarted: Duration?
    /// The crash that ended the flow.
    var crash: Crash?
  }

  func run(_ call: DrillCall) async -> CallResult {
    // After a crash, the call never returns and counts as hung. This records the reason.
    VirtualTime.containCrashes { [log] crash in log.withLock { $0.crash = crash } }
    var call = call
    var breakingOff: FlowSteps.BreakingOff?
    if case .cancel(let step?, let after)? = interruption {
      breakingOff = FlowSteps.BreakingOff(step: step, after: after)
    }
    let steps = FlowSteps(breakingOff: breakingOff)
    call.steps = steps
    log.withLock { $0.steps = steps }
    if case .restart(let after)? = interruption { return await run(call, restartedAfter: after) }
    return await flyOnce(call)
  }

  /// Runs the flow until its process ends, and then again. It does not wait for the first process,
  /// because an ended process has no further effect.
  private func run(_ call: DrillCall, restartedAfter after: Duration) async -> CallResult {
    let done = Locked<FlowResult?>(nil)
    Task {
      let result = await flow.run(call)
      done.withLock { $0 = result }
    }
    // Only a cancelled search ends this wait early, and then the result is not used.
    try? await Task.sleep(for: after)
    if let result = done.withLock({ $0 }) { return note(result) }
    log.withLock { $0.restarted = after }
    flow.surroundings.processEnded()
    var next = call.restarted()
    next.steps = FlowSteps()
    defer { next.close() }
    return await flyOnce(next)
  }

  private func note(_ result: FlowResult) -> CallResult {
    log.withLock { log in
      log.mark = result.mark
      log.issues += result.issues
    }
    return result.asCall
  }

  private func flyOnce(_ call: DrillCall) async -> CallResult { note(await flow.run(call)) }
}

/// The result of a flow.
package struct FlowResult: Sendable {
  /// The result in the form that a drill uses.
  var asCall: CallResult
  /// A number that is equal for equal values in this process.
  var mark: Int
  /// The failures of the flow's own expectations.
  var issues: [String] = []
}

extension FlowResult {
  /// Runs a flow, and creates the result from its value or its error.
  init<Shown: Sendable>(
    of flow: @escaping @Sendable () async throws -> Shown,
    _ expectations: Expectations?
  ) async {
    guard let expectations else {
      self = await Self.result(of: flow)
      return
    }
    let caught = Locked<FlowResult?>(nil)
    let issues = await expectations.catching {
      let result = await Self.result(of: flow)
      caught.withLock { $0 = result }
    }
    self = caught.withLock { $0 } ?? FlowResult(asCall: .bad("it was not run"), mark: 0)
    self.issues = issues
  }

  private static func result<Shown: Sendable>(
    of flow: @Sendable () async throws -> Shown
  ) async -> FlowResult {
    do {
      let shown = try await flow()
      var hasher = Hasher()
      var asCall = ClosureSubject<Shown>.result(shown)
      if let data = shown as? Data {
        data.withUnsafeBytes { hasher.combine(bytes: $0) }
        // A flow's data is not the body of a single recording.
        asCall.body = nil
        asCall.isShown = !data.isEmpty
      } else if let value = shown as? any Hashable {
        // A set prints its members in any order.
        hasher.combine(AnyHashable(value))
      } else {
        hasher.combine(String(reflecting: shown))
      }
      return FlowResult(asCall: asCall, mark: hasher.finalize())
    } catch {
      return FlowResult(asCall: .bad(ClosureSubject<Void>.reason(error)), mark: 0)
    }
  }
}
