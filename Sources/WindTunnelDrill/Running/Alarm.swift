internal import Dispatch
internal import WindTunnel

/// Tells somebody who waits for a call that it has been long enough.
struct Alarm: Sendable {
  /// Rings once when so much time has gone by for the call of a number, on a thread of its own.
  let set: @Sendable (_ time: Duration, _ call: Int, _ ring: @escaping @Sendable () -> Void) -> Void

  /// Rings by the clock.
  static let clock = Alarm { time, _, ring in
    let moment = DispatchTime.now() + .nanoseconds(Int(time.inNanoseconds))
    DispatchQueue.global().asyncAfter(deadline: moment, execute: ring)
  }
}
