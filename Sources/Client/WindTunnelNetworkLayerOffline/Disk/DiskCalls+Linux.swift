#if !canImport(Darwin)
  internal import Foundation

  /// Waits until a file's bytes and its length are on the disk; `false` if that failed
  /// (fdatasync(2)).
  func systemSync(_ descriptor: Int32) -> Bool { fdatasync(descriptor) == 0 }

  /// Waits until the names in a folder are on the disk; `false` if that failed (fsync(2)).
  ///
  /// Some network file systems do not support this, and fail with EINVAL.
  func systemSyncFolder(_ descriptor: Int32) -> Bool { fsync(descriptor) == 0 || errno == EINVAL }
#endif
