#if os(Linux) || os(Android)
  internal import Foundation

  /// The time that processes waited for a processor, as proc(5) tells it.
  enum ProcessDelay {
    /// Returns the longest wait among the threads of a process and its descendants; no time where
    /// the system does not tell.
    static func longest(of process: Int32) -> Duration {
      ProcessMemory.tree(of: process).flatMap(ProcessMemory.threads).map(delay).max() ?? .zero
    }

    /// The second figure of `schedstat` is the time on a run queue, in nanoseconds.
    private static func delay(of thread: String) -> Duration {
      let figures = ProcessMemory.text("\(thread)/schedstat").split(separator: " ")
      guard figures.count > 1, let delay = Int64(figures[1]) else { return .zero }
      return .nanoseconds(delay)
    }
  }
#endif
