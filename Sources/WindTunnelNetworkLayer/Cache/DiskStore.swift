public import Foundation

/// Kept answers in a directory of their own, one file each, up to a number of bytes.
///
/// A file comes into its place by being renamed, and tells by itself whether it is whole: a process
/// that is killed leaves the old answer, the new one or none, and a file that was damaged is removed
/// when it is met. What cannot be written is not kept; a full disk fails no call.
public final class DiskStore: Sendable {
  private struct State {
    /// Bytes and last use of each file.
    var files: [String: (bytes: Int, use: Int)] = [:]
    var uses = 0
    var bytes: Int { files.values.reduce(0) { $0 + $1.bytes } }
  }

  private let directory: URL
  private let most: Int
  private let state = Locked(State())

  /// Opens a directory, which is made where there is none, and removes what does not belong there.
  public init(directory: URL, bytes: Int = 50_000_000) throws {
    self.directory = directory
    most = max(0, bytes)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let files = try FileManager.default.contentsOfDirectory(
      at: directory,
      includingPropertiesForKeys: [.fileSizeKey, .contentModificationDateKey]
    )
    let dated = try files.map { file in
      (file, try file.resourceValues(forKeys: [.fileSizeKey, .contentModificationDateKey]))
    }
    let oldestFirst = dated.sorted {
      ($0.1.contentModificationDate ?? .distantPast)
        < ($1.1.contentModificationDate ?? .distantPast)
    }
    for (file, values) in oldestFirst {
      if Self.isName(file.lastPathComponent) {
        state.withLock { Self.note(file.lastPathComponent, values.fileSize ?? 0, in: &$0) }
      } else {
        // Half a file of a process that was killed; it is tried again next time.
        try? FileManager.default.removeItem(at: file)
      }
    }
    state.withLock { trim(&$0) }
  }

  /// What the files take, in bytes.
  public var bytes: Int { state.withLock { $0.bytes } }

  /// Reads an answer; one that is damaged is removed.
  subscript(key: String) -> CachedAnswer? {
    let name = Self.name(key)
    return state.withLock { state in
      guard state.files[name] != nil else { return nil }
      // What cannot be read is as good as damaged.
      let kept = (try? Data(contentsOf: file(name))).flatMap(CacheFile.read)
      guard let kept, kept.key == key else {
        if kept == nil { remove(name, in: &state) }
        return nil
      }
      state.uses += 1
      state.files[name]?.use = state.uses
      return kept
    }
  }

  func keep(_ kept: CachedAnswer) {
    let name = Self.name(kept.key)
    // What cannot be spelled or written is not kept.
    guard let data = try? CacheFile.write(kept), data.count <= most / 2 else { return }
    state.withLock { state in
      do {
        try data.write(to: file(name), options: .atomic)
        Self.note(name, data.count, in: &state)
      } catch {
        remove(name, in: &state)
      }
      trim(&state)
    }
  }

  func remove(_ key: String) { state.withLock { remove(Self.name(key), in: &$0) } }

  func removeAll() {
    state.withLock { state in for name in state.files.keys { remove(name, in: &state) } }
  }

  private func file(_ name: String) -> URL { directory.appendingPathComponent(name) }

  private func remove(_ name: String, in state: inout State) {
    guard state.files.removeValue(forKey: name) != nil else { return }
    // One that stays behind is found and counted at the next start.
    try? FileManager.default.removeItem(at: file(name))
  }

  private func trim(_ state: inout State) {
    while state.bytes > most, let oldest = state.files.min(by: { $0.value.use < $1.value.use })?.key
    {
      remove(oldest, in: &state)
    }
  }

  private static func note(_ name: String, _ bytes: Int, in state: inout State) {
    state.uses += 1
    state.files[name] = (bytes, state.uses)
  }

  /// Two addresses of one name are told apart by the key in the file.
  private static func name(_ key: String) -> String {
    let digits = String(CacheFile.hash(key.utf8), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits + ".answer"
  }

  private static func isName(_ text: String) -> Bool {
    text.hasSuffix(".answer") && text.count == 23 && text.prefix(16).allSatisfy(\.isHexDigit)
  }
}
