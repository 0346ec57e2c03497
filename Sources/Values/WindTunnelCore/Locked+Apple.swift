#if canImport(Darwin)
  internal import os

  /// A value behind a lock, for state that depends on the order of arrival.
  ///
  /// `Synchronization.Mutex` needs macOS 15; a host's test target may support earlier versions.
  @_spi(WindTunnel) public final class Locked<Value: Sendable>: Sendable {
    private let lock: OSAllocatedUnfairLock<Value>

    /// Creates a lock around a value.
    public init(_ value: Value) { lock = OSAllocatedUnfairLock(initialState: value) }

    /// Runs `body` with exclusive access to the value. Not re-entrant.
    public func withLock<Result: Sendable, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      let outcome: Swift.Result<Result, Failure> = lock.withLockUnchecked { value in
        do throws(Failure) { return .success(try body(&value)) } catch { return .failure(error) }
      }
      return try outcome.get()
    }
  }
#endif
