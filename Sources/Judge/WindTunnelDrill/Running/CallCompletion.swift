@_spi(WindTunnel) internal import WindTunnelCore

/// Waits for the end of a call, its timeout, or the end of the drill, and returns the first of
/// them. A late call is abandoned without being cancelled: a cancellation at the wrong moment can
/// stop every session of the process on Linux.
final class CallCompletion: Sendable {
  /// The outcome of a call.
  struct CallOutcome: Sendable {
    /// The result, or `nil` if the call had not ended at its timeout or at the end of the drill.
    var result: CallResult?
    /// The duration of the call.
    var latency = Duration.zero
    /// The time from the beginning of the call to its cancellation. `nil` if the call was not
    /// cancelled, or had already ended.
    var cancelled: Duration?
  }

  private struct State: Sendable {
    /// The end of the call, or `nil` before it.
    var end: CallOutcome?
    /// The continuation that waits for the end.
    var waiting: CheckedContinuation<CallOutcome, Never>?
    /// The time at which the caller cancelled the call.
    var cancelled: Duration?
    /// The task to cancel then. It may not be known yet.
    var flight: Task<Void, Never>?
  }

  private let state = Locked(State())

  private func resolve(_ result: CallResult?, after latency: Duration) {
    let (end, waiting) = state.withLock {
      state -> (CallOutcome, CheckedContinuation<CallOutcome, Never>?) in
      if let end = state.end { return (end, nil) }
      let isBack = result != nil
      let end = CallOutcome(
        result: result,
        latency: latency,
        cancelled: isBack ? state.cancelled : nil
      )
      state.end = end
      return (end, exchange(&state.waiting, with: nil))
    }
    waiting?.resume(returning: end)
  }

  private func wait(_ waiting: CheckedContinuation<CallOutcome, Never>) {
    let end = state.withLock { state in
      if state.end == nil { state.waiting = waiting }
      return state.end
    }
    if let end { waiting.resume(returning: end) }
  }

  /// Cancels the call on behalf of its caller.
  private func giveUp(after time: Duration) {
    let flight = state.withLock { state in
      state.cancelled = time
      return state.flight
    }
    flight?.cancel()
  }

  /// Sets the task to cancel when the caller gives up, which may have happened already.
  private func willCancel(_ flight: Task<Void, Never>) {
    let isDue = state.withLock { state in
      state.flight = flight
      return state.cancelled != nil
    }
    if isDue { flight.cancel() }
  }

  /// Runs a call and waits for its end, at most for `patience`. If that is `nil`, the client itself
  /// ends the call.
  ///
  /// The latency counts from `due`, or from the call's first step if that is `nil`. The earlier
  /// wait for a thread is not the client's time. The call is cancelled by an alarm after
  /// `patienceOfCaller`.
  static func first(
    within patience: Duration?,
    due: ContinuousClock.Instant? = nil,
    cancelledAfter patienceOfCaller: Duration? = nil,
    number: Int,
    alarms: (hanging: Alarm, givingUp: Alarm),
    _ run: @escaping @Sendable () async -> CallResult
  ) async -> CallOutcome {
    let completion = CallCompletion()
    let flight = Task {
      let start = due ?? .now
      if let patience {
        alarms.hanging.set(patience, number) { [weak completion] in
          completion?.resolve(nil, after: .now - start)
        }
      }
      // Counted from the same moment as the latency. Otherwise the call would seem to return too
      // soon.
      if let patienceOfCaller {
        alarms.givingUp.set(patienceOfCaller, number) { completion.giveUp(after: .now - start) }
      }
      let result = await run()
      if patience != nil { alarms.hanging.callOff(number) }
      completion.resolve(result, after: .now - start)
    }
    if patienceOfCaller != nil { completion.willCancel(flight) }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { completion.wait($0) }
    } onCancel: {
      completion.resolve(nil, after: .zero)
    }
  }
}
