internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// SIGINT and SIGTERM, which end a server in good order.
///
/// Signals are received from initialisation on. Create the value before announcing that the server
/// is ready. A signal without a waiting receiver ends the process at once. Nothing recorded is lost
/// then, because it is in the recording's journal.
package struct Interruption: Sendable {
  private let signals: AsyncStream<Int32>

  private struct Listeners: Sendable {
    var count = 0
    /// The receiver of the next signal.
    var current: (number: Int, continuation: AsyncStream<Int32>.Continuation)?
  }

  private static let listeners = Locked(Listeners())
  /// Installs the signal handlers, once in a process.
  private static let isHearing: Bool = {
    let queue = DispatchQueue(label: "windtunnel.signals")
    // A thread of Dispatch installs the source. An earlier signal would be lost.
    let isHeard = DispatchGroup()
    for number in [SIGINT, SIGTERM] {
      // The default action would end the process before its source receives the signal.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        // Also keeps the source alive.
        withExtendedLifetime(source) { tell(number) }
      }
      isHeard.enter()
      source.setRegistrationHandler { isHeard.leave() }
      source.resume()
    }
    isHeard.wait()
    return true
  }()

  package init() {
    _ = Self.isHearing
    signals = AsyncStream { continuation in
      let number = Self.listeners.withLock { listeners in
        listeners.count += 1
        listeners.current = (listeners.count, continuation)
        return listeners.count
      }
      continuation.onTermination = { _ in
        Self.listeners.withLock { listeners in
          if listeners.current?.number == number { listeners.current = nil }
        }
      }
    }
  }

  /// Returns the next signal; `nil` if the task is cancelled.
  @discardableResult
  package func wait() async -> Int32? {
    for await signal in signals { return signal }
    return nil
  }

  /// Performs a task that the next signal cancels. Returns its result, and the signal if there was
  /// one.
  package static func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async -> (result: Result<Value, any Error>, signal: Int32?) {
    let interruption = Interruption()
    let task = Task { try await body() }
    let watch = Task {
      let signal = await interruption.wait()
      if signal != nil { task.cancel() }
      return signal
    }
    let result = await task.result
    watch.cancel()
    return (result, await watch.value)
  }

  private static func tell(_ number: Int32) {
    guard let listener = listeners.withLock({ $0.current.take() }) else { return end(by: number) }
    listener.continuation.yield(number)
  }

  /// Performs the default action of a signal without a receiver.
  private static func end(by number: Int32) {
    signal(number, SIG_DFL)
    var own = sigset_t()
    sigemptyset(&own)
    sigaddset(&own, number)
    // The threads of Dispatch block all signals.
    pthread_sigmask(SIG_UNBLOCK, &own, nil)
    raise(number)
  }
}
