internal import Foundation
internal import WindTunnel

/// Single keys from the terminal that the tool was started at.
///
/// Signals stay keys of the terminal's: Ctrl-C interrupts as ever. Only line editing and echo are
/// off, and both come back with ``restore()``.
final class Keyboard: Sendable {
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
    guard
      var settings = before.withLock({ before in
        defer { before = nil }
        return before
      })
    else { return }
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  deinit { restore() }
}
