internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The end of what a program writes to standard error, which people see as it comes.
final class LastWords: Sendable {
  /// The length of the end that is kept: a panic of Go's with the stack of its goroutine is shorter.
  private static let bytesMax = 16 << 10

  private let end = Locked(Data())
  private let isRead = DispatchSemaphore(value: 0)

  /// Reads a pipe on a thread of its own.
  ///
  /// - Parameters:
  ///   - pipe: The end that is read.
  ///   - ending: The pipe that is closed at its other end when the program has ended.
  init(of pipe: FileHandle, until ending: FileHandle) {
    Thread { [self] in
      let told = PrintedOutput(pipe, until: ending)
      told.read { data in
        // Where nobody can see it, it is kept all the same.
        try? FileHandle.standardError.write(contentsOf: data)
        end.withLock { end in
          end.append(data)
          if end.count > Self.bytesMax { end = Data(end.suffix(Self.bytesMax)) }
        }
      }
      isRead.signal()
      told.drop()
    }.start()
  }

  /// Waits until all of it is read, and returns its end.
  func text() -> String {
    isRead.wait()
    isRead.signal()
    return end.withLock { String(decoding: $0, as: UTF8.self) }
  }

  /// Tells whether a program died from a panic: Go's runtime ends with 2 and the stacks of its
  /// goroutines, Rust's with 101 and the place. Both are no signals, and no ends that a client chose.
  static func tellOfPanic(_ text: String, code: Int32) -> Bool {
    switch code {
    case 2:
      (text.contains("panic: ") || text.contains("fatal error: "))
        && text.contains("\ngoroutine ")
    case 101: text.contains("thread '") && text.contains("panicked at")
    default: false
    }
  }
}
