#if canImport(Darwin)
  internal import Darwin

  /// Waits until a file's bytes are on the disk; `false` if that failed.
  ///
  /// `fsync` alone leaves them in the drive's cache on this platform (fcntl(2), F_FULLFSYNC). It is
  /// used only on file systems that do not support more, so that no disk failure is missed.
  func systemSync(_ descriptor: Int32) -> Bool {
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    guard [ENOTSUP, EINVAL, ENOTTY].contains(errno) else { return false }
    return fsync(descriptor) == 0
  }

  /// Waits until the names in a folder are on the disk; `false` if that failed.
  func systemSyncFolder(_ descriptor: Int32) -> Bool { systemSync(descriptor) }
#endif
