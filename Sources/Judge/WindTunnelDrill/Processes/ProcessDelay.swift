internal import Foundation

/// The time that processes waited for a processor, read from proc(5).
enum ProcessDelay {
  /// Returns the wait of each thread of a process and its descendants. The result is empty if the
  /// system does not report it.
  static func threads(of process: Int32) -> [String: Duration] {
    var delays: [String: Duration] = [:]
    for thread in ProcessMemory.tree(of: process).flatMap(ProcessMemory.threads) {
      delays[thread] = delay(of: thread)
    }
    return delays
  }

  /// Returns the time on a run queue: the second figure of `schedstat`, in nanoseconds.
  private static func delay(of thread: String) -> Duration? {
    let figures = ProcessMemory.text("\(thread)/schedstat").split(separator: " ")
    guard figures.count > 1, let delay = Int64(figures[1]) else { return nil }
    return .nanoseconds(delay)
  }
}
