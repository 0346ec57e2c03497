package import Foundation

/// Content that is stored while it is received: in memory if it is small, otherwise in an unlinked
/// file.
///
/// The system removes the file when the last reader closes it.
package struct Spool {
  /// The maximum size in bytes of content in memory, for one spool and for all requests of a
  /// connection.
  package static let memoryBytesMax = 1 << 20

  private var memory = Data()
  private var file: SpoolFile?

  /// The number of bytes in memory.
  package var memoryBytes: Int { memory.count }
  /// The number of bytes received.
  package private(set) var count = 0

  /// Creates an empty spool.
  package init() {}

  /// Appends content.
  ///
  /// If the file cannot be written, the content stays in memory, up to the limits of its source.
  package mutating func append(_ data: Data) {
    count += data.count
    memory.append(data)
    if memory.count > Self.memoryBytesMax { _ = moveToFile() }
  }

  /// Moves the content in memory to the file; `false` if it cannot be written.
  package mutating func moveToFile() -> Bool {
    let file = file ?? SpoolFile()
    self.file = file
    guard file?.append(memory) == true else { return false }
    memory = Data()
    return true
  }

  /// Returns the received content as one value; content in a file is memory-mapped.
  package mutating func finish() -> Data { body().data }

  /// Returns the received content as a body. Content in a file stays in the file.
  package mutating func body() -> Body {
    guard let file else { return Body(memory) }
    if !memory.isEmpty, file.append(memory) { memory = Data() }
    let kept = Body(file, count: file.count)
    return memory.isEmpty ? kept : Body(kept.data + memory)
  }
}

/// An unlinked file, which no other process can open or truncate while it is read.
///
/// Bytes are only appended after the bytes that readers know, and only by one thread.
final class SpoolFile: @unchecked Sendable {
  private let descriptor: Int32
  fileprivate private(set) var count = 0

  fileprivate init?() {
    let folder = FileManager.default.temporaryDirectory
    var template = Array(folder.appendingPathComponent("windtunnel-XXXXXX").path.utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(template)
  }

  deinit { close(descriptor) }

  /// Appends bytes. Returns `false` and appends nothing if they cannot all be written.
  fileprivate func append(_ data: Data) -> Bool {
    let isWritten = data.withUnsafeBytes { bytes in
      FileError.code(ofMoving: bytes.count) { done in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
        return pwrite(descriptor, rest.baseAddress, rest.count, off_t(count + done))
      } == 0
    }
    if isWritten { count += data.count }
    return isWritten
  }

  /// Returns the first `count` bytes, memory-mapped; `nil` if the system cannot map them.
  func pages(_ count: Int) -> Data? {
    guard count > 0, let pages = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0),
      pages != MAP_FAILED
    else { return nil }
    return Data(bytesNoCopy: pages, count: count, deallocator: .custom { munmap($0, $1) })
  }

  /// Returns a copy of a range of bytes; `nil` if the system cannot read all of them.
  func bytes(_ range: Range<Int>) -> Data? {
    var data = Data(count: range.count)
    let isRead = data.withUnsafeMutableBytes { bytes in
      FileError.code(ofMoving: bytes.count) { done in
        let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
        return pread(descriptor, rest.baseAddress, rest.count, off_t(range.lowerBound + done))
      } == 0
    }
    return isRead ? data : nil
  }
}
