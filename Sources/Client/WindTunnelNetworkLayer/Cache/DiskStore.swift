public import Foundation

/// A store of cached answers in a directory of its own, one file each, up to a number of bytes.
///
/// A file is put into its place by being renamed, and shows by itself whether it is whole: a
/// process that is killed leaves the old answer, the new one or none, and a damaged file is removed
/// when it is read. An answer that cannot be written is not kept; a full disk fails no call.
public final class DiskStore: Sendable {
  private struct State {
    /// Bytes and last use of each file.
    var files: [String: (bytes: Int, use: Int)] = [:]
    var uses = 0
    var bytes: Int { files.values.reduce(0) { $0 + $1.bytes } }
  }

  private let directory: URL
  private let most: Int
  private let cipher: (any AEAD)?
  private let state = Locked(State())

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
      if Self.isName(file.lastPathComponent), cipher == nil || !CacheFile.isPlain(file) {
        state.withLock { Self.note(file.lastPathComponent, values.fileSize ?? 0, in: &$0) }
      } else {
        // Half a file of a process that was killed, or what should be sealed; it is tried again
        // next time.
        try? FileManager.default.removeItem(at: file)
      }
    }
    state.withLock { trim(&$0) }
  }

  /// The size of all files, in bytes.
  public var bytes: Int { state.withLock { $0.bytes } }

  /// Reads an answer; one that is damaged is removed.
  subscript(key: String) -> CachedResponse? {
    let name = Self.name(key)
    return state.withLock { state in
      guard state.files[name] != nil else { return nil }
      // What cannot be read is as good as damaged.
      let kept = (try? opened(Data(contentsOf: file(name)), name)).flatMap(CacheFile.read)
      guard let kept, kept.key == key else {
        if kept == nil { remove(name, in: &state) }
        return nil
      }
      state.uses += 1
      state.files[name]?.use = state.uses
      return kept
    }
  }

  /// Writes an answer that is still wanted when its turn has come; nobody removes it meanwhile.
  func keep(_ kept: CachedResponse, ifWanted isWanted: () -> Bool = { true }) {
    let name = Self.name(kept.key)
    // What cannot be spelled or written is not kept.
    guard let data = try? sealed(CacheFile.write(kept), name), data.count <= most / 2 else {
      return
    }
    state.withLock { state in
      guard isWanted() else { return }
      do {
        try data.write(to: file(name), options: .atomic)
        Self.note(name, data.count, in: &state)
      } catch {
        remove(name, in: &state)
      }
      trim(&state)
    }
  }

  /// Removes an answer, and does what belongs to that while nobody reads or writes.
  func remove(_ key: String, and body: () -> Void = {}) {
    state.withLock { state in
      remove(Self.name(key), in: &state)
      body()
    }
  }

  func removeAll(and body: () -> Void = {}) {
    state.withLock { state in
      for name in state.files.keys { remove(name, in: &state) }
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
  private static func name(_ key: String) -> String { FNV1a.hash(Data(key.utf8)).hex + ".answer" }

  private static func isName(_ text: String) -> Bool {
    text.hasSuffix(".answer") && text.count == 23 && text.prefix(16).allSatisfy(\.isHexDigit)
  }
}

/// One kept answer as bytes that tell by themselves whether they are whole.
///
///     NLC1  length of the rest (8 bytes)  FNV-1a of the rest (8 bytes)
///           length of what follows (4 bytes)  JSON without the content  content
///
/// All numbers big-endian. A file that was cut off, or of which any byte is another, is refused.
enum CacheFile {
  private static let magic = Data("NLC1".utf8)

  private struct Head: Codable {
    var key: String
    var secondsSince1970: Double
    var varied: [[String]]
    var status: Int
    var headers: [[String]]
  }

  /// Tells whether a file begins as one that is readable for everybody; a sealed one does by an
  /// accident of 1 in 2³², which costs an answer.
  static func isPlain(_ file: URL) -> Bool {
    // What cannot be read now is looked at when it is read.
    guard let handle = try? FileHandle(forReadingFrom: file),
      let start = try? handle.read(upToCount: magic.count)
    else { return false }
    return start == magic
  }

  static func write(_ kept: CachedResponse) throws -> Data {
    let head = try JSONEncoder().encode(
      Head(
        key: kept.key,
        secondsSince1970: kept.date.timeIntervalSince1970,
        varied: kept.varied.fields.map { [$0.name, $0.value] },
        status: kept.status,
        headers: kept.headers.fields.map { [$0.name, $0.value] }
      )
    )
    let rest = bytes(UInt32(head.count)) + head + kept.body
    return magic + bytes(UInt64(rest.count)) + bytes(FNV1a.hash(rest)) + rest
  }

  /// Reads an answer; `nil` where the bytes are not what was written.
  static func read(_ data: Data) -> CachedResponse? {
    let data = Data(data)
    guard data.count > 24, data.prefix(4) == magic else { return nil }
    let rest = Data(data.dropFirst(20))
    guard number(data[4..<12]) == UInt64(rest.count), number(data[12..<20]) == FNV1a.hash(rest)
    else { return nil }
    let length = Int(number(rest.prefix(4)))
    // A hash that fits and a head that does not: not by accident, and just as useless.
    guard rest.count >= 4 + length,
      let head = try? JSONDecoder().decode(Head.self, from: Data(rest[4..<(4 + length)]))
    else { return nil }
    return CachedResponse(
      key: head.key,
      date: Date(timeIntervalSince1970: head.secondsSince1970),
      varied: fields(head.varied),
      status: head.status,
      headers: fields(head.headers),
      body: Data(rest.dropFirst(4 + length))
    )
  }

  private static func fields(_ pairs: [[String]]) -> Headers {
    Headers(pairs.filter { $0.count == 2 }.map { Headers.Field($0[0], $0[1]) })
  }

  private static func bytes(_ number: some FixedWidthInteger) -> Data {
    withUnsafeBytes(of: number.bigEndian) { Data($0) }
  }

  private static func number(_ bytes: Data) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
