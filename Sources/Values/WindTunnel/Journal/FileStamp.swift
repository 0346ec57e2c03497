internal import CWindTunnelSystem
internal import Foundation

/// The state of a file, which another writer changes. The file is not read for it.
struct FileStamp: Equatable {
  /// The place of the file, its size, and the times of its last changes: a writer can set that of
  /// the content back, and not that of the inode. Zeros if there is no file.
  private var parts = [Int64](repeating: 0, count: 5)

  init(_ file: URL) { wt_file_stamp(((try? FileError.target(of: file)) ?? file).path, &parts) }
}
