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

  /// Starts to listen for events. `duration` is the maximum run time.
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
          // Only a cancellation ends the sleep early, and then the event is not needed.
          guard (try? await Task.sleep(for: duration)) != nil else { return }
          continuation.yield(.timeUp)
        }
      )
    }
    self.waiting = waiting
    keyboard = Keyboard { continuation.yield(.key($0)) }
    if keyboard != nil {
      let next = scenarioCount > 1 ? "n next scenario, " : ""
      Terminal.complain("Keys: \(next)o screen shown, b blank screen, q quit.\n")
    }
  }

  /// Restores the terminal's settings. It may be called several times.
  func restore() {
    keyboard?.restore()
    for task in waiting { task.cancel() }
  }
}

/// Single keys from the terminal in which the tool was started.
///
/// Signal keys keep working: Ctrl-C interrupts as before. Only line editing and echo are off, and
/// ``restore()`` enables both again.
private final class Keyboard: Sendable {
  private let before: Locked<termios?>

  /// Creates a keyboard; `nil` if standard input is not a terminal, or if this process is in the
  /// background.
  init?(_ pressed: @escaping @Sendable (Character) -> Void) {
    var settings = termios()
    // In the background, changing the settings would stop the process (SIGTTOU).
    guard isatty(STDIN_FILENO) != 0, tcgetpgrp(STDIN_FILENO) == getpgrp(),
      tcgetattr(STDIN_FILENO, &settings) == 0
    else { return nil }
    before = Locked(settings)
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    guard tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else { return nil }
    // A separate thread, because it blocks in `read`. It ends with the process or the terminal.
    Thread.detachNewThread {
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) == 1 { pressed(Character(UnicodeScalar(byte))) }
    }
  }

  /// Restores the terminal's settings once; further calls have no effect.
  func restore() {
    guard var settings = before.exchange(nil) else { return }
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  deinit { restore() }
}
