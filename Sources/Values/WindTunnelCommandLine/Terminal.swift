internal import Foundation
package import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The streams of a command: results are printed to standard output, all other text to standard
/// error.
///
/// Much of the text is from other programs, so control characters are always escaped. Text that
/// could not be written, for example to a full disk, is reported at the end by ``close(_:as:)``.
package enum Terminal {
  /// The system's error number of the first failed write to standard output; `nil` if none has
  /// failed.
  private static let loss = Locked<Int32?>(nil)

  /// Prepares the standard streams of a program that belongs to the project.
  package static func open() {
    // With a handler, a write to a closed pipe returns an error. An ignored signal would also be
    // ignored in started programs (POSIX.1-2024, exec), which would then print to a closed pipe
    // indefinitely.
    for number in [SIGPIPE, SIGXFSZ] { signal(number) { _ in } }
    // A closed stream's number would be reused by the next opened file, for example a cassette.
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = Foundation.open("/dev/null", O_RDWR)
    }
  }

  /// Returns the exit code, which is different if the output could not be written. A closed pipe is
  /// not an error.
  package static func close(_ code: ExitCode, as program: String) -> ExitCode {
    guard code != .cannotWrite, let refusal else { return code }
    complain("\(program): \(refusal.sentence)")
    return refusal.code
  }

  private static var refusal: CommandError? {
    guard let number = loss.withLock({ $0 }), number != EPIPE, number != ECONNRESET else {
      return nil
    }
    return CommandError(
      FileError.unwritable("standard output", reason: String(cString: strerror(number)))
    )
  }

  /// Whether standard output is a terminal and colours are enabled (https://no-color.org).
  package static var showsColour: Bool {
    let variables = ToolEnvironment.current.variables
    let refuses = variables["NO_COLOR"].map { !$0.isEmpty } ?? false
    return isTerminal(STDOUT_FILENO) && !refuses && variables["TERM"] != "dumb"
  }

  private static func isTerminal(_ descriptor: Int32) -> Bool {
    ToolEnvironment.current.print == nil && isatty(descriptor) != 0
  }

  /// Whether GitHub Actions reads the output and shows annotations at source lines.
  package static var isReadByGitHub: Bool {
    ToolEnvironment.current.variables["GITHUB_ACTIONS"] == "true"
  }

  // A command may end with its output, so these functions return the exit code.

  /// Prints the result of a command.
  @discardableResult
  package static func answer(_ text: String) -> ExitCode { print(text.visible) }

  /// Prints a line with external text, which must not break the line.
  package static func answer(line: String) { _ = print(line.visibleInLine + "\n") }

  /// Prints a value in the layout of the project's files.
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
  package static func announce(_ text: String) throws(CommandError) {
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

  /// Prints the reason of a refusal and, after an invalid command line, how to get help.
  package static func refuse(
    _ refusal: CommandError,
    as program: String,
    helpFor command: String
  ) -> ExitCode {
    complain("\(program): \(refusal.sentence)\n")
    if refusal.code == .usage { complain("For help: \(command) --help\n") }
    return refusal.code
  }

  /// Whether standard error is a terminal, so that a line can be overwritten.
  package static var isSeen: Bool { isTerminal(STDERR_FILENO) }

  /// Overwrites the progress line if standard error is a terminal.
  package static func progress(_ words: String) {
    guard isSeen else { return }
    _ = write("\r\u{1B}[K\(words.visibleInLine)", to: STDERR_FILENO)
  }

  /// Prints a QR code to standard error.
  package static func show(_ code: QRCode) { _ = write(code.terminalText, to: STDERR_FILENO) }

  private static func print(_ text: String) -> ExitCode {
    loss.withLock { loss in
      // Text after a gap would look complete.
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
      // The pipe may be shared with a program that set it to non-blocking.
      case EAGAIN:
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      case let number: return number
      }
    }
    return nil
  }
}
