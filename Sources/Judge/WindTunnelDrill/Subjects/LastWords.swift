internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The standard error of a program: shown line by line without secrets, and looked through
/// for the signs of a panic.
final class LastWords: Sendable {
  /// The words by which runtimes begin and go on to tell of a panic.
  private static let signs = [
    "panic: ", "fatal error: ", "\ngoroutine ", "thread '", "panicked at",
  ]
  /// A sign may come in two pieces.
  private static let signLengthMax = 16
  /// No more is shown of a line.
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
  ///   - pipe: The end that is read.
  ///   - command: The command of the program.
  ///   - ending: The pipe that is closed at its other end when the program has ended.
  init(of pipe: FileHandle, for command: CommandWords, until ending: FileHandle) {
    Thread { [self] in
      let told = PrintedOutput(pipe, until: ending)
      var lines = LineSplitter()
      func show(_ line: String) {
        let shown = command.told(line, atMost: Self.shownMax)
        // Where nobody can see it, it is kept all the same.
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

  /// Waits until all of it is read, and returns the signs that were seen.
  func seen() -> Set<String> {
    isRead.wait()
    isRead.signal()
    return state.withLock { $0.seen }
  }

  /// Returns the signs in a text.
  static func signs(in text: String) -> Set<String> {
    Set(signs.filter { text.contains($0) })
  }

  /// Tells whether a program died from a panic: Go's runtime ends with 2 and the stacks of its
  /// goroutines, Rust's with 101 and the place. Both are no signals, and no ends that a client
  /// chose.
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
