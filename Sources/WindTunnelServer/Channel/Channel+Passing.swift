internal import Foundation

// Bytes that are only passed on.
extension Channel {
  /// Writes bytes that lie in one piece, as those of a file's pages.
  func write(_ data: Data) {
    write { bytes in data.withUnsafeBytes { bytes.append(contentsOf: $0) } }
  }

  /// Writes bytes that lie elsewhere: straight to the system where nothing waits before them.
  func pass(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    guard let rest = writeNow(bytes) else { return }
    if !rest.isEmpty { write(rest) }
  }

  /// Sends what the system takes at once, where nothing waits before it, and answers the rest; `nil`
  /// after an end.
  private func writeNow(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard phase == .open, !outputEnded, !finishesWhenFlushed else { return nil }
    guard output.isEmpty, !isBlocked, !isSecure else { return bytes }
    switch socket.write(bytes) {
    case .bytes(let count):
      sent(count)
      return UnsafeRawBufferPointer(rebasing: bytes[count...])
    case .wouldBlock, .end: return bytes
    case .failed(let error):
      writingFailed(error)
      return nil
    }
  }
}
