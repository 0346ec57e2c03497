/// A zip archive, such as `.ipa`, `.apk` or `.aab`, read by its central directory.
///
/// See PKWARE's APPNOTE, 4.3 and 4.5.3.
package struct ZipArchive: Sendable {
  /// A packed file in the archive.
  package struct Member: Sendable {
    /// The name. It can be any text and is never used as a path to write to.
    package var name: String
    var isEncrypted: Bool
    var method: Int
    var packedCount: Int
    var openedCount: Int
    /// The CRC-32 of the content.
    var checkSum: UInt32
    /// The offset of the local header.
    var offset: Int

    /// Whether the entry is a folder, which has no content.
    var isFolder: Bool { name.hasSuffix("/") && packedCount == 0 && openedCount == 0 }
  }

  /// The entries in the order of their offsets. They do not overlap.
  package let entries: [Member]
  private let file: ByteWindow
  /// The offset of the central directory, which follows all entries.
  private let directory: Int

  package static let magic: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
  /// The first bytes of an archive without entries.
  static let emptyMagic: [UInt8] = [0x50, 0x4B, 0x05, 0x06]
  /// The maximum unpacked size per packed byte. Apps have a ratio of 3 or 4, zip bombs of 1000.
  static let ratioMax = 100
  /// The unpacked size that is allowed at any ratio.
  static let harmlessBytes = 64 << 20

  /// Returns the maximum unpacked size of a packed file.
  static func openedMax(of count: Int) -> Int {
    let (bytes, overflows) = count.multipliedReportingOverflow(by: ratioMax)
    return overflows ? .max : max(harmlessBytes, bytes)
  }

  /// Reads the central directory, and opens no entry.
  package init(_ file: ByteWindow, entriesMax: Int) throws(ReadingError) {
    let end = try DirectoryEnd(of: file)
    guard end.count <= entriesMax else { throw .tooMuch("files", limit: entriesMax) }
    guard let central = file.window(at: end.directory, count: end.size) else {
      throw .cutShort(missing: "its central directory")
    }
    self.file = file
    directory = end.directory
    var (entries, place) = ([Member](), 0)
    for _ in 0..<end.count {
      let (entry, length) = try Self.entry(at: place, of: central, shift: end.shift)
      entries.append(entry)
      place += length
    }
    guard place == central.count else { throw .damaged("its central directory does not add up") }
    entries.sort { $0.offset < $1.offset }
    // Overlapping entries would be opened twice, and a large number of them many times.
    var (free, room) = (0, Self.openedMax(of: file.count))
    for entry in entries {
      guard entry.offset >= free, entry.packedCount <= directory - entry.offset else {
        throw .damaged("its entries overlap, or are after its end")
      }
      free = entry.offset + entry.packedCount
      room -= entry.openedCount
      guard room >= 0 else {
        throw .tooMuch("times its size after decompression", limit: Self.ratioMax)
      }
    }
    self.entries = entries
  }

  /// Returns whether an archive with entries is at the end of a file of another format.
  static func endsIn(_ file: ByteWindow) -> Bool {
    do throws(ReadingError) {
      let end = try DirectoryEnd(of: file)
      return end.count > 0 && file.has(directoryMagic, at: end.directory)
    } catch {
      // If the end cannot be read, nothing else indicates that the file is an archive.
      return if case .format = error { true } else { false }
    }
  }

  /// The first bytes of each row of the central directory.
  fileprivate static let directoryMagic: [UInt8] = [0x50, 0x4B, 0x01, 0x02]

  /// Returns the content of an entry.
  package func open(_ entry: Member, bytesMax: Int) throws(ReadingError) -> ByteWindow {
    guard !entry.isEncrypted else { throw .encryptedEntry }
    guard entry.openedCount <= bytesMax else { throw .tooMuch("bytes", limit: bytesMax) }
    guard let header = file.window(at: entry.offset, count: 30), header.has(Self.magic),
      let nameCount = header.half(at: 26), let extraCount = header.half(at: 28)
    else { throw .damaged("an entry is not at the offset in its central directory") }
    let start = entry.offset + 30 + nameCount + extraCount
    guard start <= directory, entry.packedCount <= directory - start,
      let packed = file.window(at: start, count: entry.packedCount)
    else { throw .cutShort(missing: "its content") }
    let content = try opened(packed, entry)
    let sum = content.withBytes { BodyDigest.crc32.hash($0) }
    guard sum == withUnsafeBytes(of: entry.checkSum.bigEndian, Array.init) else {
      throw .damaged("its checksum does not match")
    }
    return content
  }

  private func opened(_ packed: ByteWindow, _ entry: Member) throws(ReadingError) -> ByteWindow {
    switch entry.method {
    case 0:
      guard entry.packedCount == entry.openedCount else {
        throw .damaged("it is stored, but has two different sizes")
      }
      return packed
    case 8:
      guard Inflate.isThere else { throw .noZLib }
      guard let opened = Inflate.open(packed.content, as: .raw, bytesMax: entry.openedCount),
        opened.count == entry.openedCount
      else { throw .damaged("it does not decompress to its size") }
      return ByteWindow(opened)
    default: throw .method(entry.method)
    }
  }

  /// Returns an entry of the central directory, and the length of its row.
  private static func entry(
    at place: Int,
    of central: ByteWindow,
    shift: Int
  ) throws(ReadingError) -> (Member, length: Int) {
    guard let row = central.window(at: place, count: 46), row.has(directoryMagic),
      let flags = row.half(at: 8), let method = row.half(at: 10),
      let checkSum = row.number(UInt32.self, at: 16, .little),
      let packedCount = row.word(at: 20), let openedCount = row.word(at: 24),
      let nameCount = row.half(at: 28), let extraCount = row.half(at: 30),
      let commentCount = row.half(at: 32), let offset = row.word(at: 42),
      let name = central.window(at: place + 46, count: nameCount)
    else { throw .damaged("its central directory does not add up") }
    let start = offset + shift
    guard start >= 0 else { throw .damaged("its entries overlap, or are after its end") }
    let entry = Member(
      name: name.text,
      // Also strong encryption, and encrypted names.
      isEncrypted: flags & 0x2041 != 0,
      method: method,
      packedCount: packedCount,
      openedCount: openedCount,
      checkSum: checkSum,
      offset: start
    )
    return (entry, 46 + nameCount + extraCount + commentCount)
  }
}

