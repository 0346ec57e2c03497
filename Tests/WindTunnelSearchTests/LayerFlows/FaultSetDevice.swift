import Foundation
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelSearch

/// A device on which the processes of an app follow one another, each in a folder of its own that
/// begins as the one before was when its process ended.
///
/// The code of a process that has ended may go on, and finds its own folder still there. So a
/// process ends between two turns of its tasks, with each write of before in its file. A kill in
/// the midst of a write, and power that fails, are not shown: tests that kill real processes do.
final class StormDevice: Sendable {
  /// A process of the app.
  struct Process: Sendable {
    let number: Int
    let folder: URL
    fileprivate let device: StormDevice

    /// Tells whether it has not ended.
    var isAlive: Bool { device.state.withLock { $0.folders.count == number + 1 } }

    /// Has something done when it ends, so that nothing of it stays.
    func whenEnded(_ work: @escaping @Sendable () -> Void) {
      device.state.withLock { $0.leftovers.append(work) }
    }
  }

  private struct State {
    var folders: [URL]
    var leftovers: [@Sendable () -> Void] = []
    var broken: [Violation] = []
  }

  private let state: Locked<State>

  /// Makes one with an empty folder.
  init() throws { state = Locked(State(folders: [try Self.newFolder()])) }

  deinit { removeAll() }

  /// The process that runs.
  var process: Process {
    let folders = state.withLock { $0.folders }
    return Process(number: folders.count - 1, folder: folders[folders.count - 1], device: self)
  }

  /// Ends the process that runs, and starts the next one.
  func processEnded() {
    let (last, leftovers) = state.withLock { state in
      defer { state.leftovers = [] }
      return (state.folders[state.folders.count - 1], state.leftovers)
    }
    do {
      let next = Self.unmadeFolder
      try FileManager.default.copyItem(at: last, to: next)
      state.withLock { $0.folders.append(next) }
    } catch {
      note(Violation("device", "The folder cannot be copied: \(error)"))
    }
    for leftover in leftovers { leftover() }
  }

  /// Notes what is broken.
  func note(_ violation: Violation) { state.withLock { $0.broken.append(violation) } }

  /// Removes what is on the device, and returns what was broken.
  func runEnded() -> [Violation] {
    removeAll()
    return state.withLock { $0.broken }
  }

  private func removeAll() {
    let (folders, leftovers) = state.withLock { state in
      defer { state.leftovers = [] }
      return (state.folders, state.leftovers)
    }
    for leftover in leftovers { leftover() }
    // It may be gone already.
    for folder in folders { try? FileManager.default.removeItem(at: folder) }
  }

  private static func newFolder() throws -> URL {
    let folder = unmadeFolder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Memory in place of a disk, where the system has some: no power fails here, and each flight
  /// waits for its files many times.
  private static var unmadeFolder: URL {
    let memory = URL(filePath: "/dev/shm")
    let isThere = FileManager.default.isWritableFile(atPath: memory.path)
    return (isThere ? memory : FileManager.default.temporaryDirectory)
      .appending(path: "windtunnel-fault-set-\(UUID().uuidString)")
  }
}
