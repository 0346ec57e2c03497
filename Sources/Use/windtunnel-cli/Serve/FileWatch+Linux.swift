#if !canImport(Darwin)
  @_spi(WindTunnel) internal import WindTunnelCore
  internal import CWindTunnelSystem
  internal import Dispatch

  /// Tells of files that were saved in folders, by inotify.
  ///
  /// Folders and not files are watched: most editors write a new file and put it in the old one's
  /// place, and a watch would stay with the old one.
  final class FileWatch: Sendable {
    /// Each file that was written and closed, or moved here; each folder that has come.
    let saves: AsyncStream<URL>
    private let inotify: Int32
    private let folders: Locked<[Int32: URL]>

    /// Watches from now on, until ``saves`` is no longer waited for.
    init(_ folders: [URL]) throws(WatchError) {
      inotify = wt_inotify()
      guard inotify >= 0 else { throw WatchError(reason: String(cString: strerror(errno))) }
      let known = Locked<[Int32: URL]>([:])
      self.folders = known
      let (saves, continuation) = AsyncStream<URL>.makeStream()
      self.saves = saves
      let source = DispatchSource.makeReadSource(fileDescriptor: inotify)
      source.setEventHandler { [inotify] in
        for (number, name) in Self.events(of: inotify) {
          guard let folder = known.withLock({ $0[number] }) else { continue }
          continuation.yield(folder.appendingPathComponent(name))
        }
      }
      source.setCancelHandler { [inotify] in Glibc.close(inotify) }
      source.resume()
      nonisolated(unsafe) let watched = source
      continuation.onTermination = { _ in watched.cancel() }
      for folder in folders where !add(folder) {
        let reason = "\(folder.relativePath): \(String(cString: strerror(errno)))"
        continuation.finish()
        throw WatchError(reason: reason)
      }
    }

    /// Watches one more folder; false where there is none. One that is watched already is let be.
    @discardableResult
    func add(_ folder: URL) -> Bool {
      let number = wt_inotify_add(inotify, folder.path)
      guard number >= 0 else { return false }
      folders.withLock { $0[number] = folder }
      return true
    }

    /// Reads what has happened: the folder's number and the name in it (inotify(7)).
    private static func events(of inotify: Int32) -> [(Int32, String)] {
      var events: [(Int32, String)] = []
      withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 8) { buffer in
        while true {
          let count = read(inotify, buffer.baseAddress, buffer.count)
          guard count > 0 else { return }
          let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
          var offset = 0
          while offset + 16 <= count {
            let number = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
            let mask = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
            let name = bytes[(offset + 16)..<min(offset + 16 + length, count)].prefix { $0 != 0 }
            offset += 16 + length
            guard wt_inotify_is_save(mask) != 0 else { continue }
            events.append((number, String(decoding: name, as: UTF8.self)))
          }
        }
      }
      return events
    }
  }
#endif
