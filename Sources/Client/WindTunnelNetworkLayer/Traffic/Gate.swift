/// Lets tasks through as slots become free. A task that is cancelled in the queue leaves it at
/// once.
final class Gate: Sendable {
  private typealias Waiter = CheckedContinuation<Bool, Never>

  private struct State {
    var order: GateState
    var lastID = 0
    var waiters: [Int: Waiter] = [:]
    /// Those whose cancellation came before they lay down to wait.
    var gone: Set<Int> = []
    /// Those who were let in before they lay down to wait.
    var early: Set<Int> = []

    /// Takes one out and says who is to be woken.
    mutating func leave(_ id: Int) -> [Waiter] {
      awakened(order.leave(id))
    }

    mutating func awakened(_ ids: [Int]) -> [Waiter] {
      ids.compactMap { next in
        let waiter = waiters.removeValue(forKey: next)
        if waiter == nil { early.insert(next) }
        return waiter
      }
    }
  }

  private let state: Locked<State>

  init(_ caps: TrafficCaps) { state = Locked(State(order: GateState(caps))) }

  /// The number of tasks that hold a slot, and of those that wait for one.
  var load: (running: Int, waiting: Int) {
    state.withLock { ($0.order.runningCount, $0.order.waitingCount) }
  }

  /// Tells whether it lets nobody in.
  var isSuspended: Bool { state.withLock { $0.order.isSuspended } }

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

  /// Sets other caps and lets in whoever has room under them.
  func apply(_ caps: TrafficCaps) {
    wake(state.withLock { $0.awakened($0.order.apply(caps)) })
  }

  private func wait(_ id: Int, _ waiter: Waiter) {
    let isAdmitted: Bool? = state.withLock { state in
      if state.gone.remove(id) != nil { return false }
      if state.early.remove(id) != nil { return true }
      state.waiters[id] = waiter
      return nil
    }
    if let isAdmitted { waiter.resume(returning: isAdmitted) }
  }

  /// Does nothing for one that was let in already: it sees itself that it is of no use any more.
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

  private func wake(_ waiters: [Waiter]) {
    for waiter in waiters { waiter.resume(returning: true) }
  }
}

/// The order of starts and waits, as a value: first come, first served within a priority, the
/// critical first, and nobody is overtaken for ever.
struct GateState {
  /// The claim of one that wants a slot.
  struct Ticket: Hashable {
    var host: String
    var endpoint: String
    var priority = CallPriority.standard
  }

  private struct Waiting {
    var id: Int
    var ticket: Ticket
    var overtaken = 0
  }

  private var caps: TrafficCaps
  private var waiting: [Waiting] = []
  private var running: [Int: Ticket] = [:]
  private var hosts: [String: Int] = [:]
  private var endpoints: [String: Int] = [:]
  /// True where nothing starts for now.
  private(set) var isSuspended = false

  init(_ caps: TrafficCaps) { self.caps = caps }

  /// The number of those that hold a slot.
  var runningCount: Int { running.count }
  /// The number of those that wait for one.
  var waitingCount: Int { waiting.count }

  /// Returns whether this one waits for a slot.
  func isWaiting(_ id: Int) -> Bool { waiting.contains { $0.id == id } }

  /// Adds a newcomer; true where it may start at once.
  mutating func arrive(_ id: Int, _ ticket: Ticket) -> Bool {
    if waiting.isEmpty, !isSuspended, running.count < most(ticket.priority), hasRoom(ticket) {
      start(id, ticket)
      return true
    }
    waiting.append(Waiting(id: id, ticket: ticket))
    // Whoever waited before has no room: all that could start has started.
    return admit() == [id]
  }

  /// Removes one, with a slot or out of the queue; returns those that may start now, in order.
  mutating func leave(_ id: Int) -> [Int] {
    if let ticket = running.removeValue(forKey: id) {
      hosts.count(ticket.host, -1)
      if caps.perEndpoint[ticket.endpoint] != nil { endpoints.count(ticket.endpoint, -1) }
    } else {
      waiting.removeAll { $0.id == id }
    }
    return admit()
  }

