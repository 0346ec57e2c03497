internal import Dispatch
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

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
    let rings = Rings()
    return Alarm(set: { rings.add($2, after: $0, of: $1) }, callOff: { rings.remove($0) })
  }
}

/// The alarms that are set, and the next look at them.
private final class Rings: Sendable {
  private struct State {
    var rings: [Int: @Sendable () -> Void] = [:]
    /// In order; those that were called off are among them.
    var due: [(moment: DispatchTime, call: Int)] = []
    var look: DispatchTime?

    /// Plans a look; `nil` where there is one that is early enough.
    mutating func look(by moment: DispatchTime) -> DispatchTime? {
      if let look, look <= moment { return nil }
      look = moment
      return moment
    }
  }

  private let state = Locked(State())

  func add(_ ring: @escaping @Sendable () -> Void, after time: Duration, of call: Int) {
    let moment = DispatchTime.now() + time
    let look = state.withLock { state in
      state.rings[call] = ring
      // Nearly always the last place: all wait for the same time.
      let place = state.due.lastIndex { $0.moment <= moment }.map { $0 + 1 } ?? 0
      state.due.insert((moment, call), at: place)
      return state.look(by: moment)
    }
    if let look { wake(at: look) }
  }

  func remove(_ call: Int) { state.withLock { $0.rings[call] = nil } }

  private func wake(at look: DispatchTime) {
    DispatchQueue.global().asyncAfter(deadline: look) { self.look(look) }
  }

  /// Rings for whoever is due, and plans the next look.
  private func look(_ planned: DispatchTime) {
    let now = DispatchTime.now()
    let (due, look) = state.withLock { state -> ([@Sendable () -> Void], DispatchTime?) in
      // One that was planned for an earlier moment has taken its place.
      guard state.look == planned else { return ([], nil) }
      state.look = nil
      let rest = state.due.firstIndex { $0.moment > now && state.rings[$0.call] != nil }
      let gone = state.due.prefix(rest ?? state.due.count)
      let due = gone.compactMap { state.rings.removeValue(forKey: $0.call) }
      state.due.removeFirst(gone.count)
      return (due, state.due.first.flatMap { state.look(by: $0.moment) })
    }
    if let look { wake(at: look) }
    for ring in due { ring() }
  }
}
