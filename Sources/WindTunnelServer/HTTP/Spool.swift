internal import Foundation

/// Content that is kept while it comes: in memory where it is small, else in a file without a name,
/// which the system takes back with the last who reads it.
struct Spool {
  /// How much is kept in memory.
  static let memoryBytesMax = 1 << 20

  private var memory = Data()
  private var file: SpoolFile?

  /// How much has come.
  private(set) var count = 0

  /// Keeps more.
  ///
  /// Where there is no room for a file it stays in memory, as far as the limits let it come.
  mutating func append(_ data: Data) {
    count += data.count
    memory.append(data)
    guard memory.count > Self.memoryBytesMax else { return }
    let file = file ?? SpoolFile()
    self.file = file
    if file?.append(memory) == true { memory.removeAll(keepingCapacity: true) }
  }

  /// What has come, as one; of a file it is the system's own pages.
  mutating func finish() -> Data {
    guard let file else { return memory }
    if !memory.isEmpty, file.append(memory) { memory = Data() }
    let kept = file.data ?? Data()
    return memory.isEmpty ? kept : kept + memory
  }
}

/// A file that nobody else can open, nor cut short while it is read.
private final class SpoolFile {
  private let descriptor: Int32
  private var count = 0

  init?() {
    let folder = FileManager.default.temporaryDirectory
    var template = Array(folder.appendingPathComponent("windtunnel-XXXXXX").path.utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(template)
  }

  deinit { Platform.close(descriptor) }

  /// Appends bytes; false where there is no room for all of them, and then none was appended.
  func append(_ data: Data) -> Bool {
    let isWritten = data.withUnsafeBytes { bytes -> Bool in
      var done = 0
      while done < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
        let written = pwrite(descriptor, rest.baseAddress, rest.count, off_t(count + done))
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { return false }
        done += written
      }
      return true
    }
    if isWritten { count += data.count }
    return isWritten
  }

  /// All of it; `nil` where the system cannot show it.
  var data: Data? {
    guard count > 0, let pages = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0),
      pages != MAP_FAILED
    else { return nil }
    return Data(bytesNoCopy: pages, count: count, deallocator: .custom { munmap($0, $1) })
  }
}
