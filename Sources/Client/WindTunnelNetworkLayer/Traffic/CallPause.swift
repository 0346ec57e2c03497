/// A switch by which a caller suspends one call, and resumes it.
///
/// While the call is suspended none of its attempts starts. An attempt in flight goes on, and so
/// does the deadline.
///
/// ```swift
/// let pause = CallPause()
/// let saving = Task { try await client.download(film, to: file, pausedBy: pause) }
/// pause.suspend()
/// ```
public final class CallPause: Sendable {
  private let gate = Gate(TrafficCaps(total: .max, perHost: .max, reserved: 0))

  /// Makes a switch of a call that is not suspended; each call has its own.
  public init() {}

  /// Tells whether the call is suspended.
  public var isSuspended: Bool { gate.isSuspended }

  /// Suspends the call: its next attempt waits.
  public func suspend() { gate.suspend(true) }

  /// Resumes the call: its next attempt starts.
  public func resume() { gate.suspend(false) }

  /// Waits while the call is suspended; ends at once where it is given up.
  func pass(until deadline: CallDeadline?, waiting: () -> Void) async {
    let ticket = GateState.Ticket(host: "", endpoint: "")
    if let place = await gate.enter(ticket, until: deadline, queued: waiting) { gate.leave(place) }
  }
}
