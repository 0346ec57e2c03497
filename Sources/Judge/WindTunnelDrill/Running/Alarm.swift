internal import Dispatch

/// A timeout that ends the wait for a call.
struct Alarm: Sendable {
  /// Rings once when so much time has gone by for the call of a number, on a thread of its own.
  let set: @Sendable (_ time: Duration, _ call: Int, _ ring: @escaping @Sendable () -> Void) -> Void
  /// Forgets the alarm of the call of a number; one that is about to ring still may.
  var callOff: @Sendable (_ call: Int) -> Void = { _ in }

  /// Rings by the clock.
  static let clock = Alarm(set: { time, _, ring in
    let moment = DispatchTime.now() + time
    DispatchQueue.global().asyncAfter(deadline: moment, execute: ring)
  })

  /// Returns an alarm that rings by the clock, with one timer for all calls.
  static func byOneTimer() -> Alarm {
    let timer = SharedTimer()
    return Alarm {
      timer.set($1, after: $0, $2)
    } callOff: {
      timer.cancel($0)
    }
  }
}
