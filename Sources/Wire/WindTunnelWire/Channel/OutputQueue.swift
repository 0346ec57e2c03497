/// Bytes that were written and not yet taken by the system.
struct OutputQueue {
  private var bytes: [UInt8] = []
  private var start = 0

  /// An empty queue keeps this much memory; ten thousand of them must fit.
  private static let keptBytesMax = 16 * 1024

  package var count: Int { bytes.count - start }
  package var isEmpty: Bool { start == bytes.count }

  /// Lets a serialiser write at the end.
  package mutating func write(_ body: (inout [UInt8]) -> Void) {
    if start > bytes.count / 2 {
      bytes.removeSubrange(..<start)
      start = 0
    }
    body(&bytes)
  }

  /// Sends what the system takes.
  package mutating func send(to socket: Socket) -> Socket.Transfer {
    let result = bytes.withUnsafeBytes {
      socket.write(UnsafeRawBufferPointer(rebasing: $0[start...]))
    }
    if case .bytes(let count) = result {
      start += count
      if isEmpty { removeAll() }
    }
    return result
  }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptBytesMax)
    start = 0
  }
}
