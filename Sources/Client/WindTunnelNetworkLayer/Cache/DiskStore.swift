public import Foundation

/// A store of cached responses in its own directory, one file per response, with a maximum size.
///
/// Each file is written completely, then renamed, and contains a checksum. If the process is
/// killed, the file contains the old response or the new one, or is missing. A damaged file is
/// removed when it is read. A response that cannot be written is not stored; a full disk does not
/// fail a call.
public final class DiskStore: Sendable {
  private let directory: URL
  private let cipher: (any AEAD)?
  private let files: Locked<BoundedStore<Void>>

  /// Opens a directory, creates it if it is missing, and removes files that the store did not
  /// write.
  ///
  /// - Parameters:
  ///   - directory: The directory.
  ///   - bytes: The maximum size of all files together.
  ///   - cipher: The cipher that encrypts each file, bound to its name; `nil` stores responses
  ///     unencrypted. A file that it cannot decrypt counts as damaged. Unencrypted files from
  ///     before are removed.
  /// - Throws: The file system's error if the directory cannot be created or read.
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
      // Removes partial files of a killed process, and unencrypted files if there is a cipher.
      let isKept = Self.isName(name) && (cipher == nil || !CacheFile.isPlain(file))
      let dropped = isKept ? kept.restore((), of: values.fileSize ?? 0, as: name) : [name]
      for name in dropped { Self.removeFile(name, in: directory) }
    }
    files = Locked(kept)
  }

  /// The size of all files, in bytes.
  public var bytes: Int { files.withLock { $0.bytes } }

  /// Reads a response, and removes it if it is damaged.
  subscript(key: String) -> CachedResponse? {
    let name = Self.name(key)
    return files.withLock { files in
      guard files[name] != nil else { return nil }
      // An unreadable file is treated as damaged.
      let kept = (try? opened(Data(contentsOf: file(name)), name)).flatMap(CacheFile.read)
      if kept == nil { remove(name, from: &files) }
      return kept?.key == key ? kept : nil
    }
  }

  /// Writes a response, if it is still needed once the lock is held; no removal can happen in
  /// between.
  func keep(_ kept: CachedResponse, ifWanted isWanted: () -> Bool = { true }) {
    let name = Self.name(kept.key)
    // A response that cannot be encoded or encrypted is not stored.
    guard let plain = try? CacheFile.write(kept),
      let data = try? cipher?.seal(plain, authenticating: Data(name.utf8)) ?? plain
    else { return }
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

  /// Removes a response, and runs `body` under the same lock.
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

  private func opened(_ data: Data, _ name: String) throws -> Data {
    try cipher?.open(data, authenticating: Data(name.utf8)) ?? data
  }

  private func file(_ name: String) -> URL { directory.appendingPathComponent(name) }

  private func remove(_ name: String, from files: inout BoundedStore<Void>) {
    if files.remove(name) { Self.removeFile(name, in: directory) }
  }

  /// Removes a file. A file that could not be removed is found and counted at the next start.
  private static func removeFile(_ name: String, in directory: URL) {
    try? FileManager.default.removeItem(at: directory.appendingPathComponent(name))
  }

  /// Returns the file name of a key. If two keys have the same name, the key in the file
  /// distinguishes them.
  private static func name(_ key: String) -> String { FNV1a.hash(Data(key.utf8)).hex + ".answer" }

  private static func isName(_ text: String) -> Bool {
    text.hasSuffix(".answer") && text.count == 23 && text.prefix(16).allSatisfy(\.isHexDigit)
  }
}

/// One cached response as a file whose integrity can be checked (``CheckedFile``).
enum CacheFile {
  private static let magic = "NLC2"

  private struct Head: Codable {
    var key: String
    var date: Date
    var varied: [Headers.Field]
    var status: Int
    var headers: [Headers.Field]
  }

  /// Returns whether a file is unencrypted, including files of earlier versions.
  ///
  /// An encrypted file begins with the same bytes with a probability of 1 in 2²⁴, and is then
  /// removed.
  static func isPlain(_ file: URL) -> Bool {
    let family = magic.utf8.dropLast()
    // A file that is unreadable now is checked when its response is read.
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

  /// Reads a response; `nil` if the bytes differ from those written.
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
