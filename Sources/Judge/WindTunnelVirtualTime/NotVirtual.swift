/// The reason for which a run was not virtual: what it shows says nothing.
public struct NotVirtual: Error, Sendable, Hashable, CustomStringConvertible {
  /// The things that go by the machine's time.
  public enum Reason: Sendable, Hashable {
    /// Something came back from a thread of its own when time had gone on without it.
    case cameBackLate
    /// Something took ten thousand turns at one instant, or read the clock again and again in one
    /// turn: it waits in a loop.
    case busyWait
    /// A thread waited in the system for something, and had set it a limit by the clock.
    case blockingWait
    /// A timer of Dispatch was set.
    case dispatchTimer
    /// A sleep by a clock whose durations are none of Swift's.
    case foreignClock
    /// Nothing was left that could happen, and nothing came for so long.
    case standstill(Duration)
    /// A system or a runtime whose executors cannot be told the time.
    case unsupported(String)
    /// A run was begun within another, or on a clock that another has.
    case nested
    /// Something came back from outside of a run on a clock when the clock had gone on without it.
    case wentOutside
    /// A task slept by the clock of a run, and was none of the run's.
    case foreignTask
    /// A task slept by a ``VirtualClock`` on which nothing runs.
    case noRun
  }

  /// The thing that was seen.
  public let reason: Reason

  init(_ reason: Reason) { self.reason = reason }

  /// The thing that was seen, and what to do, in a sentence.
  public var description: String {
    switch reason {
    case .cameBackLate:
      """
      Not virtual: a task came back from a thread of its own when time had gone on without it. Let the \
      code under test use tasks or Dispatch queues in place of threads, or run it in real time.
      """
    case .busyWait:
      """
      Not virtual: something waits in a loop without sleeping, and time moves only when all sleep. \
      Let it sleep between two looks, or run it in real time.
      """
    case .blockingWait:
      """
      Not virtual: a thread waits with a time limit, by a semaphore or a condition, which the system \
      keeps by the machine's time. Let the code under test await tasks, or run it in real time.
      """
    case .dispatchTimer:
      """
      Not virtual: a DispatchSource timer was set, which goes by the machine's time. Let the code \
      under test sleep by Task.sleep or a clock, or run it in real time.
      """
    case .foreignClock:
      """
      Not virtual: a sleep by a clock whose durations are not Swift.Duration. Use ContinuousClock or \
      SuspendingClock, or run it in real time.
      """
    case .standstill(let time):
      """
      Nothing is left that could happen, and the work has not ended: for \(time) of the machine's time \
      nothing came. A continuation that nobody resumes, or a thread that waits?
      """
    case .unsupported(let what): "Virtual time is not to be had here: \(what)"
    case .nested:
      """
      Virtual time runs already: a run cannot begin within another, nor on a clock that another has.
      """
    case .wentOutside:
      """
      Not virtual: something came back from outside of the run (a Dispatch queue, the main actor, a \
      thread, Task.sleep) when the clock had gone on without it. Let it sleep by the clock and run \
      where it is called, or run it by VirtualTime.run without a clock, or in real time.
      """
    case .foreignTask:
      """
      Not virtual: a task slept by the clock that does not run on it, since Task {} and \
      Task.detached leave the run. Use a group or async let, or Task(executorPreference: clock).
      """
    case .noRun:
      """
      A task sleeps by a VirtualClock, and nothing runs on it that would move it. Sleep within \
      VirtualTime.run(on:), and let no task outlive that.
      """
    }
  }
}
