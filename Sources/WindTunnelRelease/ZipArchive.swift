internal import Foundation
internal import WindTunnelHTTP

/// A zip archive by its central directory (PKWARE's APPNOTE, 4.3 and 4.5.3), as `.ipa`, `.apk` and
/// `.aab` are.
struct ZipArchive {
  /// One file in it, still packed.
  struct Entry {
    /// The name, which may be any text and is never a place to write to.
    var name: String
    var isEncrypted: Bool
    var method: Int
    var packedCount: UInt64
    var openedCount: UInt64
    /// The place of its local header.
    var offset: UInt64

    /// Tells whether it is a folder, which has no content.
    var isFolder: Bool { name.hasSuffix("/") }
  }

  /// The entries in the order of their places; none lies in another.
  let entries: [Entry]
  private let file: ByteWindow
  /// The place where the central directory begins, and no entry reaches to.
  private let directory: UInt64

  static let magic: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
  /// The beginning of one without entries.
  static let emptyMagic: [UInt8] = [0x50, 0x4B, 0x05, 0x06]
  /// The most that all of it may open to, for each byte that it has. Apps open to three or four,
  /// and bombs to a thousand.
  static let ratioMax: UInt64 = 100
  /// An archive that opens to no more than this is none, whatever the ratio.
  static let harmlessBytes: UInt64 = 64 << 20

  /// Reads the central directory, and opens no entry.
  init(_ file: ByteWindow, entriesMax: Int) throws(ReadingError) {
    self.file = file
    let end = try End(of: file)
    guard end.count <= UInt64(entriesMax) else { throw .tooMuch("files", limit: entriesMax) }
    guard let central = file.window(at: end.directory, count: end.directorySize) else {
      throw .cutShort(missing: "its central directory")
    }
    directory = end.directory
    var (entries, place) = ([Entry](), 0)
    for _ in 0..<end.count {
      let (entry, length) = try Self.entry(at: place, of: central)
      entries.append(entry)
      place += length
    }
    guard place == central.count else { throw .damaged("its central directory does not add up") }
    entries.sort { $0.offset < $1.offset }
    // One in another would be opened twice, and many of them many times.
    var free: UInt64 = 0
    var opened: UInt64 = 0
    for entry in entries {
      let (end, overflows) = entry.offset.addingReportingOverflow(entry.packedCount)
      guard entry.offset >= free, !overflows, end <= directory else {
        throw .damaged("its entries lie in each other, or beyond its end")
      }
      free = end
      opened = opened.addingReportingOverflow(entry.openedCount).partialValue
      guard opened <= max(Self.harmlessBytes, Self.ratioMax * UInt64(file.count)) else {
        throw .tooMuch("times its size once it is opened", limit: Int(Self.ratioMax))
      }
    }
    self.entries = entries
  }

  /// Returns the content of an entry.
  func open(_ entry: Entry, bytesMax: Int) throws(ReadingError) -> ByteWindow {
    guard !entry.isEncrypted else { throw .encryptedEntry }
    guard entry.openedCount <= UInt64(bytesMax) else {
      throw .tooMuch("bytes", limit: bytesMax)
    }
    guard let header = file.window(at: entry.offset, count: 30), header.has(Self.magic),
      let nameCount = header.number(UInt16.self, at: 26, .little),
      let extraCount = header.number(UInt16.self, at: 28, .little)
    else { throw .damaged("no entry lies where its central directory says") }
    let start = entry.offset + 30 + UInt64(nameCount) + UInt64(extraCount)
    guard start <= directory, entry.packedCount <= directory - start,
      let packed = file.window(at: start, count: entry.packedCount)
    else { throw .cutShort(missing: "its content") }
    switch entry.method {
    case 0:
      guard entry.packedCount == entry.openedCount else {
        throw .damaged("it is stored, and has two sizes")
      }
      return packed
    case 8:
      guard Inflate.isThere else { throw .noZLib }
      guard
        let opened = Inflate.open(packed.content, as: .raw, bytesMax: Int(entry.openedCount)),
        opened.count == Int(entry.openedCount)
      else { throw .damaged("it does not open to what its size says") }
      return ByteWindow(opened)
    default: throw .method(entry.method)
    }
  }

