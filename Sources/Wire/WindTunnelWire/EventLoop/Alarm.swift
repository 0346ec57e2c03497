@_spi(WindTunnel) internal import WindTunnelCore

/// A clock that begins at zero, with a timer for one moment.
package final class Alarm {
  private let reactor: Reactor
  private let start = Moment.now()
  private var pending: (timer: Reactor.Timer, moment: Duration)?

  package init(on reactor: Reactor) { self.reactor = reactor }

  /// The time since the clock began.
  package var now: Duration { .nanoseconds(Moment.now() - start) }

  /// Whether the alarm is set.
  package var isSet: Bool { pending != nil }

  /// Runs a job at a moment, replacing the previous job and moment.
  package func set(_ moment: Duration, _ job: @escaping () -> Void) { set(moment, at: moment, job) }

  /// Runs a job at a moment, unless an earlier one is set.
  package func set(atLatest moment: Duration, _ job: @escaping () -> Void) {
    if let pending, pending.moment <= moment { return }
    // A moment in the past would fire again within the same round of the loop.
    set(moment, at: max(moment, now + .nanoseconds(1)), job)
  }

  private func set(_ moment: Duration, at later: Duration, _ job: @escaping () -> Void) {
    cancel()
    let timer = reactor.schedule(at: start + later.inNanoseconds) { [weak self] _ in
      self?.pending = nil
      job()
    }
    pending = (timer, moment)
  }

  /// Cancels the alarm, if it is set.
  package func cancel() {
    if let pending { reactor.cancel(pending.timer) }
    pending = nil
  }
}
