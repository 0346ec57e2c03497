/// Work that outlives the call that asked for it. It runs in one task group, whose owner is whoever
/// called ``run()``, and ends with that.
final class BackgroundTasks: Sendable {
  typealias Work = @Sendable () async -> Void

  private enum Phase {
    case idle
    case running
    /// Nothing more is taken on, and what is there is brought to its end.
    case ending
  }

  private struct State {
    var phase = Phase.idle
    var queue: [Work] = []
    var waiter: CheckedContinuation<Work?, Never>?
  }

  private let state = Locked(State())

  /// Adds work; false where nobody would do it.
  func add(_ work: @escaping Work) -> Bool {
    let (isTaken, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Work?, Never>?) in
      guard case .running = state.phase else { return (false, nil) }
      if state.waiter == nil { state.queue.append(work) }
      return (true, state.waiter.take())
    }
    waiter?.resume(returning: work)
    return isTaken
  }

  /// Does what is taken on, all at once, until the task is cancelled; then it waits for what is
  /// under way, which is cancelled, too. Where it runs already it returns at once.
  func run() async {
    let isFirst = state.withLock { state in
      guard case .idle = state.phase else { return false }
      state.phase = .running
      return true
    }
    guard isFirst else { return }
    defer { state.withLock { $0.phase = .idle } }
    await withTaskGroup(of: Event.self) { group in
      group.addTask { await self.next() }
      while let event = await group.next() {
        guard case .work(let work) = event else { continue }
        group.addTask {
          await work()
          return .done
        }
        group.addTask { await self.next() }
      }
    }
  }

  private enum Event {
    case work(Work)
    case done
  }

  /// Returns the next piece; after a cancellation what is left of the queue, and then nothing more.
  private func next() async -> Event {
    let work = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let work: Work?? = state.withLock { state in
          if !state.queue.isEmpty { return state.queue.removeFirst() }
          guard case .running = state.phase else { return .some(nil) }
          state.waiter = waiter
          return nil
        }
        if let work { waiter.resume(returning: work) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.phase = .ending
        return state.waiter.take()
      }
      waiter?.resume(returning: nil)
    }
    return work.map(Event.work) ?? .done
  }
}
