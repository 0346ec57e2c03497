internal import Foundation

/// The actions that are due at moments, the earliest first, and equals in the order they were
/// scheduled.
///
/// A cancelled timer leaves at once: ten thousand connections that set and cancel one per request
/// would otherwise fill the heap with ghosts.
struct TimerHeap<Action> {
  /// Names one timer; a name that is spent is never another timer's.
  struct ID: Sendable, Hashable {
    fileprivate var slot: Int
    fileprivate var generation: UInt64
  }

  private struct Entry {
    var deadline: Moment
    var order: UInt64
    var slot: Int

    func isBefore(_ other: Entry) -> Bool {
      (deadline, order) < (other.deadline, other.order)
    }
  }

  private struct Slot {
    var generation: UInt64 = 0
    var place = 0
    var action: Action?
  }

  private var heap: [Entry] = []
  private var slots: [Slot] = []
  private var free: [Int] = []
  private var order: UInt64 = 0

  var count: Int { heap.count }

  /// The moment at which the earliest is due.
  var nextDeadline: Moment? { heap.first?.deadline }

  mutating func schedule(at deadline: Moment, _ action: Action) -> ID {
    let slot: Int
    if let reused = free.popLast() {
      slot = reused
    } else {
      slot = slots.count
      slots.append(Slot())
    }
    order += 1
    slots[slot].action = action
    heap.append(Entry(deadline: deadline, order: order, slot: slot))
    rise(from: heap.count - 1)
    return ID(slot: slot, generation: slots[slot].generation)
  }

  /// Forgets a timer; one that has fired or is forgotten already is let be.
  mutating func cancel(_ id: ID) {
    guard slots[id.slot].generation == id.generation else { return }
    remove(at: slots[id.slot].place)
  }

  /// Takes the earliest that is due.
  mutating func popDue(_ now: Moment) -> Action? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    return remove(at: 0)
  }

  mutating func removeAll() {
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

  private mutating func put(_ entry: Entry, at place: Int) {
    heap[place] = entry
    slots[entry.slot].place = place
  }
}

/// A point of monotonic time, in nanoseconds since some start that only differences can see.
struct Moment: Sendable, Hashable, Comparable {
  var nanoseconds: Int64

  static func now() -> Moment {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

  static func + (moment: Moment, nanoseconds: Int64) -> Moment {
    Moment(nanoseconds: moment.nanoseconds + nanoseconds)
  }

  /// The nanoseconds from `earlier` to `later`.
  static func - (later: Moment, earlier: Moment) -> Int64 {
    later.nanoseconds - earlier.nanoseconds
  }
}

extension Int64 {
  /// Seconds as nanoseconds, without overflow for what is practically for ever.
  init(nanosecondsOf seconds: Double) {
    self = Int64(Swift.min(Swift.max(seconds, 0), 1_000_000_000) * 1_000_000_000)
  }
}
