#if !canImport(Darwin) && !THREAD_SANITIZER
  public import Synchronization

  /// A value behind a lock, for state that depends on the order of arrival.
  @_spi(WindTunnel) public final class Locked<Value: Sendable>: Sendable {
    @usableFromInline let mutex: Mutex<Value>

    /// Creates a lock around a value.
    @inlinable public init(_ value: Value) { mutex = Mutex(value) }

    /// Runs `body` with exclusive access to the value. Not re-entrant.
    ///
    /// Inlinable: for a request, a generic call into another module would take as long as the
    /// locked code.
    @inlinable public func withLock<Result: Sendable, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
        try body(&value)
      }
    }
  }
#endif
