/// Lets tasks through as slots become free. A task that is cancelled in the queue leaves it at once.
final class Gate: Sendable {
  fileprivate struct State {
    var order: GateState
    var lastID = 0
    var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    /// Those whose cancellation came before they lay down to wait.
    var gone: Set<Int> = []
    /// Those who were let in before they lay down to wait.
    var early: Set<Int> = []
  }

  private let state: Locked<State>

  init(_ caps: TrafficCaps) { state = Locked(State(order: GateState(caps))) }

  /// How many hold a slot and how many wait for one.
  var load: (running: Int, waiting: Int) {
    state.withLock { ($0.order.runningCount, $0.order.waitingCount) }
  }

  /// Waits for a slot and gives its number, to be given back by ``leave(_:)``; `nil` where the task
  /// was cancelled or the deadline passed. `queued` is called where there is a wait.
  func enter(
    _ ticket: GateState.Ticket,
    until deadline: CallDeadline? = nil,
    queued: () -> Void = {}
  ) async -> Int? {
    guard !Task.isCancelled, !(deadline?.hasPassed ?? false) else { return nil }
    let (id, isIn) = state.withLock { state in
      state.lastID += 1
      return (state.lastID, state.order.arrive(state.lastID, ticket))
    }
    guard !isIn else { return id }
    queued()
    let isAdmitted = await withGivingUp(at: deadline) {
      await withCheckedContinuation { wait(id, $0) }
    } onGivingUp: {
      self.giveUp(id)
    }
    return isAdmitted ? id : nil
  }

  /// Gives a slot back and wakes whoever is next.
  func leave(_ id: Int) {
    wake(state.withLock { $0.leave(id) })
  }

  /// Lets nobody in, or lets in whoever has room.
  func suspend(_ isSuspended: Bool) {
    wake(state.withLock { $0.awakened($0.order.suspend(isSuspended)) })
  }

  private func wait(_ id: Int, _ waiter: CheckedContinuation<Bool, Never>) {
    let isAdmitted: Bool? = state.withLock { state in
      if state.gone.remove(id) != nil { return false }
      if state.early.remove(id) != nil { return true }
      state.waiters[id] = waiter
      return nil
    }
    if let isAdmitted { waiter.resume(returning: isAdmitted) }
  }

  /// Nothing to do for one who was let in already: he sees himself that it is of no use any more.
  private func giveUp(_ id: Int) {
    let (waiter, next) = state.withLock { state -> (Waiter?, [Waiter]) in
      guard state.order.isWaiting(id) else { return (nil, []) }
      let waiter = state.waiters.removeValue(forKey: id)
      if waiter == nil { state.gone.insert(id) }
      return (waiter, state.leave(id))
    }
    waiter?.resume(returning: false)
    wake(next)
  }

  private typealias Waiter = CheckedContinuation<Bool, Never>

  private func wake(_ waiters: [Waiter]) {
    for waiter in waiters { waiter.resume(returning: true) }
  }
}

extension Gate.State {
  /// Takes one out and says who is to be woken.
  fileprivate mutating func leave(_ id: Int) -> [CheckedContinuation<Bool, Never>] {
    awakened(order.leave(id))
  }

  fileprivate mutating func awakened(_ ids: [Int]) -> [CheckedContinuation<Bool, Never>] {
    ids.compactMap { next in
      let waiter = waiters.removeValue(forKey: next)
      if waiter == nil { early.insert(next) }
      return waiter
    }
  }
}
