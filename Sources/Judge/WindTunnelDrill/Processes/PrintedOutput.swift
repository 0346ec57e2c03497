internal import Foundation

/// The output of a program until it has ended. Processes that it has started may keep the pipe open
/// longer.
struct PrintedOutput {
  /// The maximum number of bytes in a pipe. Bytes beyond it, read after the program's end, were not
  /// printed by the program itself.
  private static let pipeBytesMax = 1 << 16
  private let output: Int32
  private let handle: FileHandle
  private let ending: FileHandle

  /// Creates the output of a pipe.
  ///
  /// - Parameters:
  ///   - handle: The read end of the pipe.
  ///   - ending: The read end of a pipe that is closed at its other end when the program has ended.
  init(_ handle: FileHandle, until ending: FileHandle) {
    (self.handle, output, self.ending) = (handle, handle.fileDescriptor, ending)
  }

  /// Passes the output on as it is printed. Returns if the program has ended and the pipe is empty,
  /// or if every writer has closed it.
  func read(_ take: (Data) -> Void) {
    // A process that the program has left running may print indefinitely.
    var left = Self.pipeBytesMax
    var descriptors = [
      // The first descriptor, because poll(2) checks descriptors in their order.
      pollfd(fd: ending.fileDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: output, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      guard poll(&descriptors, 2, -1) > 0 else { continue }
      // Read before the available data: afterwards, the program itself prints nothing more.
      let hasEnded = descriptors[0].revents != 0
      if descriptors[1].revents != 0 {
        let data = handle.availableData
        take(data)
        if hasEnded { left -= data.count }
        if data.isEmpty || left <= 0 { return }
      } else if hasEnded {
        return
      }
    }
  }

  /// Reads and discards everything until the end of the pipe.
  func drop() { while !handle.availableData.isEmpty {} }
}
