internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// One task and the one who waits for it; whoever comes first, answer or cancellation, ends
/// the wait, and the other finds nothing left to do.
final class Exchange: @unchecked Sendable {
  typealias Waiter = CheckedContinuation<AttemptOutcome, Never>

  private enum State {
    case idle
    case waiting(Waiter, URLSessionTask?)
    case over
  }

  private let lock = NSLock()
  private var state = State.idle

  /// Makes the task and starts it, unless the cancellation was faster.
  func start(
    _ waiter: Waiter,
    making make: (_ land: @escaping @Sendable (AttemptOutcome) -> Void) -> URLSessionTask
  ) {
    guard begin(waiter) else { return waiter.resume(returning: .failure(.cancelled)) }
    // Making a task blocks until the session's queue is free, so the lock is not held.
    let task = make { outcome in self.end()?.waiter.resume(returning: outcome) }
    guard keep(task) else { return task.cancel() }
    task.resume()
  }

  /// Ends the wait at once and stops the task soon after.
  ///
  /// The task is cancelled from another thread. Its `cancel()` blocks until the session's queue is
  /// free, which on Linux would hold up the canceller (who holds a lock of the runtime meanwhile)
  /// and would trap if the canceller itself were on that queue.
  func cancel() {
    guard let (waiter, task) = end() else { return }
    waiter.resume(returning: .failure(.cancelled))
    guard let task else { return }
    DispatchQueue.global().async { task.cancel() }
  }

  private func begin(_ waiter: Waiter) -> Bool {
    lock.withLock {
      guard case .idle = state else { return false }
      state = .waiting(waiter, nil)
      return true
    }
  }

  private func keep(_ task: URLSessionTask) -> Bool {
    lock.withLock {
      guard case .waiting(let waiter, _) = state else { return false }
      state = .waiting(waiter, task)
      return true
    }
  }

  private func end() -> (waiter: Waiter, task: URLSessionTask?)? {
    lock.withLock {
      defer { state = .over }
      guard case .waiting(let waiter, let task) = state else { return nil }
      return (waiter, task)
    }
  }
}
