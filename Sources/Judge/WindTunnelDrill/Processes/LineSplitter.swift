internal import Foundation

/// A splitter of a process's output into lines.
struct LineSplitter {
  /// The maximum size of a line in bytes. A longer line is not a message and is dropped, so that a
  /// process that never ends a line does not fill the memory.
  static let lineBytesMax = 16 << 20

  /// The number of lines that were dropped because of their length.
  private(set) var dropped = 0
  /// The bytes of the incomplete last line.
  private(set) var pending = Data()
  private var isDropping = false

  /// Appends the next bytes, and calls `line` with each line that they complete.
  mutating func take(_ data: Data, _ line: (String) -> Void) {
    var rest = data[...]
    // Only the new bytes are searched, because the pending bytes contain no line end.
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      if isDropping {
        isDropping = false
      } else {
        pending.append(rest[..<end])
        line(String(decoding: pending, as: UTF8.self))
      }
      pending = Data()
      rest = rest[(end + 1)...]
    }
    if isDropping { return }
    pending.append(rest)
    if pending.count > Self.lineBytesMax {
      (pending, isDropping) = (Data(), true)
      dropped += 1
    }
  }
}
