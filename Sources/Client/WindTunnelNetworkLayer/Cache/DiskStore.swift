public import Foundation

/// A store of cached answers in a directory of its own, one file each, up to a number of bytes.
///
/// A file is put into its place by being renamed, and shows by itself whether it is whole: a
/// process that is killed leaves the old answer, the new one or none, and a damaged file is removed
/// when it is read. An answer that cannot be written is not kept; a full disk fails no call.
public final class DiskStore: Sendable {
  private let directory: URL
  private let cipher: (any AEAD)?
  private let files: Locked<BoundedStore<Void>>

  /// Opens a directory, which is created where there is none, and removes all that is not the
  /// store's.
  ///
  /// - Parameters:
  ///   - directory: The directory.
  ///   - bytes: The greatest size of all files together.
  ///   - cipher: Seals each file, bound to its name; `nil`: files are as readable as the answers.
  ///     What it cannot open counts as damaged. Files that are there from a time without a cipher
  ///     are removed.
  /// - Throws: The file system's error where the directory cannot be had.
  public init(directory: URL, bytes: Int = 50_000_000, sealedBy cipher: (any AEAD)? = nil) throws {
    self.directory = directory
    self.cipher = cipher
    var kept = BoundedStore<Void>(bytes: bytes)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey]
    let dated = try FileManager.default.contentsOfDirectory(
      at: directory,
      includingPropertiesForKeys: Array(keys)
    ).map { file in (file, try file.resourceValues(forKeys: keys)) }
    let oldestFirst = dated.sorted {
      ($0.1.contentModificationDate ?? .distantPast)
        < ($1.1.contentModificationDate ?? .distantPast)
    }
    for (file, values) in oldestFirst {
      let name = file.lastPathComponent
      // Half a file of a process that was killed, or what should be sealed, is removed.
      let isKept = Self.isName(name) && (cipher == nil || !CacheFile.isPlain(file))
      let dropped = isKept ? kept.restore((), of: values.fileSize ?? 0, as: name) : [name]
      for name in dropped { Self.removeFile(name, in: directory) }
    }
    files = Locked(kept)
  }

  /// The size of all files, in bytes.
  public var bytes: Int { files.withLock { $0.bytes } }

  /// Reads an answer; one that is damaged is removed.
  subscript(key: String) -> CachedResponse? {
    let name = Self.name(key)
    return files.withLock { files in
      guard files[name] != nil else { return nil }
      // What cannot be read is as good as damaged.
      let kept = (try? opened(Data(contentsOf: file(name)), name)).flatMap(CacheFile.read)
      if kept == nil { remove(name, from: &files) }
      return kept?.key == key ? kept : nil
    }
  }

  /// Writes an answer that is still wanted when its turn has come; nobody removes it meanwhile.
  func keep(_ kept: CachedResponse, ifWanted isWanted: () -> Bool = { true }) {
    let name = Self.name(kept.key)
    // What cannot be spelled or written is not kept.
    guard let data = try? sealed(CacheFile.write(kept), name) else { return }
    files.withLock { files in
      guard files.hasRoom(for: data.count), isWanted() else { return }
      do {
        try data.write(to: file(name), options: .atomic)
        let dropped = files.keep((), of: data.count, as: name)
        for name in dropped { Self.removeFile(name, in: directory) }
      } catch {
        remove(name, from: &files)
      }
    }
  }

  /// Removes an answer, and does what belongs to that while nobody reads or writes.
  func remove(_ key: String, and body: () -> Void = {}) {
    files.withLock { files in
      remove(Self.name(key), from: &files)
      body()
    }
  }

  func removeAll(and body: () -> Void = {}) {
    files.withLock { files in
      for name in files.removeAll() { Self.removeFile(name, in: directory) }
      body()
    }
  }

  private func sealed(_ data: Data, _ name: String) throws -> Data {
    try cipher?.seal(data, authenticating: Data(name.utf8)) ?? data
  }

  private func opened(_ data: Data, _ name: String) throws -> Data {
    try cipher?.open(data, authenticating: Data(name.utf8)) ?? data
  }

  private func file(_ name: String) -> URL { directory.appendingPathComponent(name) }

  private func remove(_ name: String, from files: inout BoundedStore<Void>) {
    if files.remove(name) { Self.removeFile(name, in: directory) }
  }

  /// Removes a file; one that stays behind is found and counted at the next start.
  private static func removeFile(_ name: String, in directory: URL) {
    try? FileManager.default.removeItem(at: directory.appendingPathComponent(name))
  }

  /// Two addresses of one name are told apart by the key in the file.
  private static func name(_ key: String) -> String { FNV1a.hash(Data(key.utf8)).hex + ".answer" }

  private static func isName(_ text: String) -> Bool {
    text.hasSuffix(".answer") && text.count == 23 && text.prefix(16).allSatisfy(\.isHexDigit)
  }
}

/// One kept answer as a file that shows whether it is whole (``CheckedFile``).
enum CacheFile {
  private static let magic = "NLC2"

  private struct Head: Codable {
    var key: String
    var date: Date
    var varied: [Headers.Field]
    var status: Int
    var headers: [Headers.Field]
  }

  /// Whether a file is readable without a key, also one of an earlier version. A sealed file begins
  /// like that with a probability of 1 in 2²⁴, and is then removed.
  static func isPlain(_ file: URL) -> Bool {
    let family = magic.utf8.dropLast()
    // A file that cannot be read now is checked when it is read.
    return (try? file.beginning(family.count)) == Data(family)
  }

  static func write(_ kept: CachedResponse) throws -> Data {
    let head = Head(
      key: kept.key,
      date: kept.date,
      varied: kept.varied.fields,
      status: kept.status,
      headers: kept.headers.fields
    )
    return try CheckedFile.write(magic, head, kept.body)
  }

  /// Reads an answer; `nil` if the bytes are not what was written.
  static func read(_ data: Data) -> CachedResponse? {
    guard let (head, body): (Head, Data) = CheckedFile.read(magic, data) else { return nil }
    return CachedResponse(
      key: head.key,
      date: head.date,
      varied: Headers(head.varied),
      status: head.status,
      headers: Headers(head.headers),
      body: body
    )
  }
}
