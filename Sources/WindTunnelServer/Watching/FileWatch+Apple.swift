#if canImport(Darwin)
  internal import Dispatch
  package import Foundation
  internal import WindTunnel

  /// Tells of files that were saved in folders, by looking at them twice a second.
  package final class FileWatch: Sendable {
    /// Each file that is new or was written.
    package let saves: AsyncStream<URL>
    private let seen: Locked<[URL: [String: Mark]]>

    /// What a save changes of a file.
    private struct Mark: Sendable, Hashable {
      var date: Date?
      var size: Int?
      var number: Int?
    }

    /// Watches from now on, until ``saves`` is no longer waited for.
    package init(_ folders: [URL]) throws(ServerError) {
      let (saves, continuation) = AsyncStream<URL>.makeStream()
      self.saves = saves
      let seen = Locked<[URL: [String: Mark]]>([:])
      self.seen = seen
      for folder in folders where !add(folder) {
        throw .cannotWatch("\(folder.relativePath) is no folder")
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
    package func add(_ folder: URL) -> Bool {
      guard let marks = Self.marks(in: folder) else { return false }
      seen.withLock { seen in
        if seen[folder] == nil { seen[folder] = marks }
      }
      return true
    }

    private static func marks(in folder: URL) -> [String: Mark]? {
      let manager = FileManager.default
      // No list, no folder.
      guard let names = try? manager.contentsOfDirectory(atPath: folder.path) else { return nil }
      var marks: [String: Mark] = [:]
      for name in names {
        let path = folder.appendingPathComponent(name).path
        // What has gone meanwhile is told when it comes back.
        let attributes = (try? manager.attributesOfItem(atPath: path)) ?? [:]
        marks[name] = Mark(
          date: attributes[.modificationDate] as? Date,
          size: (attributes[.size] as? NSNumber)?.intValue,
          number: (attributes[.systemFileNumber] as? NSNumber)?.intValue
        )
      }
      return marks
    }
  }
#endif
