internal import Foundation
package import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The streams that words go to: answers to standard output, everything else to standard error.
///
/// Much of what is printed was written by somebody else, so control characters and the like are
/// spelled and never sent, whoever prints. What is not written to a full disk is told at the end,
/// by ``close(_:as:)``.
package enum Terminal {
  /// The system's error number of the first write to standard output that failed; `nil` while none
  /// has.
  private static let loss = Locked<Int32?>(nil)

  /// Makes the standard streams safe to write to: for a program that is ours as a whole.
  package static func open() {
    // With a handler a write to nobody fails. What is ignored instead stays so in every program
    // that is started (POSIX.1-2024, exec), which would then print to nobody without an end.
    for number in [SIGPIPE, SIGXFSZ] { signal(number) { _ in } }
    // A stream that is closed would be the number of the next file that is opened, a cassette's.
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = Foundation.open("/dev/null", O_RDWR)
    }
  }

  /// Returns the code to end with, which is another one where an answer could not be written. Who
  /// reads no further has lost nothing.
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

  /// Tells whether a person reads the answer, and wants colours (https://no-color.org).
  package static var showsColour: Bool {
    let variables = ToolEnvironment.current.variables
    let refuses = variables["NO_COLOR"].map { !$0.isEmpty } ?? false
    return isTerminal(STDOUT_FILENO) && !refuses && variables["TERM"] != "dumb"
  }

  private static func isTerminal(_ descriptor: Int32) -> Bool {
    ToolEnvironment.current.print == nil && isatty(descriptor) != 0
  }

  /// Tells whether GitHub Actions reads what is printed, and shows some of it at a file's line.
  package static var isReadByGitHub: Bool {
    ToolEnvironment.current.variables["GITHUB_ACTIONS"] == "true"
  }

  // A command may end with its answer, so two of these return the code of that.

  /// Prints what was asked for.
  @discardableResult
  package static func answer(_ text: String) -> ExitCode { print(text.visible) }

  /// Prints a line that bears words from outside, which are no line of their own.
  package static func answer(line: String) { _ = print(line.visibleInLine + "\n") }

  /// Prints a value as one of our files holds it.
  @discardableResult
  package static func answer(_ json: JSON) -> ExitCode { answer(json: json.fileBytes()) }

  /// Prints a JSON text.
  @discardableResult
  package static func answer(json: some Sequence<UInt8>) -> ExitCode {
    print(String(decoding: Array(json), as: UTF8.self).visibleAsJSON)
  }

  /// Prints what is harmless in its own form by whoever made it: a report, with or without colours.
  package static func answer(report: String) { _ = print(report) }

  /// Prints the line that somebody waits for before asking a server; where nobody can read it, the
  /// server is of no use.
  package static func announce(_ text: String) throws(Refusal) {
    answer(text)
    if let refusal { throw refusal }
  }

  /// Prints a line that nobody asked for; its end may be left out.
  package static func complain(_ line: String) {
    let words = line.hasSuffix("\n") ? String(line.dropLast()) : line
    _ = write(words.visibleInLine + "\n", to: STDERR_FILENO)
  }

  /// Prints several lines that nobody asked for.
  package static func complain(text: String) { _ = write(text.visible, to: STDERR_FILENO) }

  /// Says why not, and where help is if the question was wrong.
  package static func refuse(
    _ refusal: Refusal,
    as program: String,
    helpFor command: String
  ) -> ExitCode {
    complain("\(program): \(refusal.sentence)\n")
    if refusal.code == .usage { complain("For help: \(command) --help\n") }
    return refusal.code
  }

  /// Tells whether a person looks at standard error, so that a line may be written over.
  package static var isSeen: Bool { isTerminal(STDERR_FILENO) }

  /// Writes over the line that shows how far something has come, if anybody looks.
  package static func progress(_ words: String) {
    guard isSeen else { return }
    _ = write("\r\u{1B}[K\(words.visibleInLine)", to: STDERR_FILENO)
  }

  /// Shows a code to a camera that looks at standard error.
  package static func show(_ code: QRCode) { _ = write(code.terminalText, to: STDERR_FILENO) }

  private static func print(_ text: String) -> ExitCode {
    loss.withLock { loss in
      // What came behind a gap would pass for the whole.
      if loss == nil { loss = write(text, to: STDOUT_FILENO) }
    }
    return .done
  }

  /// Writes all of it; the system's number of what went wrong, if anything did.
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
