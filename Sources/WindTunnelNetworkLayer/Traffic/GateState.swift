/// Who may start and who waits, as a value: first come, first served within a priority, the critical
/// first, and nobody is overtaken for ever.
struct GateState {
  /// One who wants a slot.
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

  private let caps: TrafficCaps
  private var waiting: [Waiting] = []
  private var running: [Int: Ticket] = [:]
  private var hosts: [String: Int] = [:]
  private var endpoints: [String: Int] = [:]
  /// Whether nobody starts for now.
  private var isSuspended = false

  init(_ caps: TrafficCaps) { self.caps = caps }

  /// How many hold a slot.
  var runningCount: Int { running.count }
  /// How many wait for one.
  var waitingCount: Int { waiting.count }

  /// Whether somebody waits for a slot.
  func isWaiting(_ id: Int) -> Bool { waiting.contains { $0.id == id } }

  /// Somebody comes; true where he may start at once.
  mutating func arrive(_ id: Int, _ ticket: Ticket) -> Bool {
    if waiting.isEmpty, !isSuspended, running.count < most(ticket.priority), hasRoom(ticket) {
      start(id, ticket)
      return true
    }
    waiting.append(Waiting(id: id, ticket: ticket))
    // Whoever waited before has no room: all that could start has started.
    return admit() == [id]
  }

  /// Somebody leaves, with a slot or out of the queue; those who may start now, in order.
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

  /// How many may run for one of a priority to start.
  private func most(_ priority: CallPriority) -> Int {
    priority == .deferrable ? caps.total - caps.reserved : caps.total
  }

  /// Where the one waits who is next: of the highest priority that has anybody who may start, the
  /// first that came.
  private func nextPlace() -> Int? {
    var best: (place: Int, priority: CallPriority)?
    for (place, one) in waiting.enumerated() where hasRoom(one.ticket) {
      let priority = one.overtaken < caps.overtakingsMax ? one.ticket.priority : .critical
      if running.count >= most(priority) { continue }
      if let best, best.priority <= priority { continue }
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
  /// Counts up or down; what is down at nought is forgotten, so that names do not pile up.
  fileprivate mutating func count(_ name: String, _ step: Int) {
    self[name, default: 0] += step
    if step < 0, self[name] == 0 { self[name] = nil }
  }
}
