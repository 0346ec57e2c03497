#if canImport(Darwin)
  internal import Darwin

  /// Waits until the disk has a file's bytes; false where it has not. `fsync` alone leaves them in
  /// the drive's own memory there (fcntl(2), F_FULLFSYNC), which some file systems have not.
  func systemSync(_ descriptor: Int32) -> Bool {
    fcntl(descriptor, F_FULLFSYNC) == 0 || fsync(descriptor) == 0
  }
#endif
