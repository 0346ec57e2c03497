internal import Foundation

/// The output of a program until it has ended: what it has started may keep the pipe open longer.
struct PrintedOutput {
  /// A pipe holds no more than that: what comes behind it was not printed by the program itself.
  private static let pipeBytesMax = 1 << 16
  private let output: Int32
  private let handle: FileHandle
  private let ending: FileHandle

  /// Takes the end of the pipe that is read, and one that is closed at its other end when the
  /// program has ended.
  init(_ handle: FileHandle, until ending: FileHandle) {
    (self.handle, output, self.ending) = (handle, handle.fileDescriptor, ending)
  }

  /// Passes the output on as it is printed. Returns when the program has ended and the pipe is
  /// empty, or when every writer has closed it.
  func read(_ take: (Data) -> Void) {
    // Somebody whom it has left behind may print without an end.
    var left = Self.pipeBytesMax
    var descriptors = [
      // First, since poll(2) looks at them in their order.
      pollfd(fd: ending.fileDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: output, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      guard poll(&descriptors, 2, -1) > 0 else { continue }
      // Asked before what is there is read: nothing comes from the program itself behind that.
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

  /// Reads on to the pipe's end and keeps nothing.
  func drop() { while !handle.availableData.isEmpty {} }
}
