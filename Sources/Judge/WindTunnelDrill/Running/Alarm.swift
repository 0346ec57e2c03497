internal import Dispatch

/// A timeout that ends the wait for a call.
struct Alarm: Sendable {
  /// Sets the alarm of a call. After `time`, it calls `ring` once on a thread of its own.
  let set: @Sendable (_ time: Duration, _ call: Int, _ ring: @escaping @Sendable () -> Void) -> Void
  /// Cancels the alarm of a call. An alarm that is already due may still ring.
  var callOff: @Sendable (_ call: Int) -> Void = { _ in }

  /// An alarm on the system's clock.
  static let clock = Alarm(set: { time, _, ring in
    DispatchQueue.after(time, ring)
  })

  /// Returns an alarm on the system's clock, with one timer for all calls.
  static func byOneTimer() -> Alarm {
    let timer = SharedTimer()
    return Alarm {
      timer.set($1, after: $0, $2)
    } callOff: {
      timer.cancel($0)
    }
  }
}
