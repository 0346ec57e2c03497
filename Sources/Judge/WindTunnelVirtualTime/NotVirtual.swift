/// The reason why a run was not virtual. Its result is then invalid.
public struct NotVirtual: Error, Sendable, Hashable, CustomStringConvertible {
  /// The causes for which a run depends on the machine's time.
  public enum Reason: Sendable, Hashable {
    /// A task returned from another thread after time had advanced without it.
    case cameBackLate
    /// A task waits in a loop: there were ten thousand turns at one instant, or one turn read the
    /// clock repeatedly.
    case busyWait
    /// A thread waited in the system with a timeout by the clock.
    case blockingWait
    /// A Dispatch timer was set.
    case dispatchTimer
    /// A task slept by a clock whose durations are not `Swift.Duration`.
    case foreignClock
    /// No work was left, and none arrived during this time.
    case standstill(Duration)
    /// The executors of this system or runtime do not support virtual time. The value is the
    /// reason.
    case unsupported(String)
    /// A run was started within another run, or on the clock of another run.
    case nested
    /// A task returned from outside of a run on a clock after that clock had advanced without it.
    case wentOutside
    /// A task that does not belong to a run slept by the clock of the run.
    case foreignTask
    /// A task slept by a ``VirtualClock`` without a run.
    case noRun
  }

  /// The cause that was detected.
  public let reason: Reason

  init(_ reason: Reason) { self.reason = reason }

  /// The cause and its fix, in a sentence.
  public var description: String {
    switch reason {
    case .cameBackLate:
      """
      Not virtual: a task returned from its own thread after the clock had advanced. Let the \
      code under test use tasks or Dispatch queues instead of threads, or run it in real time.
      """
    case .busyWait:
      """
      Not virtual: a task waits in a loop without sleeping, but time advances only when all sleep. \
      Let it sleep in the loop, or run it in real time.
      """
    case .blockingWait:
      """
      Not virtual: a thread waits by a semaphore or a condition with a time limit, which the \
      system measures in real time. Let the code under test await tasks, or run it in real time.
      """
    case .dispatchTimer:
      """
      Not virtual: a DispatchSource timer uses the machine's time. Let the code \
      under test sleep by Task.sleep or a clock, or run it in real time.
      """
    case .foreignClock:
      """
      Not virtual: a sleep by a clock whose durations are not Swift.Duration. Use ContinuousClock or \
      SuspendingClock, or run it in real time.
      """
    case .standstill(let time):
      """
      The work has not ended, but no task can continue: for \(time) of the machine's time \
      nothing happened. Check for a continuation that is never resumed, or a waiting thread.
      """
    case .unsupported(let what): "Virtual time is not available here: \(what)"
    case .nested:
      """
      Virtual time is already running: a run cannot begin within another or on its clock.
      """
    case .wentOutside:
      """
      Not virtual: work returned from outside of the run (a Dispatch queue, the main actor, a \
      thread, Task.sleep) after the clock had advanced. Let it sleep by the clock and run \
      on the caller's executor, or use VirtualTime.run without a clock, or real time.
      """
    case .foreignTask:
      """
      Not virtual: a task slept by the clock but does not run on it, because Task {} and \
      Task.detached leave the run. Use a group or async let, or Task(executorPreference: clock).
      """
    case .noRun:
      """
      A task sleeps by a VirtualClock, but no run advances it. Sleep within \
      VirtualTime.run(on:), and let no task outlive it.
      """
    }
  }
}
