internal import Dispatch
internal import WindTunnel
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

  private enum State: Sendable {
    case open
    case awaited(CheckedContinuation<End, Never>)
    case over(End)
  }

  /// A flight that may be given up before it is known as a task.
  private struct GivingUp: Sendable {
    var flight: Task<Void, Never>?
    var isDue = false
  }

  private let state = Locked(State.open)

  private func resolve(_ end: End) {
    let waiting: CheckedContinuation<End, Never>? = state.withLock { state in
      switch state {
      case .open:
        state = .over(end)
        return nil
      case .awaited(let waiting):
        state = .over(end)
        return waiting
      case .over: return nil
      }
    }
    waiting?.resume(returning: end)
  }

  private func wait(_ waiting: CheckedContinuation<End, Never>) {
    let end: End? = state.withLock { state in
      if case .over(let end) = state { return end }
      state = .awaited(waiting)
      return nil
    }
    if let end { waiting.resume(returning: end) }
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
    _ fly: @escaping @Sendable () async -> CallResult
  ) async -> End {
    let completion = CallCompletion()
    let cancelled = Locked<Duration?>(nil)
    let givingUp = Locked(GivingUp())
    let flight = Task {
      let start = due ?? .now
      if let patience {
        alarms.hanging.set(patience, number) { [weak completion] in
          completion?.resolve(End(result: nil, latency: .now - start))
        }
      }
      // From the same moment on as its latency, or it would seem to return too soon.
      if let patienceOfCaller {
        alarms.givingUp.set(patienceOfCaller, number) {
          cancelled.withLock { $0 = .now - start }
          let flight = givingUp.withLock { givingUp in
            givingUp.isDue = true
            return givingUp.flight
          }
          flight?.cancel()
        }
      }
      let result = await fly()
      alarms.hanging.callOff(number)
      let moment = cancelled.withLock { $0 }
      completion.resolve(End(result: result, latency: .now - start, cancelled: moment))
    }
    let isDue = givingUp.withLock { givingUp in
      givingUp.flight = flight
      return givingUp.isDue
    }
    if isDue { flight.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { completion.wait($0) }
    } onCancel: {
      completion.resolve(End())
    }
  }
}
