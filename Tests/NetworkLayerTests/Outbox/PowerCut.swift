import Foundation

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// A folder of the real disk, and what of it would be there if the power went now: the bytes that a
/// file had when the disk was last waited for, under the names that its folder had then. A kill
/// leaves more than that, since the system keeps what a process has written.
final class PowerCut: Sendable {
  /// A call of the system's, with the names of the files.
  enum Step: Sendable, Equatable {
    case write(String)
    case sync(String)
    case syncFolder(String)
    case rename(String, String)
    case link(String, String)
  }

  private struct Disk {
    var steps: [Step] = []
    /// The bytes that each file has for good, by its number.
    var bytes: [UInt64: Data] = [:]
    /// The names that each folder has for good.
    var names: [String: [String: UInt64]] = [:]
    /// The folders among those numbers, by their paths.
    var folders: [UInt64: String] = [:]
    /// The failure of the next steps that are meant.
    var failure: (isMeant: @Sendable (Step) -> Bool, number: Int32)?
  }

  private let root: URL
  /// A second name of each file, so that no number is another file's afterwards.
  private let held: URL
  private let disk = Locked(Disk())

  init(_ root: URL) throws {
    self.root = root
    held = root.appendingPathExtension("held")
    try FileManager.default.createDirectory(at: held, withIntermediateDirectories: true)
  }

  deinit {
    // Nobody misses what stays behind in the system's temporary directory.
    try? FileManager.default.removeItem(at: held)
  }

  /// The calls that were made, in order; what failed is among them.
  var steps: [Step] { disk.withLock { $0.steps } }

  /// Has the steps that are meant fail from now on.
  func fail(_ number: Int32 = EIO, _ isMeant: @escaping @Sendable (Step) -> Bool) {
    disk.withLock { $0.failure = (isMeant, number) }
  }

  /// Has no step fail any more.
  func heal() { disk.withLock { $0.failure = nil } }

  /// The system's calls, which this hears of.
  var calls: DiskCalls {
    let system = DiskCalls.system
    var calls = DiskCalls()
    calls.write = { [self] file, bytes, place in
      begins(.write(name(file))) ? system.write(file, bytes, place) : -1
    }
    calls.sync = { [self] file in
      guard begins(.sync(name(file))), system.sync(file) else { return false }
      keepBytes(file)
      return true
    }
    calls.syncFolder = { [self] folder in
      guard begins(.syncFolder(name(folder))), system.syncFolder(folder) else { return false }
      keepNames(folder)
      return true
    }
    calls.rename = { [self] old, new in
      begins(.rename(last(old), last(new))) && system.rename(old, new)
    }
    calls.link = { [self] old, new in
      begins(.link(last(old), last(new))) && system.link(old, new)
    }
    return calls
  }

  /// Notes a step; false where it is to fail, with the error's number.
  private func begins(_ step: Step) -> Bool {
    let number = disk.withLock { disk -> Int32? in
      disk.steps.append(step)
      guard let failure = disk.failure, failure.isMeant(step) else { return nil }
      return failure.number
    }
    guard let number else { return true }
    errno = number
    return false
  }

  private func path(_ file: Int32) -> String {
    var path = [CChar](repeating: 0, count: 4096)
    #if canImport(Darwin)
      _ = fcntl(file, F_GETPATH, &path)
    #else
      _ = readlink("/proc/self/fd/\(file)", &path, path.count - 1)
    #endif
    return path.withUnsafeBufferPointer { $0.baseAddress.map(String.init(cString:)) ?? "" }
  }

  private func last(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? ""
  }

  private func name(_ file: Int32) -> String { last(path(file)) }

  private func number(_ path: String) -> UInt64? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    // Where it is held already it has a second name.
    if status.st_mode & S_IFMT == S_IFREG {
      link(path, held.appending(path: "\(status.st_ino)").path)
    }
    return UInt64(status.st_ino)
  }

  /// The path of the folder as a descriptor tells it, without links.
  private var real: String {
    let real = realpath(root.path, nil)
    defer { free(real) }
    return real.map { String(cString: $0) } ?? root.path
  }

  private func keepBytes(_ file: Int32) {
    let path = path(file)
    guard let number = number(path), let bytes = FileManager.default.contents(atPath: path) else {
      return
    }
    disk.withLock { $0.bytes[number] = bytes }
  }

  private func keepNames(_ folder: Int32) {
    let path = path(folder)
    // Above it there are others' folders, whose numbers come and go.
    guard path == real || path.hasPrefix(real + "/") else { return }
    var names: [String: UInt64] = [:]
    var folders: [UInt64: String] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
      var isFolder: ObjCBool = false
      let file = "\(path)/\(name)"
      guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder),
        let number = number(file)
      else { continue }
      names[name] = number
      if isFolder.boolValue { folders[number] = file }
    }
    disk.withLock { [names, folders] disk in
      disk.names[path] = names
      disk.folders.merge(folders) { $1 }
    }
  }

  /// Makes a folder as the disk has it for good.
  func cut() throws -> URL {
    let folder = root.appendingPathExtension("\(UUID())")
    let disk = disk.withLock { $0 }
    func make(_ source: String, at target: URL) throws {
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
      for (name, number) in disk.names[source] ?? [:] {
        let file = target.appending(path: name)
        if let source = disk.folders[number] {
          try make(source, at: file)
        } else {
          try (disk.bytes[number] ?? Data()).write(to: file)
        }
      }
    }
    try make(real, at: folder)
    return folder
  }
}
