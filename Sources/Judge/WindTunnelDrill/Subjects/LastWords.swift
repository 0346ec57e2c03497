internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The standard error of a program. It is printed line by line without secrets, and searched for
/// the signs of a panic.
final class LastWords: Sendable {
  /// The texts by which runtimes report a panic.
  private static let signs = [
    "panic: ", "fatal error: ", "\ngoroutine ", "thread '", "panicked at",
  ]
  /// The maximum length of a sign, which may be split between two reads.
  private static let signLengthMax = 16
  /// The maximum length of a printed line.
  private static let shownMax = 2000

  private struct State {
    var end = ""
    var seen: Set<String> = []
  }

  private let state = Locked(State())
  private let isRead = DispatchSemaphore(value: 0)

  /// Reads a pipe on a thread of its own.
  ///
  /// - Parameters:
  ///   - pipe: The read end of the pipe.
  ///   - command: The command of the program.
  ///   - ending: The pipe that is closed at its other end when the program has ended.
  init(of pipe: FileHandle, for command: CommandWords, until ending: FileHandle) {
    Thread { [self] in
      let told = PrintedOutput(pipe, until: ending)
      var lines = LineSplitter()
      func show(_ line: String) {
        let shown = command.told(line, atMost: Self.shownMax)
        // If standard error cannot be written, the text is still searched.
        try? FileHandle.standardError.write(contentsOf: Data("\(shown)\n".utf8))
      }
      told.read { data in
        lines.take(data, show)
        state.withLock { state in
          let text = state.end + String(decoding: data, as: UTF8.self)
          state.seen.formUnion(Self.signs(in: text))
          state.end = String(text.suffix(Self.signLengthMax))
        }
      }
      if !lines.pending.isEmpty { lines.take(Data("\n".utf8), show) }
      isRead.signal()
      told.drop()
    }.start()
  }

  /// Waits until everything is read, and returns the signs that were found.
  func seen() -> Set<String> {
    isRead.wait()
    isRead.signal()
    return state.withLock { $0.seen }
  }

  /// Returns the signs in a text.
  static func signs(in text: String) -> Set<String> {
    Set(signs.filter { text.contains($0) })
  }

  /// Returns whether a program ended with a panic. Go's runtime exits with 2 and prints the stacks
  /// of its goroutines. Rust's exits with 101 and prints the location. Neither is a signal, nor an
  /// exit that the client chose.
  static func tellOfPanic(_ signs: Set<String>, code: Int32) -> Bool {
    switch code {
    case 2:
      (signs.contains("panic: ") || signs.contains("fatal error: "))
        && signs.contains("\ngoroutine ")
    case 101: signs.isSuperset(of: ["thread '", "panicked at"])
    default: false
    }
  }
}
