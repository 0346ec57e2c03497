/// A switch that suspends one call and resumes it.
///
/// While the call is suspended, none of its attempts starts. An attempt in flight continues, and so
/// does the deadline.
///
/// ```swift
/// let pause = CallPause()
/// let saving = Task { try await client.download(film, to: file, pausedBy: pause) }
/// pause.suspend()
/// ```
public final class CallPause: Sendable {
  private let gate = Gate(TrafficCaps(total: .max, perHost: .max, reserved: 0))

  /// Creates the switch of a call that is not suspended. Each call needs its own.
  public init() {}

  /// Whether the call is suspended.
  public var isSuspended: Bool { gate.isSuspended }

  /// Suspends the call: its next attempt waits.
  public func suspend() { gate.suspend(true) }

  /// Resumes the call: its next attempt starts.
  public func resume() { gate.suspend(false) }

  /// Waits while the call is suspended. Returns at once if it is cancelled or its deadline passes.
  func pass(until deadline: CallDeadline?, waiting: () -> Void) async {
    let ticket = GateState.Ticket(host: "", endpoint: "")
    if let place = await gate.enter(ticket, until: deadline, queued: waiting) { gate.leave(place) }
  }
}
