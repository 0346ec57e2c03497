/// The inside of an event loop: descriptors, timers and what is to be flushed.
///
/// It lives on the loop's thread and cannot leave it: it is not `Sendable`, and neither is anything
/// that holds it. Reach it through ``EventLoop/execute(_:)``.
final class Reactor {
  typealias Timer = TimerHeap<(Reactor) -> Void>.ID

  /// The time at which the current round's first event or timer was told; exact where that is not
  /// enough is `Moment.now()`.
  private(set) var now = Moment.now()
  /// Where input is read to, before whoever asked for it copies what is worth keeping.
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

  private struct Slot {
    var generation: UInt32 = 0
    var handler: (any ReadinessHandler)?
  }

  private let selector: Selector
  private var slots: [Slot] = []
  private var free: [Int] = []
  private var timers = TimerHeap<(Reactor) -> Void>()
  private var unflushed: [any RoundWriter] = []
  private var flushing: [any RoundWriter] = []

  init(_ selector: Selector) { self.selector = selector }

  deinit { scratch.deallocate() }

  // MARK: Descriptors

  /// Watches a descriptor on behalf of a handler, which is kept until ``unregister(_:_:_:)``.
  func register(
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

  func change(
    _ descriptor: Int32,
    from: Readiness,
    to interest: Readiness,
    _ token: Token
  ) {
    selector.change(descriptor, from: from, to: interest, token)
  }

  /// Tells nothing of a descriptor, not even that it hung up.
  func mute(_ descriptor: Int32, _ interest: Readiness) { selector.remove(descriptor, interest) }

  func unmute(_ descriptor: Int32, _ interest: Readiness, _ token: Token) {
    // It was registered before; the system has room for it.
    do { try selector.add(descriptor, interest, token) } catch { handler(of: token)?.loopEnds() }
  }

  /// Forgets a descriptor, before it is closed.
  func unregister(_ descriptor: Int32, _ interest: Readiness, _ token: Token) {
    selector.remove(descriptor, interest)
    let index = Int(token.rawValue & 0xFFFF_FFFF)
    slots[index].handler = nil
    // An event of this round may still bear the old token; the new generation does not answer it.
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

  /// Calls back at a moment, or at once after this round's events if it has passed.
  @discardableResult
  func schedule(at moment: Moment, _ action: @escaping (Reactor) -> Void) -> Timer {
    timers.schedule(at: moment, action)
  }

  /// Calls back after so many nanoseconds from now, not from the round's beginning.
  @discardableResult
  func schedule(after nanoseconds: Int64, _ action: @escaping (Reactor) -> Void) -> Timer {
    timers.schedule(at: Moment.now() + nanoseconds, action)
  }

  /// Forgets a timer; one that has fired is let be.
  func cancel(_ timer: Timer) { timers.cancel(timer) }

  // MARK: Rounds

  /// Flushes a writer before the next wait.
  func flushLater(_ writer: any RoundWriter) { unflushed.append(writer) }

  /// One round: wait for whatever comes first, tell it, fire what is due.
  func turn() {
    var isAwake = false
    selector.wait(patience) { token, readiness in
      // The wait may have been long: what happens now must not be dated before it.
      if !isAwake { now = .now() }
      isAwake = true
      handler(of: token)?.isReady(readiness)
    }
    now = .now()
    // Not what these schedule for at once: descriptors come between.
    let due = now
    while let action = timers.popDue(due) { action(self) }
  }

  /// Sends what this round wrote, a writer's many writes as one.
  func flush() {
    swap(&unflushed, &flushing)
    for writer in flushing { writer.flushRound() }
    flushing.removeAll(keepingCapacity: true)
  }

  /// Closes every descriptor; nothing is told after this.
  func end() {
    for handler in slots.compactMap(\.handler) { handler.loopEnds() }
    timers.removeAll()
    unflushed.removeAll()
    selector.close()
  }

  /// How long there is nothing to do; `nil` for nobody knows.
  private var patience: Int64? {
    if !unflushed.isEmpty { return 0 }
    return timers.nextDeadline.map { max(0, $0 - Moment.now()) }
  }
}
