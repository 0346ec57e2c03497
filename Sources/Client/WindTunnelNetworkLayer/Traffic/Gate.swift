/// Lets tasks through as slots become free. A task that is cancelled in the queue leaves it at
/// once.
final class Gate: Sendable {
  private struct State {
    var order: GateState
    var lastID = 0
    /// The turns of those that wait: true to let one in.
    var turns: [Int: Promise<Bool>] = [:]

    mutating func take(_ ids: [Int]) -> [Promise<Bool>] {
      ids.compactMap { turns.removeValue(forKey: $0) }
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
    let (id, turn) = state.withLock { state -> (Int, Promise<Bool>?) in
      state.lastID += 1
      if state.order.arrive(state.lastID, ticket) { return (state.lastID, nil) }
      let turn = Promise<Bool>()
      state.turns[state.lastID] = turn
      return (state.lastID, turn)
    }
    guard let turn else { return id }
    queued()
    let isAdmitted = await withGivingUp(at: deadline) {
      await turn.value
    } onGivingUp: {
      self.giveUp(id)
    }
    return isAdmitted ? id : nil
  }

  /// Gives a slot back and wakes whoever is next.
  func leave(_ id: Int) { admit { $0.leave(id) } }

  /// Lets nobody in, or lets in whoever has room.
  func suspend(_ isSuspended: Bool) { admit { $0.suspend(isSuspended) } }

  /// Sets other caps and lets in whoever has room under them.
  func apply(_ caps: TrafficCaps) { admit { $0.apply(caps) } }

  private func admit(_ change: (inout GateState) -> [Int]) {
    for turn in state.withLock({ $0.take(change(&$0.order)) }) { turn.keep(true) }
  }

  /// Does nothing for one that was let in already: it sees itself that it is of no use any more.
  private func giveUp(_ id: Int) {
    let (turn, next) = state.withLock { state -> (Promise<Bool>?, [Promise<Bool>]) in
      guard let turn = state.turns.removeValue(forKey: id) else { return (nil, []) }
      return (turn, state.take(state.order.leave(id)))
    }
    turn?.keep(false)
    for turn in next { turn.keep(true) }
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