  /// Returns an entry of the central directory, and the length of its row.
  private static func entry(
    at place: Int,
    of central: ByteWindow
  ) throws(ReadingError) -> (Entry, length: Int) {
    guard central.has([0x50, 0x4B, 0x01, 0x02], at: place),
      let flags = central.number(UInt16.self, at: place + 8, .little),
      let method = central.number(UInt16.self, at: place + 10, .little),
      let packedCount = central.number(UInt32.self, at: place + 20, .little),
      let openedCount = central.number(UInt32.self, at: place + 24, .little),
      let nameCount = central.number(UInt16.self, at: place + 28, .little),
      let extraCount = central.number(UInt16.self, at: place + 30, .little),
      let commentCount = central.number(UInt16.self, at: place + 32, .little),
      let offset = central.number(UInt32.self, at: place + 42, .little),
      let name = central.window(at: place + 46, count: Int(nameCount)),
      let extra = central.window(at: place + 46 + Int(nameCount), count: Int(extraCount))
    else { throw .damaged("its central directory does not add up") }
    var wide = Zip64Fields(extra)
    let entry = Entry(
      name: name.text,
      // Also the stronger kind, and names that are hidden.
      isEncrypted: flags & 0x2041 != 0,
      method: Int(method),
      packedCount: 0,
      openedCount: try wide.value(of: openedCount),
      offset: 0
    )
    // In this order they stand in the extra field.
    var whole = entry
    whole.packedCount = try wide.value(of: packedCount)
    whole.offset = try wide.value(of: offset)
    return (whole, 46 + Int(nameCount) + Int(extraCount) + Int(commentCount))
  }
}

/// The numbers of an entry that need 64 bits (4.5.3), in the order in which they are asked for.
private struct Zip64Fields {
  private var field: ByteWindow?
  private var place = 0

  init(_ extra: ByteWindow) {
    var place = 0
    while let kind = extra.number(UInt16.self, at: place, .little),
      let count = extra.number(UInt16.self, at: place + 2, .little)
    {
      if kind == 1 { field = extra.window(at: place + 4, count: Int(count)) }
      place += 4 + Int(count)
    }
  }

  /// Returns a number, or what stands here for one that has no room there.
  mutating func value(of number: UInt32) throws(ReadingError) -> UInt64 {
    guard number == .max else { return UInt64(number) }
    guard let value = field?.number(UInt64.self, at: place, .little) else {
      throw .damaged("a size of 64 bits is missing")
    }
    place += 8
    return value
  }
}

/// The end of the central directory (4.3.16, and 4.3.14 for 64 bits).
private struct End {
  var count: UInt64
  var directory: UInt64
  var directorySize: UInt64

  /// The longest comment that may follow it.
  private static let commentMax = 0xFFFF

  init(of file: ByteWindow) throws(ReadingError) {
    var place = file.count - 22
    let lowest = max(0, place - Self.commentMax)
    while place >= lowest, !Self.isEnd(at: place, of: file) { place -= 1 }
    guard place >= lowest, let disk = file.number(UInt32.self, at: place + 4, .little),
      let count = file.number(UInt16.self, at: place + 10, .little),
      let size = file.number(UInt32.self, at: place + 12, .little),
      let offset = file.number(UInt32.self, at: place + 16, .little)
    else { throw .cutShort(missing: "its central directory") }
    if count == .max || size == .max || offset == .max {
      self = try Self(wideBefore: place, of: file)
      return
    }
    guard disk == 0 else { throw .damaged("it is one of several parts") }
    self.count = UInt64(count)
    directory = UInt64(offset)
    directorySize = UInt64(size)
  }

  private init(wideBefore place: Int, of file: ByteWindow) throws(ReadingError) {
    guard file.has([0x50, 0x4B, 0x06, 0x07], at: place - 20),
      let offset = file.number(UInt64.self, at: place - 12, .little),
      let record = file.window(at: offset, count: 56), record.has([0x50, 0x4B, 0x06, 0x06]),
      let count = record.number(UInt64.self, at: 32, .little),
      let size = record.number(UInt64.self, at: 40, .little),
      let directory = record.number(UInt64.self, at: 48, .little)
    else { throw .damaged("the end of 64 bits is not where it should be") }
    self.count = count
    self.directory = directory
    directorySize = size
  }

  /// Tells whether one begins here, whose comment is the rest of the file.
  private static func isEnd(at place: Int, of file: ByteWindow) -> Bool {
    file.has(ZipArchive.emptyMagic, at: place)
      && file.number(UInt16.self, at: place + 20, .little).map { place + 22 + Int($0) }
        == file.count
  }
}
