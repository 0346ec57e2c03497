internal import Foundation

/// The time that processes waited for a processor, as proc(5) tells it.
enum ProcessDelay {
  /// Returns the wait of each thread of a process and its descendants; of none where the system
  /// does not tell.
  static func threads(of process: Int32) -> [String: Duration] {
    var delays: [String: Duration] = [:]
    for thread in ProcessMemory.tree(of: process).flatMap(ProcessMemory.threads) {
      delays[thread] = delay(of: thread)
    }
    return delays
  }

  /// The second figure of `schedstat` is the time on a run queue, in nanoseconds.
  private static func delay(of thread: String) -> Duration? {
    let figures = ProcessMemory.text("\(thread)/schedstat").split(separator: " ")
    guard figures.count > 1, let delay = Int64(figures[1]) else { return nil }
    return .nanoseconds(delay)
  }
}
