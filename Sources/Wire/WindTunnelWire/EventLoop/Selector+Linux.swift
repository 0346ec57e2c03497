#if !canImport(Darwin)
  internal import CWindTunnelSystem
  internal import Foundation

  /// A selector of ready descriptors based on epoll, level-triggered: an unhandled event is
  /// reported again.
  package struct Selector: Sendable {
    private let epoll: Int32
    private let event: Int32

    /// A handle that wakes a waiting selector from any thread.
    struct Waker: Sendable {
      fileprivate let event: Int32

      /// Wakes the selector. It must not be called after ``Selector/close()``.
      package func wake() {
        var one: UInt64 = 1
        // If the counter is full, the selector is already awake.
        _ = write(event, &one, 8)
      }
    }

    var waker: Waker { Waker(event: event) }

    package init() throws(SocketError) {
      epoll = wt_epoll_create()
      event = wt_eventfd()
      guard epoll >= 0, event >= 0,
        wt_epoll_add(epoll, event, Self.bits(.readable), Token.wakeUp.rawValue) == 0
      else {
        let error = SocketError(.open, errno)
        for descriptor in [epoll, event] where descriptor >= 0 { Glibc.close(descriptor) }
        throw error
      }
    }

    package func add(_ descriptor: Int32, _ interest: Readiness, _ token: Token) throws(SocketError)
    {
      guard wt_epoll_add(epoll, descriptor, Self.bits(interest), token.rawValue) == 0 else {
        throw SocketError(.open, errno)
      }
    }

    package func change(
      _ descriptor: Int32,
      from: Readiness,
      to interest: Readiness,
      _ token: Token
    ) {
      // Only a descriptor that is not registered can fail here.
      wt_epoll_modify(epoll, descriptor, Self.bits(interest), token.rawValue)
    }

    package func remove(_ descriptor: Int32, _ interest: Readiness) {
      wt_epoll_remove(epoll, descriptor)
    }

    /// Waits for events, at most for a number of nanoseconds (`nil` for no limit), and reports
    /// them.
    package func wait(_ nanoseconds: Int64?, _ body: (Token, Readiness) -> Void) {
      withUnsafeTemporaryAllocation(of: wt_event.self, capacity: 256) { events in
        let count = wt_epoll_wait(epoll, events.baseAddress, 256, nanoseconds ?? -1)
        // An interrupted wait has no events; the caller waits again.
        guard count > 0 else { return }
        // In reverse, because the system appends a descriptor that becomes ready to the list of the
        // last wait. The last one of a round, which misses the next, then begins the one after it.
        for event in events[..<Int(count)].reversed() {
          let token = Token(rawValue: event.token)
          if token == .wakeUp { spendWakeUps() } else { body(token, Self.readiness(event.events)) }
        }
      }
    }

    package func close() {
      Glibc.close(epoll)
      Glibc.close(event)
    }

    private func spendWakeUps() {
      var count: UInt64 = 0
      _ = read(event, &count, 8)
    }

    private static func bits(_ interest: Readiness) -> UInt32 {
      (interest.contains(.readable) ? UInt32(WT_READABLE) : 0)
        | (interest.contains(.writable) ? UInt32(WT_WRITABLE) : 0)
    }

    private static func readiness(_ bits: UInt32) -> Readiness {
      var readiness: Readiness = []
      if bits & UInt32(WT_READABLE) != 0 { readiness.insert(.readable) }
      if bits & UInt32(WT_WRITABLE) != 0 { readiness.insert(.writable) }
      if bits & UInt32(WT_ERROR | WT_HANGUP) != 0 { readiness.insert(.hangup) }
      return readiness
    }
  }

  extension Selector {
    /// Reduces the timer slack of the calling thread, so that its waits end on time.
    static func prepareThread() { wt_precise_timers() }
  }
#endif
