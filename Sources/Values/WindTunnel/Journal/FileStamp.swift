internal import CWindTunnelSystem
internal import Foundation

/// The state of a file, which any writer changes; determined without reading the file.
struct FileStamp: Equatable {
  /// The inode of the file, its size, and the times of its last changes.
  ///
  /// A writer can set back the time of the content, but not the time of the inode. Zeros if there
  /// is no file.
  private var parts = [Int64](repeating: 0, count: 5)

  init(_ file: URL) { wt_file_stamp(((try? FileError.target(of: file)) ?? file).path, &parts) }
}
