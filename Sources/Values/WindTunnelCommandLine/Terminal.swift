internal import Foundation
package import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The streams of a command: results are printed to standard output, all other text to standard
/// error.
///
/// Much of the text is from other programs, so control characters are always escaped. Text that a
/// full disk cannot take is reported at the end, by ``close(_:as:)``.
package enum Terminal {
  /// The system's error number of the first write to standard output that failed; `nil` while none
  /// has.
  private static let loss = Locked<Int32?>(nil)

  /// Prepares the standard streams of a program that is ours as a whole.
  package static func open() {
    // With a handler a write to a closed pipe fails. An ignored signal would stay ignored in every
    // program that is started (POSIX.1-2024, exec), and that would print to a closed pipe for ever.
    for number in [SIGPIPE, SIGXFSZ] { signal(number) { _ in } }
    // A stream that is closed would be the number of the next file that is opened, a cassette's.
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = Foundation.open("/dev/null", O_RDWR)
    }
  }

  /// Returns the code to end with: another one if the output could not be written. A reader that
  /// closes its end of a pipe has lost nothing.
  package static func close(_ code: ExitCode, as program: String) -> ExitCode {
    guard code != .cannotWrite, let refusal else { return code }
    complain("\(program): \(refusal.sentence)")
    return refusal.code
  }

  private static var refusal: Refusal? {
    guard let number = loss.withLock({ $0 }), number != EPIPE, number != ECONNRESET else {
      return nil
    }
    return Refusal(
      FileError.unwritable("standard output", reason: String(cString: strerror(number)))
    )
  }

  /// Whether standard output is a terminal, and its user wants colours (https://no-color.org).
  package static var showsColour: Bool {
    let variables = ToolEnvironment.current.variables
    let refuses = variables["NO_COLOR"].map { !$0.isEmpty } ?? false
    return isTerminal(STDOUT_FILENO) && !refuses && variables["TERM"] != "dumb"
  }

  private static func isTerminal(_ descriptor: Int32) -> Bool {
    ToolEnvironment.current.print == nil && isatty(descriptor) != 0
  }

  /// Whether GitHub Actions reads the output, and shows annotations at a file's line.
  package static var isReadByGitHub: Bool {
    ToolEnvironment.current.variables["GITHUB_ACTIONS"] == "true"
  }

  // A command may end with its output, so these return the code of that.

  /// Prints the result of a command.
  @discardableResult
  package static func answer(_ text: String) -> ExitCode { print(text.visible) }

  /// Prints a line that bears words from outside, which are no line of their own.
  package static func answer(line: String) { _ = print(line.visibleInLine + "\n") }

  /// Prints a value as one of our files holds it.
  @discardableResult
  package static func answer(_ json: JSON) -> ExitCode { answer(json: json.fileBytes()) }

  /// Prints a value as indented JSON.
  @discardableResult
  package static func answer(indented json: JSON) -> ExitCode {
    answer(json: json.bytes(.init(.indent2, endsWithNewline: true)))
  }

  /// Prints a JSON text.
  @discardableResult
  package static func answer(json: some Sequence<UInt8>) -> ExitCode {
    print(String(decoding: Array(json), as: UTF8.self).visibleAsJSON)
  }

  /// Prints a report, with or without colours. Its renderer has escaped control characters.
  package static func answer(report: String) { _ = print(report) }

  /// Prints the ready line of a server. Throws if standard output is closed.
  package static func announce(_ text: String) throws(Refusal) {
    answer(text)
    if let refusal { throw refusal }
  }

  /// Prints a line to standard error; the line feed at its end is optional.
  package static func complain(_ line: String) {
    let words = line.hasSuffix("\n") ? String(line.dropLast()) : line
    _ = write(words.visibleInLine + "\n", to: STDERR_FILENO)
  }

  /// Reports the first of several lines, and the number of the others.
  package static func complain(first most: Int, of lines: [String]) {
    for line in lines.prefix(most) { complain(line) }
    if lines.count > most { complain("and \(lines.count - most) more") }
  }

  /// Prints several lines to standard error.
  package static func complain(text: String) { _ = write(text.visible, to: STDERR_FILENO) }

  /// Prints the reason of a refusal and, after a wrong command line, the way to its help.
  package static func refuse(
    _ refusal: Refusal,
    as program: String,
    helpFor command: String
  ) -> ExitCode {
    complain("\(program): \(refusal.sentence)\n")
    if refusal.code == .usage { complain("For help: \(command) --help\n") }
    return refusal.code
  }

  /// Whether standard error is a terminal, so that a line may be overwritten.
  package static var isSeen: Bool { isTerminal(STDERR_FILENO) }

  /// Overwrites the progress line if standard error is a terminal.
  package static func progress(_ words: String) {
    guard isSeen else { return }
    _ = write("\r\u{1B}[K\(words.visibleInLine)", to: STDERR_FILENO)
  }

  /// Shows a code to a camera that looks at standard error.
  package static func show(_ code: QRCode) { _ = write(code.terminalText, to: STDERR_FILENO) }

  private static func print(_ text: String) -> ExitCode {
    loss.withLock { loss in
      // Text after a gap would pass for the whole.
      if loss == nil { loss = write(text, to: STDOUT_FILENO) }
    }
    return .done
  }

  /// Writes a whole text; returns the system's error number if that fails.
  private static func write(_ text: String, to descriptor: Int32) -> Int32? {
    if let print = ToolEnvironment.current.print {
      print(text, descriptor == STDOUT_FILENO ? .output : .errors)
      return nil
    }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch count == 0 ? EIO : errno {
      case EINTR: break
      // A pipe may be another program's as well, which wants it so.
      case EAGAIN:
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      case let number: return number
      }
    }
    return nil
  }
}
