#if !canImport(Darwin) && !THREAD_SANITIZER
  public import Synchronization

  /// A value behind a lock, for state whose order of arrival matters.
  @_spi(WindTunnel) public final class Locked<Value: Sendable>: Sendable {
    @usableFromInline let mutex: Mutex<Value>

    /// Puts a value behind a lock.
    @inlinable public init(_ value: Value) { mutex = Mutex(value) }

    /// Runs `body` with exclusive access to the value. Not re-entrant.
    ///
    /// Inlinable: a generic call into another module would cost a request as much as all that it
    /// locks.
    @inlinable public func withLock<Result: Sendable, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
        try body(&value)
      }
    }
  }
#endif
