internal import Dispatch
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelNetworkLayer

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

  /// Returns one that rings by the clock, by one timer for all calls: hardly one of them needs it,
  /// and a timer that nobody needs any more stays until it is due.
  static func byOneTimer() -> Alarm {
    let clock = AlarmClock()
    let alarms = Locked<[Int: Int]>([:])
    return Alarm { time, call, ring in
      let alarm = clock.set(after: time, ring)
      alarms.withLock { $0[call] = alarm }
    } callOff: { call in
      if let alarm = alarms.withLock({ $0.removeValue(forKey: call) }) { clock.callOff(alarm) }
    }
  }
}
