internal import Foundation

/// A splitter of a process's output into lines.
struct LineSplitter {
  /// The limit of a line. One that is longer is no message and is dropped, so that a process that
  /// never ends a line does not fill the memory.
  static let lineBytesMax = 16 << 20

  /// The number of lines that were dropped for their length.
  private(set) var dropped = 0
  /// The bytes of a line without its end.
  private(set) var pending = Data()
  private var isDropping = false

  /// Takes the next bytes and hands over each line that they end.
  mutating func take(_ data: Data, _ line: (String) -> Void) {
    var rest = data[...]
    // Only the new bytes are searched: what is pending holds no line's end.
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
