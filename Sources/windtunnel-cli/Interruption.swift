internal import Dispatch
internal import Foundation

/// SIGINT and SIGTERM, which end a server in good order.
enum Interruption {
  /// Comes back when one of them has come.
  static func wait() async {
    let signals = AsyncStream<Void> { continuation in
      let sources = [SIGINT, SIGTERM].map { number in
        // The default action would end the process before its source hears of it.
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler { continuation.yield() }
        source.resume()
        return source
      }
      nonisolated(unsafe) let watched = sources
      continuation.onTermination = { _ in for source in watched { source.cancel() } }
    }
    for await _ in signals { return }
  }
}
