#if !canImport(Darwin)
  internal import Foundation

  /// Waits until the disk has a file's bytes and its length; false where it has not (fdatasync(2)).
  func systemSync(_ descriptor: Int32) -> Bool { fdatasync(descriptor) == 0 }

  /// Waits until the disk has the names in a folder; false where it has not (fsync(2)). Some
  /// network file systems cannot be asked for it, and say so by EINVAL.
  func systemSyncFolder(_ descriptor: Int32) -> Bool { fsync(descriptor) == 0 || errno == EINVAL }
#endif
