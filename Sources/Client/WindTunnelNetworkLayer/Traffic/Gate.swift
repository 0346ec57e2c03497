/// Admits tasks as slots become free. A task that is cancelled in the queue leaves it at once.
final class Gate: Sendable {
  private struct State {
    var order: GateState
    var lastID = 0
    /// The promises of waiting tasks: `true` admits the task.
    var turns: [Int: Promise<Bool>] = [:]

    mutating func take(_ ids: [Int]) -> [Promise<Bool>] {
      ids.compactMap { turns.removeValue(forKey: $0) }
    }
  }

  private let state: Locked<State>

  init(_ caps: TrafficCaps) { state = Locked(State(order: GateState(caps))) }

  /// The number of tasks that hold a slot, and of tasks that wait for one.
  var load: (running: Int, waiting: Int) {
    state.withLock { ($0.order.running.count, $0.order.waiting.count) }
  }

  /// Whether no task is admitted.
  var isSuspended: Bool { state.withLock { $0.order.isSuspended } }

  /// Waits for a slot and returns its number, which ``leave(_:)`` releases.
  ///
  /// `nil` if the task was cancelled or the deadline passed. `queued` is called if there is a wait.
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

  /// Releases a slot and admits the next task.
  func leave(_ id: Int) { admit { $0.leave(id) } }

  /// Stops admitting tasks, or resumes and admits the tasks that have room.
  func suspend(_ isSuspended: Bool) { admit { $0.suspend(isSuspended) } }

  /// Sets other caps and admits the tasks that have room.
  func apply(_ caps: TrafficCaps) { admit { $0.apply(caps) } }

  private func admit(_ change: (inout GateState) -> [Int]) {
    for turn in state.withLock({ $0.take(change(&$0.order)) }) { turn.keep(true) }
  }

  /// Removes a waiting task. A task that is already admitted checks for its cancellation itself.
  private func giveUp(_ id: Int) {
    let (turn, next) = state.withLock { state -> (Promise<Bool>?, [Promise<Bool>]) in
      guard let turn = state.turns.removeValue(forKey: id) else { return (nil, []) }
      return (turn, state.take(state.order.leave(id)))
    }
    turn?.keep(false)
    for turn in next { turn.keep(true) }
  }
}

/// The running and waiting attempts of a gate, as a value.
///
/// Order is first come, first served within a priority, and the highest priority first. The number
/// of times that a waiting attempt can be overtaken is limited.
struct GateState {
  /// The properties of an attempt that requests a slot.
  struct Ticket: Hashable {
    var host: String
    var endpoint: String
    var priority = CallPriority.standard
  }

  struct Waiting {
    var id: Int
    var ticket: Ticket
    var overtaken = 0
  }

  private var caps: TrafficCaps
  private(set) var waiting: [Waiting] = []
  private(set) var running: [Int: Ticket] = [:]
  private var hosts: [String: Int] = [:]
  private var endpoints: [String: Int] = [:]
  /// Whether no attempt may start.
  private(set) var isSuspended = false

  init(_ caps: TrafficCaps) { self.caps = caps }

  /// Adds an attempt; `true` if it may start at once.
  mutating func arrive(_ id: Int, _ ticket: Ticket) -> Bool {
    if waiting.isEmpty, !isSuspended, running.count < most(ticket.priority), hasRoom(ticket) {
      start(id, ticket)
      return true
    }
    waiting.append(Waiting(id: id, ticket: ticket))
    // The attempts that waited before have no room, otherwise they would have started.
    return admit() == [id]
  }

  /// Removes a running or waiting attempt. Returns the attempts that may start now, in order.
  mutating func leave(_ id: Int) -> [Int] {
    if let ticket = running.removeValue(forKey: id) {
      hosts.count(ticket.host, -1)
      if caps.perEndpoint[ticket.endpoint] != nil { endpoints.count(ticket.endpoint, -1) }
    } else {
      waiting.removeAll { $0.id == id }
    }
    return admit()
  }

  /// Suspends or resumes starts. Returns the attempts that may start now, in order.
  mutating func suspend(_ isSuspended: Bool) -> [Int] {
    self.isSuspended = isSuspended
    return admit()
  }

  /// Sets other caps; running attempts keep their slots. Returns the attempts that may start now.
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

  /// Returns the maximum number of running attempts at which one with this priority may start.
  private func most(_ priority: CallPriority) -> Int {
    priority == .deferrable ? caps.total - caps.reserved : caps.total
  }

  /// Returns the index of the next attempt: the first one with the highest priority that has room.
  private func nextPlace() -> Int? {
    var best: (place: Int, priority: CallPriority)?
    for place in waiting.indices {
      let isOverdue = waiting[place].overtaken >= caps.overtakingsMax
      let priority = isOverdue ? .critical : waiting[place].ticket.priority
      // The cheapest check is first: in a long queue, nearly all attempts have the same priority.
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
  /// Adds to a counter. A counter at zero is removed, so that the dictionary does not grow.
  fileprivate mutating func count(_ name: String, _ step: Int) {
    self[name, default: 0] += step
    if step < 0, self[name] == 0 { self[name] = nil }
  }
}

/// The caps on concurrent attempts.
public struct TrafficCaps: Sendable, Hashable {
  /// The maximum number of attempts in total.
  public var total: Int
  /// The maximum number of attempts to one host and port.
  public var perHost: Int
  /// The maximum number of attempts to one endpoint, by its template.
  ///
  /// An endpoint that is missing here has no cap of its own.
  public var perEndpoint: [String: Int]
  /// The number of slots that deferrable calls may not use, so that the next call finds a free one.
  public var reserved: Int
  /// The number of times that a waiting attempt may be overtaken although it has room.
  ///
  /// After that it counts as critical, so that it does not starve.
  public var overtakingsMax: Int

  /// Creates caps; by default 64 in total and 48 per host, two of them not for deferrable calls.
  ///
  /// That is enough for a screen whose requests each take ten seconds on a bad network. It is less
  /// than the hundred concurrent streams that a server should allow per connection (RFC 9113
  /// §6.5.2). A request queued there would use up its attempt's time.
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
