#if canImport(Darwin)
  internal import Darwin

  /// Watches descriptors with kqueue, level-triggered: what is not dealt with is told again.
  struct Selector: Sendable {
    private let queue: Int32

    /// Wakes a waiting selector from any thread.
    struct Waker: Sendable {
      fileprivate let queue: Int32

      /// Harmless while the selector is open; after ``Selector/close()`` it must not be called.
      func wake() {
        var change = kevent()
        change.filter = Int16(EVFILT_USER)
        change.fflags = UInt32(NOTE_TRIGGER)
        kevent(queue, &change, 1, nil, 0, nil)
      }
    }

    var waker: Waker { Waker(queue: queue) }

    init() throws(SocketError) {
      queue = kqueue()
      guard queue >= 0 else { throw SocketError(.open, errno) }
      var change = kevent()
      change.filter = Int16(EVFILT_USER)
      change.flags = UInt16(EV_ADD | EV_CLEAR)
      guard kevent(queue, &change, 1, nil, 0, nil) == 0 else {
        let error = SocketError(.open, errno)
        Darwin.close(queue)
        throw error
      }
    }

    func add(_ descriptor: Int32, _ interest: Readiness, _ token: Token) throws(SocketError) {
      guard update(descriptor, from: [], to: interest, token) else {
        throw SocketError(.open, errno)
      }
    }

    func change(_ descriptor: Int32, from: Readiness, to interest: Readiness, _ token: Token) {
      // Only a descriptor that is not registered can fail here.
      _ = update(descriptor, from: from, to: interest, token)
    }

    func remove(_ descriptor: Int32, _ interest: Readiness) {
      _ = update(descriptor, from: interest, to: [], .wakeUp)
    }

    /// Waits for events or at most so long (`nil`: for ever), and tells them.
    func wait(_ nanoseconds: Int64?, _ body: (Token, Readiness) -> Void) {
      withUnsafeTemporaryAllocation(of: kevent.self, capacity: 256) { events in
        var limit = timespec(
          tv_sec: Int((nanoseconds ?? 0) / 1_000_000_000),
          tv_nsec: Int((nanoseconds ?? 0) % 1_000_000_000)
        )
        let count =
          nanoseconds == nil
          ? kevent(queue, nil, 0, events.baseAddress, 256, nil)
          : kevent(queue, nil, 0, events.baseAddress, 256, &limit)
        // An interrupted wait has no events; the caller waits again.
        guard count > 0 else { return }
        for event in events[..<Int(count)] where event.filter != Int16(EVFILT_USER) {
          body(Token(rawValue: UInt64(UInt(bitPattern: event.udata))), Self.readiness(event))
        }
      }
    }

    func close() { Darwin.close(queue) }

    private func update(
      _ descriptor: Int32,
      from: Readiness,
      to interest: Readiness,
      _ token: Token
    ) -> Bool {
      var isDone = true
      for (flag, filter) in [(Readiness.readable, EVFILT_READ), (.writable, EVFILT_WRITE)]
      where from.contains(flag) != interest.contains(flag) {
        var change = kevent()
        change.ident = UInt(descriptor)
        change.filter = Int16(filter)
        change.flags = UInt16(interest.contains(flag) ? EV_ADD : EV_DELETE)
        change.udata = UnsafeMutableRawPointer(bitPattern: UInt(token.rawValue))
        isDone = kevent(queue, &change, 1, nil, 0, nil) == 0 && isDone
      }
      return isDone
    }

    /// An end of input is read like input, as a count of nothing; so it is no hang-up here.
    private static func readiness(_ event: kevent) -> Readiness {
      event.filter == Int16(EVFILT_READ) ? .readable : .writable
    }
  }

  extension Selector {
    /// A thread's waits end on time unless its application naps.
    static func prepareThread() {}
  }
#endif
