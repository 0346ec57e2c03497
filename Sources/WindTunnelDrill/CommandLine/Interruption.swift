internal import Dispatch
internal import Foundation

/// SIGINT and SIGTERM, which end a server in good order.
///
/// They are heard from the moment it is made, so it is made before anybody is told that the server
/// is ready.
package struct Interruption: Sendable {
  private let signals: AsyncStream<Int32>

  package init() {
    // A source is set up by a thread of Dispatch's; a signal before that would be lost.
    let isHeard = DispatchGroup()
    signals = AsyncStream { continuation in
      let sources = [SIGINT, SIGTERM].map { number in
        // The default action would end the process before its source hears of it.
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler { continuation.yield(number) }
        isHeard.enter()
        source.setRegistrationHandler { isHeard.leave() }
        source.resume()
        return source
      }
      nonisolated(unsafe) let watched = sources
      continuation.onTermination = { _ in for source in watched { source.cancel() } }
    }
    isHeard.wait()
  }

  /// Comes back with the signal when one of them has come, and with `nil` when the task is cancelled.
  @discardableResult
  package func wait() async -> Int32? {
    for await signal in signals { return signal }
    return nil
  }
}
