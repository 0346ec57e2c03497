#if canImport(Darwin)
  internal import Darwin

  /// A selector of ready descriptors based on kqueue, level-triggered: an unhandled event is
  /// reported again.
  package struct Selector: Sendable {
    private let queue: Int32

    /// A handle that wakes a waiting selector from any thread.
    struct Waker: Sendable {
      fileprivate let queue: Int32

      /// Wakes the selector. It must not be called after ``Selector/close()``.
      package func wake() {
        var change = kevent()
        change.filter = Int16(EVFILT_USER)
        change.fflags = UInt32(NOTE_TRIGGER)
        kevent(queue, &change, 1, nil, 0, nil)
      }
    }

    var waker: Waker { Waker(queue: queue) }

    package init() throws(SocketError) {
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

    package func add(_ descriptor: Int32, _ interest: Readiness, _ token: Token) throws(SocketError)
    {
      guard update(descriptor, from: nil, to: interest, token) else {
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
      _ = update(descriptor, from: from, to: interest, token)
    }

    package func remove(_ descriptor: Int32, _ interest: Readiness) {
      _ = update(descriptor, from: interest, to: nil, .wakeUp)
    }

    /// Waits for events, at most for a number of nanoseconds (`nil` for no limit), and reports
    /// them.
    package func wait(_ nanoseconds: Int64?, _ body: (Token, Readiness) -> Void) {
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

    package func close() { Darwin.close(queue) }

    /// Changes the watched events from one interest to another; `nil` is no registration.
    ///
    /// Input is always watched, because that filter also reports broken connections, even while
    /// reading is paused. During a pause, it reports each change only once (`EV_CLEAR`).
    private func update(
      _ descriptor: Int32,
      from: Readiness?,
      to interest: Readiness?,
      _ token: Token
    ) -> Bool {
      let wasRead = from.map { $0.contains(.readable) }
      let isRead = interest.map { $0.contains(.readable) }
      var isDone = true
      if wasRead != isRead {
        // Adding a filter again is not documented to change its flags, so it is removed first.
        if wasRead != nil { isDone = set(descriptor, EVFILT_READ, EV_DELETE, token) }
        if let isRead {
          isDone =
            set(descriptor, EVFILT_READ, isRead ? EV_ADD : EV_ADD | EV_CLEAR, token) && isDone
        }
      }
      let (wasWritten, isWritten) = (
        from?.contains(.writable) == true, interest?.contains(.writable) == true
      )
      guard wasWritten != isWritten else { return isDone }
      return set(descriptor, EVFILT_WRITE, isWritten ? EV_ADD : EV_DELETE, token) && isDone
    }

    private func set(_ descriptor: Int32, _ filter: Int32, _ flags: Int32, _ token: Token) -> Bool {
      var change = kevent()
      change.ident = UInt(descriptor)
      change.filter = Int16(filter)
      change.flags = UInt16(flags)
      change.udata = UnsafeMutableRawPointer(bitPattern: UInt(token.rawValue))
      return kevent(queue, &change, 1, nil, 0, nil) == 0
    }

    /// The end of input is reported as readable, and a read then returns nothing. With an error,
    /// the connection is broken (kqueue(2): `EV_EOF`, with the error in `fflags`).
    private static func readiness(_ event: kevent) -> Readiness {
      let isBroken = event.flags & UInt16(EV_EOF) != 0 && event.fflags != 0
      let told: Readiness = event.filter == Int16(EVFILT_READ) ? .readable : .writable
      return isBroken ? told.union(.hangup) : told
    }
  }

  extension Selector {
    /// Does nothing. A thread's waits end on time unless its application is in App Nap.
    static func prepareThread() {}
  }
#endif
