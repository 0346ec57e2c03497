#if !canImport(Darwin) && THREAD_SANITIZER
  internal import Glibc

  /// A value behind a lock that the thread sanitizer sees.
  ///
  /// `Mutex` lies in a library that is not built for the sanitizer and waits by the kernel's futex,
  /// so whatever it guards would look like a race. `Scripts/development/thread-sanitizer` builds
  /// with this one.
  @_spi(WindTunnel) public final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>

    /// The value, beside a byte: what has no size (`Void`) has no place of its own in an object, so
    /// that the sanitizer would take an access to it for one to the object's first word.
    private var state: (value: Value, byte: UInt8)

    /// Puts a value behind a lock.
    public init(_ value: Value) {
      state = (value, 0)
      lock = .allocate(capacity: 1)
      lock.initialize(to: pthread_mutex_t())
      pthread_mutex_init(lock, nil)
    }

    deinit {
      pthread_mutex_destroy(lock)
      lock.deallocate()
    }

    /// Runs `body` with exclusive access to the value. Not re-entrant.
    public func withLock<Result: Sendable, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return try body(&state.value)
    }
  }
#endif
