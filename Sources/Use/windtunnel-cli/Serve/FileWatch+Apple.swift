#if canImport(Darwin)
  @_spi(WindTunnel) internal import WindTunnelCore
  internal import Dispatch
  internal import Foundation

  /// Tells of files that were saved in folders, by looking at them twice a second.
  final class FileWatch: Sendable {
    /// Each file that is new or was written.
    let saves: AsyncStream<URL>
    private let seen: Locked<[URL: [String: FileMark]]>

    /// Watches from now on, until ``saves`` is no longer waited for.
    init(_ folders: [URL]) throws(WatchError) {
      let (saves, continuation) = AsyncStream<URL>.makeStream()
      self.saves = saves
      let seen = Locked<[URL: [String: FileMark]]>([:])
      self.seen = seen
      for folder in folders where !add(folder) {
        throw WatchError(reason: "\(folder.relativePath) is no folder")
      }
      let timer = DispatchSource.makeTimerSource()
      timer.schedule(deadline: .now() + 0.5, repeating: 0.5)
      timer.setEventHandler {
        for folder in seen.withLock({ Array($0.keys) }) {
          guard let now = Self.marks(in: folder) else { continue }
          let before = seen.withLock { seen in
            defer { seen[folder] = now }
            return seen[folder] ?? [:]
          }
          for (name, mark) in now where before[name] != mark {
            continuation.yield(folder.appendingPathComponent(name))
          }
        }
      }
      timer.resume()
      nonisolated(unsafe) let watched = timer
      continuation.onTermination = { _ in watched.cancel() }
    }

    /// Watches one more folder; false where there is none. One that is watched already is let be.
    @discardableResult
    func add(_ folder: URL) -> Bool {
      guard let marks = Self.marks(in: folder) else { return false }
      seen.withLock { seen in if seen[folder] == nil { seen[folder] = marks } }
      return true
    }

    private static func marks(in folder: URL) -> [String: FileMark]? {
      let manager = FileManager.default
      // No list, no folder.
      guard let names = try? manager.contentsOfDirectory(atPath: folder.path) else { return nil }
      var marks: [String: FileMark] = [:]
      for name in names { marks[name] = FileMark(of: folder.appendingPathComponent(name)) }
      return marks
    }
  }
#endif
