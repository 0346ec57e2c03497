internal import CWindTunnelSystem

/// The internals of an event loop: descriptors, timers and pending output.
///
/// It is confined to the loop's thread: it is not `Sendable`, and neither are its holders. Other
/// threads access it through ``EventLoop/execute(_:)``.
package final class Reactor {
  package typealias Timer = TimerHeap<(Reactor) -> Void>.ID

  /// The time of the current round's first event or timer. `Moment.now()` is more exact.
  package private(set) var now = Moment.now()
  /// The buffer for input, which the receiver copies if it needs it.
  package let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

  private struct Slot {
    var generation: UInt32 = 0
    var handler: (any ReadinessHandler)?
  }

  fileprivate let selector: Selector
  private var slots: [Slot] = []
  private var free: [Int] = []
  private var timers = TimerHeap<(Reactor) -> Void>()
  private var unflushed: [any RoundWriter] = []
  private var flushing: [any RoundWriter] = []

  package init(_ selector: Selector) { self.selector = selector }

  deinit { scratch.deallocate() }

  // MARK: Descriptors

  /// Watches a descriptor for a handler, which is kept until ``unregister(_:_:_:)``.
  fileprivate func register(
    _ descriptor: Int32,
    _ interest: Readiness,
    _ handler: any ReadinessHandler
  ) throws(SocketError) -> Token {
    let index = free.popLast() ?? slots.count
    if index == slots.count { slots.append(Slot()) }
    let token = Token(rawValue: UInt64(slots[index].generation) << 32 | UInt64(index))
    do throws(SocketError) {
      try selector.add(descriptor, interest, token)
    } catch {
      free.append(index)
      throw error
    }
    slots[index].handler = handler
    return token
  }

  fileprivate func unmute(_ descriptor: Int32, _ interest: Readiness, _ token: Token) {
    // It was registered before, so the system has room for it.
    do { try selector.add(descriptor, interest, token) } catch { handler(of: token)?.loopEnds() }
  }

  /// Removes a descriptor, before it is closed.
  fileprivate func unregister(_ descriptor: Int32, _ interest: Readiness, _ token: Token) {
    selector.remove(descriptor, interest)
    let index = Int(token.rawValue & 0xFFFF_FFFF)
    slots[index].handler = nil
    // An event of this round may still have the old token, which no longer matches the new
    // generation.
    slots[index].generation = (slots[index].generation &+ 1) & 0x7FFF_FFFF
    free.append(index)
  }

  private func handler(of token: Token) -> (any ReadinessHandler)? {
    let index = Int(token.rawValue & 0xFFFF_FFFF)
    guard index < slots.count, UInt64(slots[index].generation) == token.rawValue >> 32 else {
      return nil
    }
    return slots[index].handler
  }

  // MARK: Time

  /// Calls a function at a moment, or after this round's events if the moment has passed.
  @discardableResult
  package func schedule(at moment: Moment, _ action: @escaping (Reactor) -> Void) -> Timer {
    timers.schedule(at: moment, action)
  }

  /// Calls a function after a number of nanoseconds from now, not from the round's beginning.
  @discardableResult
  package func schedule(after nanoseconds: Int64, _ action: @escaping (Reactor) -> Void) -> Timer {
    timers.schedule(at: Moment.now() + nanoseconds, action)
  }

  /// Cancels a timer; a timer that has fired is ignored.
  package func cancel(_ timer: Timer) { timers.cancel(timer) }

  // MARK: Rounds

  /// Flushes a writer before the next wait.
  func flushLater(_ writer: any RoundWriter) { unflushed.append(writer) }

  /// Runs one round: waits for events, reports them, and fires due timers.
  package func turn() {
    var isAwake = false
    selector.wait(patience) { token, readiness in
      // The wait may have been long, so events must not get an earlier time.
      if !isAwake { now = .now() }
      isAwake = true
      handler(of: token)?.isReady(readiness)
    }
    now = .now()
    // Timers that these actions schedule for now fire after the next events.
    let due = now
    while let action = timers.popDue(due) { action(self) }
  }

  /// Sends the output of this round, with all writes of a writer as one.
  func flush() {
    swap(&unflushed, &flushing)
    for writer in flushing { writer.flushRound() }
    flushing.removeAll(keepingCapacity: true)
  }

  /// Closes all descriptors; no events are reported afterwards.
  package func end() {
    for handler in slots.compactMap(\.handler) { handler.loopEnds() }
    timers.removeAll()
    unflushed.removeAll()
    selector.close()
  }

  /// The maximum waiting time in nanoseconds; `nil` if there is no timer.
  private var patience: Int64? {
    if !unflushed.isEmpty { return 0 }
    return timers.nextDeadline.map { max(0, $0 - Moment.now()) }
  }
}

/// The events that a descriptor is watched for, or that occurred.
package struct Readiness: OptionSet, Sendable, Hashable {
  package var rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let readable = Readiness(rawValue: 1)
  static let writable = Readiness(rawValue: 2)
  /// The connection is over in both directions, or broken. It is always reported.
  static let hangup = Readiness(rawValue: 4)
}

/// The identifier of a registration, which is never reused for another descriptor.
package struct Token: Sendable, Hashable {
  package var rawValue: UInt64

  /// The wake-up of the loop itself.
  static let wakeUp = Token(rawValue: .max)
}

/// The receiver of a descriptor's events, on the loop's thread.
package protocol ReadinessHandler: AnyObject {
  /// Called when the descriptor is ready. An event that is not handled is reported again.
  func isReady(_ readiness: Readiness)
  /// Called when the loop ends. The descriptor must be closed.
  func loopEnds()
}

