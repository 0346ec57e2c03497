@_spi(WindTunnel) internal import WindTunnelCore

/// The events that end or steer a running proxy: keys, a signal, the clock.
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
      Terminal.complain("Keys: \(next)o shown, b blank screen, q done.\n")
    }
  }

  /// Gives the terminal back as it was. Any number of times.
  func restore() {
    keyboard?.restore()
    for task in waiting { task.cancel() }
  }
}

/// Single keys from the terminal that the tool was started at.
///
/// Signals stay keys of the terminal's: Ctrl-C interrupts as ever. Only line editing and echo are
/// off, and both come back with ``restore()``.
private final class Keyboard: Sendable {
  private let before: Locked<termios?>

  /// `nil` where standard input is no terminal, or one that belongs to somebody else just now.
  init?(_ pressed: @escaping @Sendable (Character) -> Void) {
    var settings = termios()
    // In the background a change of the settings would stop the process (SIGTTOU).
    guard isatty(STDIN_FILENO) != 0, tcgetpgrp(STDIN_FILENO) == getpgrp(),
      tcgetattr(STDIN_FILENO, &settings) == 0
    else { return nil }
    before = Locked(settings)
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    guard tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else { return nil }
    // A thread of its own, since it waits in `read`; it ends with the process or the terminal.
    Thread.detachNewThread {
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) == 1 { pressed(Character(UnicodeScalar(byte))) }
    }
  }

  /// Gives the terminal back as it was; once, however often it is asked.
  func restore() {
    guard var settings = before.exchange(nil) else { return }
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  deinit { restore() }
}
