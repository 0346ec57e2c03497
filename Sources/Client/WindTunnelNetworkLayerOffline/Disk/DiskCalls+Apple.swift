#if canImport(Darwin)
  internal import Darwin

  /// Waits until the disk has a file's bytes; false where it has not. `fsync` alone leaves them in
  /// the drive's own memory there (fcntl(2), F_FULLFSYNC); it is asked only on file systems that
  /// know no better, so that no failure of the disk is passed over.
  func systemSync(_ descriptor: Int32) -> Bool {
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    guard [ENOTSUP, EINVAL, ENOTTY].contains(errno) else { return false }
    return fsync(descriptor) == 0
  }

  /// Waits until the disk has the names in a folder; false where it has not.
  func systemSyncFolder(_ descriptor: Int32) -> Bool { systemSync(descriptor) }
#endif
