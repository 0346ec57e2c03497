internal import Dispatch
internal import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// SIGINT and SIGTERM, which end a server in good order.
///
/// They are heard from the moment it is made, so it is made before anybody is told that the server
/// is ready. One that comes when nobody waits for it any more ends the process at once, whatever
/// that is still about: what a recording has got by then is in its journal.
package struct Interruption: Sendable {
  private let signals: AsyncStream<Int32>

  private struct Listeners: Sendable {
    var count = 0
    /// The receiver of the next signal.
    var current: (number: Int, continuation: AsyncStream<Int32>.Continuation)?
  }

  private static let listeners = Locked(Listeners())
  /// Begins to hear them, once in a process.
  private static let isHearing: Bool = {
    let queue = DispatchQueue(label: "windtunnel.signals")
    // A source is set up by a thread of Dispatch's; a signal before that would be lost.
    let isHeard = DispatchGroup()
    for number in [SIGINT, SIGTERM] {
      // The default action would end the process before its source hears of it.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        // Keeps the source, too.
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

  /// Comes back with the signal when one of them has come, and with `nil` when the task is
  /// cancelled.
  @discardableResult
  package func wait() async -> Int32? {
    for await signal in signals { return signal }
    return nil
  }

  private static func tell(_ number: Int32) {
    guard let listener = listeners.withLock({ $0.current.take() }) else { return end(by: number) }
    listener.continuation.yield(number)
  }

  /// Does what a signal does that nobody listens to.
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
