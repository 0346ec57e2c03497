internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Tasks of a session with nothing around them, eight at once.
final class BareCrowd: @unchecked Sendable {
  private let session: URLSession
  private let lock = NSLock()
  private var free = 8
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var counted = Crowd.Counts()

  init(_ session: URLSession) { self.session = session }

  var counts: Crowd.Counts { lock.withLock { counted } }

  /// Asks once; a cancellation ends that, and what waits for its turn is asked no more.
  func call(_ url: URL) async {
    await withCheckedContinuation { continuation in
      let isFree = lock.withLock {
        if free > 0 {
          free -= 1
          return true
        }
        waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
    if Task.isCancelled {
      lock.withLock { counted.cancelled += 1 }
    } else {
      await ask(url)
    }
    let next = lock.withLock {
      if waiting.isEmpty { free += 1 }
      return waiting.isEmpty ? nil : waiting.removeFirst()
    }
    next?.resume()
  }

  private func ask(_ url: URL) async {
    let flight = Flight()
    let status = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let task = session.dataTask(with: url) { _, response, _ in
          continuation.resume(returning: (response as? HTTPURLResponse)?.statusCode)
        }
        flight.start(task)
      }
    } onCancel: {
      flight.cancel()
    }
    lock.withLock {
      counted.attempts += 1
      switch status {
      case 200: counted.answered += 1
      case nil: counted.cancelled += 1
      default: counted.failed += 1
      }
    }
  }

  private final class Flight: @unchecked Sendable {
    private let lock = NSLock()
    private var task: URLSessionTask?

    func start(_ task: URLSessionTask) {
      lock.withLock { self.task = task }
      task.resume()
      if Task.isCancelled { cancel() }
    }

    /// From another thread: it blocks until the session's queue is free.
    func cancel() {
      guard let task = lock.withLock({ self.task }) else { return }
      DispatchQueue.global().async { task.cancel() }
    }
  }
}
