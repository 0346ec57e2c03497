internal import Dispatch
@_spi(WindTunnel) internal import WindTunnelCore

/// The first of a call's end, the end of patience, and the end of the drill. A call that is late is
/// abandoned and not cancelled: a cancel at the wrong moment can stop every session of the process
/// on Linux.
final class CallCompletion: Sendable {
  /// The outcome of a call.
  struct End: Sendable {
    /// The result; `nil` where it was still in the air when patience or the drill ended.
    var result: CallResult?
    /// The time that it took.
    var latency = Duration.zero
    /// The moment at which it was given up, counted like that; `nil` where it had ended before, or
    /// was not.
    var cancelled: Duration?
  }

  private struct State: Sendable {
    /// The end, once it has come.
    var end: End?
    /// The one who waits for it.
    var waiting: CheckedContinuation<End, Never>?
    /// The moment at which the caller gave the call up.
    var cancelled: Duration?
    /// The flight that is to be cancelled then; it may not be known yet.
    var flight: Task<Void, Never>?
  }

  private let state = Locked(State())

  private func resolve(_ result: CallResult?, after latency: Duration) {
    let (end, waiting) = state.withLock { state -> (End, CheckedContinuation<End, Never>?) in
      if let end = state.end { return (end, nil) }
      let isBack = result != nil
      let end = End(result: result, latency: latency, cancelled: isBack ? state.cancelled : nil)
      state.end = end
      return (end, exchange(&state.waiting, with: nil))
    }
    waiting?.resume(returning: end)
  }

  private func wait(_ waiting: CheckedContinuation<End, Never>) {
    let end = state.withLock { state in
      if state.end == nil { state.waiting = waiting }
      return state.end
    }
    if let end { waiting.resume(returning: end) }
  }

  /// Gives the call up in the name of its caller.
  private func giveUp(after time: Duration) {
    let flight = state.withLock { state in
      state.cancelled = time
      return state.flight
    }
    flight?.cancel()
  }

  /// Makes known what is cancelled when the caller gives up, who may have done so already.
  private func willCancel(_ flight: Task<Void, Never>) {
    let isDue = state.withLock { state in
      state.flight = flight
      return state.cancelled != nil
    }
    if isDue { flight.cancel() }
  }

  /// Makes a call and waits for it, but no longer than `patience`; `nil`: its client ends it.
  ///
  /// Its latency counts from `due`, or else from its first step: what it waited for a thread before
  /// is not the client's time. It is cancelled when an alarm rings that is set to
  /// `patienceOfCaller`.
  static func first(
    within patience: Duration?,
    due: ContinuousClock.Instant? = nil,
    cancelledAfter patienceOfCaller: Duration? = nil,
    number: Int,
    alarms: (hanging: Alarm, givingUp: Alarm),
    _ run: @escaping @Sendable () async -> CallResult
  ) async -> End {
    let completion = CallCompletion()
    let flight = Task {
      let start = due ?? .now
      if let patience {
        alarms.hanging.set(patience, number) { [weak completion] in
          completion?.resolve(nil, after: .now - start)
        }
      }
      // From the same moment on as its latency, or it would seem to return too soon.
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
