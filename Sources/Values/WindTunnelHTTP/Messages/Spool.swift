package import Foundation

/// Content that is kept while it comes: in memory where it is small, else in a file without a name,
/// which the system takes back with the last who reads it.
package struct Spool {
  /// The size up to which content is kept in memory.
  package static let memoryBytesMax = 1 << 20

  private var memory = Data()
  private var file: SpoolFile?

  /// The number of bytes that have come.
  package private(set) var count = 0

  /// Makes a spool without content.
  package init() {}

  /// Keeps more.
  ///
  /// Without room for a file it stays in memory, as far as the limits let it come.
  package mutating func append(_ data: Data) {
    count += data.count
    memory.append(data)
    guard memory.count > Self.memoryBytesMax else { return }
    let file = file ?? SpoolFile()
    self.file = file
    if file?.append(memory) == true { memory.removeAll(keepingCapacity: true) }
  }

  /// Returns the content that has come, as one; of a file it is the system's own pages.
  package mutating func finish() -> Data { body().data }

  /// Returns the content that has come as a body, which stays in the file that it lies in.
  package mutating func body() -> Body {
    guard let file else { return Body(memory) }
    if !memory.isEmpty, file.append(memory) { memory = Data() }
    let kept = Body(file, count: file.count)
    return memory.isEmpty ? kept : Body(kept.data + memory)
  }
}

/// A file that nobody else can open, nor cut short while it is read.
///
/// Bytes are only ever added behind those that a reader knows of, and one thread adds them.
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

  /// Appends bytes; false where there is no room for all of them, and then none was appended.
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

  /// Returns its first bytes as the system's own pages; `nil` where the system cannot show them.
  func pages(_ count: Int) -> Data? {
    guard count > 0, let pages = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0),
      pages != MAP_FAILED
    else { return nil }
    return Data(bytesNoCopy: pages, count: count, deallocator: .custom { munmap($0, $1) })
  }

  /// Returns a copy of some of its bytes; `nil` where the system cannot read all of them.
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