/// The end of the central directory (4.3.16).
private struct DirectoryEnd {
  var count: Int
  /// The real offset of the central directory.
  var directory: Int
  /// The size of the central directory in bytes.
  var size: Int
  /// The difference between the real offsets and the offsets in the archive.
  ///
  /// It is the number of bytes that were added before the archive.
  var shift = 0

  /// The maximum size of the comment at the end of a file.
  private static let commentMax = 0xFFFF

  init(of file: ByteWindow) throws(ReadingError) {
    let lowest = max(0, file.count - 22 - Self.commentMax)
    let tail = file.window(at: lowest, count: file.count - lowest)
    let places = tail?.places(of: ZipArchive.emptyMagic).map { lowest + $0 } ?? []
    // The comment is the rest of the file.
    let last = places.last { place in
      file.half(at: place + 20).map { place + 22 + $0 } == file.count
    }
    guard let place = last, let disk = file.word(at: place + 4),
      let count = file.half(at: place + 10), let size = file.word(at: place + 12),
      let offset = file.word(at: place + 16)
    else { throw .cutShort(missing: "its central directory") }
    (self.count, self.size, directory) = (count, size, offset)
    // Its numbers are in another structure then (4.3.14).
    guard count < UInt16.max, size < UInt32.max, offset < UInt32.max else {
      throw .format("a ZIP64 archive")
    }
    guard disk == 0 else { throw .damaged("it is one part of a split archive") }
    // If the directory is not directly before its end, it is at the offset that the end contains.
    if self.size <= place, file.has(ZipArchive.directoryMagic, at: place - self.size) {
      shift = place - self.size - directory
      directory = place - self.size
    }
  }
}

extension ByteWindow {
  /// Returns a 16-bit number; `nil` if it is beyond the end. ``word(at:)`` is also `nil` for a
  /// number that is too large.
  fileprivate func half(at offset: Int) -> Int? {
    number(UInt16.self, at: offset, .little).map(Int.init)
  }

  fileprivate func word(at offset: Int) -> Int? {
    number(UInt32.self, at: offset, .little).flatMap(Int.init(exactly:))
  }
}
