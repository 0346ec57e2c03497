internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// A flow as the subject of a drill of one call.
struct FlowSubject: Subject {
  let name: String
  let flow: SurroundedFlow
  let interruption: FaultSet.Interruption?
  let log: Locked<Log>

  /// The things that the flow says of itself.
  struct Log: Sendable {
    var mark: Int?
    var issues: [String] = []
    var steps: FlowSteps?
    /// The time at which the process started anew.
    var restarted: Duration?
    /// The crash with which it ended.
    var crash: Crash?
  }

  func run(_ call: DrillCall) async -> CallResult {
    // Nobody comes back from a crash: the call hangs, and this says why.
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

  /// Flies it until its process ends, and then anew. The first process is not waited for: a dead
  /// one does nothing any more.
  private func run(_ call: DrillCall, restartedAfter after: Duration) async -> CallResult {
    let done = Locked<FlowResult?>(nil)
    Task {
      let result = await flow.run(call)
      done.withLock { $0 = result }
    }
    // Only a search that is given up ends it early, and then nobody looks at it.
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
  /// The result as a drill takes it.
  var asCall: CallResult
  /// A number that is the same for equal values, in this process.
  var mark: Int
  /// The failures of the user's own expectations.
  var issues: [String] = []
}

extension FlowResult {
  /// Does a flow, and makes one of what it returned or threw.
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
    self = caught.withLock { $0 } ?? FlowResult(asCall: .bad("it was not flown"), mark: 0)
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
        // A flow's data is no body of one recording's.
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
