internal import Foundation
internal import WindTunnelCommandLine

/// What a person and the world say to a running proxy: keys, a signal, the clock.
final class ProxyEnds: Sendable {
  enum Event: Sendable, Hashable {
    case key(Character)
    case interrupted
    case timeUp
  }

  let events: AsyncStream<Event>
  private let keyboard: Keyboard?
  private let waiting: [Task<Void, Never>]

  /// Listens from now on; `duration` is how long until the time is up.
  init(after duration: Duration?, scenarioCount: Int) {
    let (events, continuation) = AsyncStream<Event>.makeStream()
    self.events = events
    let interruption = Interruption()
    var waiting = [
      Task {
        await interruption.wait()
        continuation.yield(.interrupted)
      }
    ]
    if let duration {
      waiting.append(
        Task {
          // Only a cancellation ends the sleep early, and then nobody waits for it.
          guard (try? await Task.sleep(for: duration)) != nil else { return }
          continuation.yield(.timeUp)
        }
      )
    }
    self.waiting = waiting
    keyboard = Keyboard { continuation.yield(.key($0)) }
    if keyboard != nil {
      let next = scenarioCount > 1 ? "n next scenario, " : ""
      Terminal.complain("Keys: \(next)o shown, b blank page, q done.\n")
    }
  }

  /// Gives the terminal back as it was. Any number of times.
  func restore() {
    keyboard?.restore()
    for task in waiting { task.cancel() }
  }
}
