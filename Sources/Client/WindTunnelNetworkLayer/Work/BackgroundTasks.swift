/// Work that outlives the call that requested it.
///
/// It runs in one task group, which belongs to the caller of ``run()`` and ends with it.
final class BackgroundTasks: Sendable {
  typealias Work = @Sendable () async -> Void

  /// The queue of the run in progress.
  private let queue = Locked<AsyncStream<Work>.Continuation?>(nil)

  /// Adds work; `false` if ``run()`` is not in progress.
  func add(_ work: @escaping Work) -> Bool {
    if case .enqueued? = queue.withLock({ $0 })?.yield(work) { true } else { false }
  }

  /// Runs added work concurrently until the task is cancelled.
  ///
  /// Then it cancels the work in progress and waits for it. Returns at once if it runs already.
  func run() async {
    let (works, continuation) = AsyncStream.makeStream(of: Work.self)
    let isFirst = queue.withLock { queue in
      guard queue == nil else { return false }
      queue = continuation
      return true
    }
    guard isFirst else { return }
    defer { queue.withLock { $0 = nil } }
    // A cancellation ends the stream, which still returns its queued work.
    let next: @Sendable () async -> Work? = {
      for await work in works { return work }
      return nil
    }
    await withTaskGroup(of: Work?.self) { group in
      group.addTask { await next() }
      while let result = await group.next() {
        guard let work = result else { continue }
        group.addTask {
          await work()
          return nil
        }
        group.addTask { await next() }
      }
    }
  }
}