/// A writer whose output of one round is sent in one piece, on the loop's thread.
protocol RoundWriter: AnyObject {
  /// Sends the output since ``Reactor/flushLater(_:)``.
  func flushRound()
}

/// A descriptor's registration with the loop. The system is only called when it changes.
package final class Watch {
  private(set) var interest: Readiness
  private let descriptor: Int32
  private let token: Token
  private let reactor: Reactor
  private var isMuted = false

  package init(
    _ descriptor: Int32,
    _ interest: Readiness,
    _ handler: any ReadinessHandler,
    on reactor: Reactor
  ) throws(SocketError) {
    (self.descriptor, self.interest, self.reactor) = (descriptor, interest, reactor)
    token = try reactor.register(descriptor, interest, handler)
  }

  package func set(_ next: Readiness) {
    guard next != interest else { return }
    if isMuted {
      reactor.unmute(descriptor, next, token)
      isMuted = false
    } else {
      reactor.selector.change(descriptor, from: interest, to: next, token)
    }
    interest = next
  }

  /// Reports no events, not even hang-ups, until another interest is set.
  func mute() {
    guard !isMuted else { return }
    reactor.selector.remove(descriptor, interest)
    isMuted = true
  }

  package func end() { reactor.unregister(descriptor, isMuted ? [] : interest, token) }
}

/// Actions ordered by their deadline; equal deadlines keep the order of scheduling.
///
/// A cancelled timer is removed at once. Otherwise ten thousand connections with one timer for each
/// request would fill the heap with cancelled timers.
package struct TimerHeap<Action> {
  /// The identifier of a timer, which is never reused.
  package struct ID: Sendable, Hashable {
    fileprivate var slot: Int
    fileprivate var generation: UInt64
  }

  private struct HeapEntry {
    var deadline: Moment
    var order: UInt64
    var slot: Int

    func isBefore(_ other: HeapEntry) -> Bool { (deadline, order) < (other.deadline, other.order) }
  }

  private struct Slot {
    var generation: UInt64 = 0
    var place = 0
    var action: Action?
  }

  private var heap: [HeapEntry] = []
  private var slots: [Slot] = []
  private var free: [Int] = []
  private var order: UInt64 = 0

  package var count: Int { heap.count }

  /// The deadline of the first action; `nil` if there is none.
  var nextDeadline: Moment? { heap.first?.deadline }

  package mutating func schedule(at deadline: Moment, _ action: Action) -> ID {
    let slot: Int
    if let reused = free.popLast() {
      slot = reused
    } else {
      slot = slots.count
      slots.append(Slot())
    }
    order += 1
    slots[slot].action = action
    heap.append(HeapEntry(deadline: deadline, order: order, slot: slot))
    rise(from: heap.count - 1)
    return ID(slot: slot, generation: slots[slot].generation)
  }

  /// Cancels a timer; a timer that has fired or was cancelled is ignored.
  package mutating func cancel(_ id: ID) {
    guard slots[id.slot].generation == id.generation else { return }
    remove(at: slots[id.slot].place)
  }

  /// Removes and returns the first action that is due.
  mutating func popDue(_ now: Moment) -> Action? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    return remove(at: 0)
  }

  package mutating func removeAll() {
    while !heap.isEmpty { remove(at: heap.count - 1) }
  }

  @discardableResult private mutating func remove(at place: Int) -> Action? {
    let slot = heap[place].slot
    let action = slots[slot].action
    slots[slot].action = nil
    slots[slot].generation += 1
    free.append(slot)
    let last = heap.removeLast()
    if place < heap.count {
      heap[place] = last
      slots[last.slot].place = place
      sink(from: place)
      rise(from: place)
    }
    return action
  }

  private mutating func rise(from start: Int) {
    var place = start
    let entry = heap[place]
    while place > 0, entry.isBefore(heap[(place - 1) / 2]) {
      put(heap[(place - 1) / 2], at: place)
      place = (place - 1) / 2
    }
    put(entry, at: place)
  }

  private mutating func sink(from start: Int) {
    var place = start
    let entry = heap[place]
    while 2 * place + 1 < heap.count {
      var child = 2 * place + 1
      if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
      guard heap[child].isBefore(entry) else { break }
      put(heap[child], at: place)
      place = child
    }
    put(entry, at: place)
  }

  private mutating func put(_ entry: HeapEntry, at place: Int) {
    heap[place] = entry
    slots[entry.slot].place = place
  }
}

/// A point of monotonic time, in nanoseconds since an arbitrary start. Only differences are
/// meaningful.
package struct Moment: Sendable, Hashable, Comparable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package static func now() -> Moment { Moment(nanoseconds: wt_monotonic_nanoseconds()) }

  package static func < (left: Moment, right: Moment) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  package static func + (moment: Moment, nanoseconds: Int64) -> Moment {
    Moment(nanoseconds: moment.nanoseconds + nanoseconds)
  }

  /// Returns the nanoseconds from `earlier` to `later`.
  package static func - (later: Moment, earlier: Moment) -> Int64 {
    later.nanoseconds - earlier.nanoseconds
  }
}

extension Int64 {
  /// Converts seconds to nanoseconds, limited so that very large values do not overflow.
  package init(nanosecondsOf seconds: Double) {
    self = Int64(Swift.min(Swift.max(seconds, 0), 1_000_000_000) * 1_000_000_000)
  }
}
