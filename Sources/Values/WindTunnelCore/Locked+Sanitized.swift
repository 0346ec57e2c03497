#if !canImport(Darwin) && THREAD_SANITIZER
  internal import Glibc

  /// A value behind a lock that the thread sanitizer knows.
  ///
  /// `Mutex` is in a library that is not built for the sanitizer, and waits by the kernel's futex.
  /// Every value that it protects would be reported as a race.
  /// `Scripts/development/thread-sanitizer` builds with this class instead.
  @_spi(WindTunnel) public final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>

    /// The value and an additional byte. A value without a size (`Void`) has no address of its own
    /// in an object. The sanitizer would mistake an access to it for an access to the object's
    /// first word.
    private var state: (value: Value, byte: UInt8)

    /// Creates a lock around a value.
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
