internal import Foundation
internal import WindTunnel

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// The way from a subject's process to its parent: orders come in, messages go out.
///
/// Both are moved away from standard input and output at once: so nothing that a client prints can
/// stand in the middle of a message, nothing that it reads is missed here, and no process that it
/// starts keeps them open.
struct ParentLine: Sendable {
  private let input: Int32
  /// The way out: the parent reads to its end, which is when nobody holds it open any more.
  let output: Int32
  private let lock = Locked(())

  init() {
    // A parent that is gone must not end this process in the middle of a line.
    signal(SIGPIPE, SIG_IGN)
    input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    dup2(nothing, STDIN_FILENO)
    close(nothing)
    // What a client prints is for people.
    dup2(STDERR_FILENO, STDOUT_FILENO)
  }

  /// The orders: one line.
  func job() -> Data {
    var line = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(input, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return line }
      line.append(contentsOf: buffer[..<count])
      if buffer[count - 1] == UInt8(ascii: "\n") { return line }
    }
  }

  /// Ends this process as soon as its parent is gone, however that went.
  func endWithParent() {
    let input = input
    Thread {
      var byte: UInt8 = 0
      while true {
        let count = read(input, &byte, 1)
        if count > 0 || (count < 0 && errno == EINTR) { continue }
        RunningPrograms.shared.endAll()
        _exit(0)
      }
    }.start()
  }

  /// Tells the parent, one whole line at a time.
  func send(_ message: WorkerMessage) {
    let bytes = Array(message.line.utf8)
    lock.withLock { _ in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        // Nobody listens any more.
        guard count > 0 else {
          RunningPrograms.shared.endAll()
          _exit(0)
        }
        rest = rest.dropFirst(count)
      }
    }
  }
}
