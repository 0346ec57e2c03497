/// The reason for which a run was not virtual: what it shows says nothing.
public struct NotVirtual: Error, Sendable, Hashable, CustomStringConvertible {
  /// The things that go by the machine's time.
  public enum Reason: Sendable, Hashable {
    /// Something came back from a thread of its own when time had gone on without it.
    case cameBackLate
    /// Something took ten thousand turns at one instant, or read the clock a million times in one
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
    /// A run was begun within another.
    case nested
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
    case .nested: "Virtual time runs already: a run cannot begin within another."
    }
  }
}
