internal import Foundation

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

extension JournalPage {
  /// What a recording left here that is over; `nil` where there is nothing, or where one goes on.
  static func left(_ file: URL) throws(FileError) -> Data? {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .unreadable(file.relativePath, reason: String(cString: strerror(errno)))
    }
    // Its end gives the lock back.
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return nil }
    defer { withExtendedLifetime(handle) {} }
    return try FileError.reading(file, bytesMax: Cassette.fileBytesMax)
  }
}