  /// Lets nobody start, or lets start whoever has room.
  mutating func suspend(_ isSuspended: Bool) -> [Int] {
    self.isSuspended = isSuspended
    return admit()
  }

  /// Sets other caps: who holds a slot keeps it; returns those that may start now, in order.
  mutating func apply(_ caps: TrafficCaps) -> [Int] {
    self.caps = caps
    endpoints = [:]
    for ticket in running.values where caps.perEndpoint[ticket.endpoint] != nil {
      endpoints.count(ticket.endpoint, 1)
    }
    return admit()
  }

  private mutating func admit() -> [Int] {
    var admitted: [Int] = []
    while !isSuspended, running.count < caps.total, let place = nextPlace() {
      let next = waiting.remove(at: place)
      for earlier in 0..<place where hasRoom(waiting[earlier].ticket) {
        waiting[earlier].overtaken += 1
      }
      start(next.id, next.ticket)
      admitted.append(next.id)
    }
    return admitted
  }

  private mutating func start(_ id: Int, _ ticket: Ticket) {
    running[id] = ticket
    hosts.count(ticket.host, 1)
    if caps.perEndpoint[ticket.endpoint] != nil { endpoints.count(ticket.endpoint, 1) }
  }

  /// Returns the most that may run for one of a priority to start.
  private func most(_ priority: CallPriority) -> Int {
    priority == .deferrable ? caps.total - caps.reserved : caps.total
  }

  /// Returns the place of the next one: of the highest priority that has any which may start, the
  /// first that came.
  private func nextPlace() -> Int? {
    var best: (place: Int, priority: CallPriority)?
    for place in waiting.indices {
      let isOverdue = waiting[place].overtaken >= caps.overtakingsMax
      let priority = isOverdue ? .critical : waiting[place].ticket.priority
      // What costs least is asked first: of a crowd nearly all are of one priority.
      if let best, best.priority <= priority { continue }
      guard running.count < most(priority), hasRoom(waiting[place].ticket) else { continue }
      best = (place, priority)
      if priority == .critical { break }
    }
    return best?.place
  }

  private func hasRoom(_ ticket: Ticket) -> Bool {
    guard hosts[ticket.host, default: 0] < caps.perHost else { return false }
    guard let most = caps.perEndpoint[ticket.endpoint] else { return true }
    return endpoints[ticket.endpoint, default: 0] < most
  }
}

extension [String: Int] {
  /// Counts up or down; a counter at zero is removed, so that names do not pile up.
  fileprivate mutating func count(_ name: String, _ step: Int) {
    self[name, default: 0] += step
    if step < 0, self[name] == 0 { self[name] = nil }
  }
}

/// The caps on concurrent attempts.
public struct TrafficCaps: Sendable, Hashable {
  /// The greatest number of attempts in all.
  public var total: Int
  /// The greatest number of attempts to one host and port.
  public var perHost: Int
  /// The greatest number of attempts to one endpoint, by its template; an endpoint that is not
  /// named has no cap of its own.
  public var perEndpoint: [String: Int]
  /// The number of slots that deferrable calls may not use, so that the next call does not find all
  /// of them taken.
  public var reserved: Int
  /// The number of times that a waiting attempt which could start may be overtaken; after that it
  /// counts as critical, so that none starves.
  public var overtakingsMax: Int

  /// Makes caps; by default 64 in all and 48 to one host, two of them not for deferrable calls.
  ///
  /// That is enough for a screen whose requests each take ten seconds on a bad network, and less
  /// than the hundred that a server should let one connection have (RFC 9113 §6.5.2): whoever
  /// waits for a slot there has the time for its attempt run out.
  public init(
    total: Int = 64,
    perHost: Int = 48,
    perEndpoint: [String: Int] = [:],
    reserved: Int = 2,
    overtakingsMax: Int = 32
  ) {
    self.total = max(1, total)
    self.perHost = max(1, perHost)
    self.perEndpoint = perEndpoint.mapValues { max(1, $0) }
    self.reserved = min(max(0, reserved), max(0, total - 1))
    self.overtakingsMax = max(0, overtakingsMax)
  }
}
