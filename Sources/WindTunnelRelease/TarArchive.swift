/// A tar archive (IEEE Std 1003.1-2017, pax, "ustar Interchange Format" and "pax Interchange
/// Format"), also with GNU's long names, and of the older form that has no magic.
struct TarArchive {
  /// One entry that has content: a file, or what is not known to have none.
  struct Entry {
    /// The name, which may be any text and is never a place to write to.
    var name: String
    var content: ByteWindow
    /// Tells whether the content is parts of a file, with a map of their places.
    var isSparse: Bool
  }

  /// The entries in their order; all of them are in the file.
  let entries: [Entry]
  /// The bytes behind the end; `nil` where they could hold nothing.
  let appended: ByteWindow?

  /// The greatest header that goes before an entry's own, in bytes.
  static let headerMax = 1 << 20
  /// The size of a block, of which all parts are made.
  private static let block = 512

  /// Tells whether a file begins as one of them: by the name of the format, or, as the older form
  /// has none, by a check sum that is right.
  static func isMeant(by file: ByteWindow) -> Bool {
    file.has(magic, at: 257) || header(at: 0, of: file) != nil
  }

  private static let magic = Array("ustar".utf8)

  /// Reads the headers of all entries.
  init(_ file: ByteWindow, entriesMax: Int) throws(ReadingError) {
    var entries: [Entry] = []
    var (everywhere, here) = (Fields(), Fields())
    var (place, end) = (0, file.count)
    var count = 0
    while true {
      let blank = Self.blanks(from: place, of: file)
      // More archives may follow the end of one.
      guard let header = Self.header(at: blank, of: file) else {
        guard blank > place else {
          guard file.window(at: place, count: Self.block) != nil else {
            throw .cutShort(missing: "the header of an entry, or its end")
          }
          throw .damaged("the check sum of a header in it is that of other bytes")
        }
        end = blank
        break
      }
      count += 1
      guard count <= entriesMax else { throw .tooMuch("files", limit: entriesMax) }
      let kind = header.number(UInt8.self, at: 156, .little).map(UnicodeScalar.init)
      let isForNext = kind.map { ["x", "g", "L", "K"].contains($0) } == true
      let told = isForNext ? nil : here.size ?? everywhere.size
      guard let said = told ?? Self.number(header, at: 124, count: 12) else {
        throw .damaged("an entry in it has no size")
      }
      // Links, devices, folders and pipes have none of the bytes that their size may speak of.
      let size = kind.map { ("2"..."6").contains($0) } == true ? 0 : said
      guard let content = file.window(at: blank + Self.block, count: size) else {
        throw .cutShort(missing: "an entry")
      }
      // What was cut off behind the content is missed at the next header.
      place = blank + Self.block + (size + Self.block - 1) / Self.block * Self.block
      switch kind {
      case "x": here.take(try Self.records(content))
      case "g": everywhere.take(try Self.records(content))
      case "L": here.path = String(try Self.short(content).text.prefix { $0 != "\0" })
      // The name of what a link leads to.
      case "K": _ = try Self.short(content)
      // Programs differ in whether its bytes follow.
      case "1" where size > 0: throw .damaged("a link in it has a size")
      default:
        if size > 0 {
          entries.append(
            Entry(
              name: here.path ?? everywhere.path ?? Self.name(in: header),
              content: content,
              isSparse: kind == "S" || here.isSparse || everywhere.isSparse
            )
          )
        }
        here = Fields()
      }
    }
    self.entries = entries
    appended = file.rest(behind: end)
  }

  /// Returns the place behind all blocks of zeros that begin at another.
  private static func blanks(from start: Int, of file: ByteWindow) -> Int {
    var place = start
    while file.window(at: place, count: block)?.isZero == true { place += block }
    return place
  }

  /// Returns the block at a place, where it is a header whose check sum is right: the sum of all
  /// bytes, with spaces for the sum's own.
  private static func header(at place: Int, of file: ByteWindow) -> ByteWindow? {
    guard let header = file.window(at: place, count: block),
      let said = number(header, at: 148, count: 8)
    else { return nil }
    let sum = header.withBytes { bytes in
      bytes.enumerated().reduce(0) { sum, byte in
        sum + ((148..<156).contains(byte.offset) ? 0x20 : Int(byte.element))
      }
    }
    return sum == said ? header : nil
  }

  /// Returns a number in octal digits, or as GNU writes one that has no room: in base 256, with the
  /// highest bit set.
  private static func number(_ header: ByteWindow, at place: Int, count: Int) -> Int? {
    header.window(at: place, count: count)?.withBytes { bytes in
      if let first = bytes.first, first & 0x80 != 0 {
        return bytes.dropFirst().reduce(Int(first & 0x7F)) { number, byte in
          number.flatMap { $0 > Int.max >> 8 ? nil : $0 << 8 | Int(byte) }
        }
      }
      let digits = bytes.drop { $0 == 0x20 }.prefix { $0 != 0x20 && $0 != 0 }
      return Int(String(decoding: digits, as: UTF8.self), radix: 8).flatMap { $0 < 0 ? nil : $0 }
    }
  }

  private static func name(in header: ByteWindow) -> String {
    func text(_ place: Int, _ count: Int) -> String {
      header.window(at: place, count: count)?.name(at: 0) ?? ""
    }
    // GNU's form has other things there, and a space behind its magic.
    let front = header.has(magic + [0], at: 257) ? text(345, 155) : ""
    return front.isEmpty ? text(0, 100) : "\(front)/\(text(0, 100))"
  }

  private static func short(_ content: ByteWindow) throws(ReadingError) -> ByteWindow {
    guard content.count <= headerMax else {
      throw .tooMuch("bytes in a header of an entry", limit: headerMax)
    }
    return content
  }

  /// Returns the records of a header of pax, each as `LENGTH KEY=VALUE` and a line feed.
  private static func records(
    _ content: ByteWindow
  ) throws(ReadingError) -> [(key: String, value: String)] {
    let content = try short(content)
    var (records, place) = ([(key: String, value: String)](), 0)
    while place < content.count {
      let digits = content.window(at: place, count: min(8, content.count - place))?.withBytes {
        String(decoding: $0.prefix { $0 != 0x20 }, as: UTF8.self)
      }
      guard let digits, let length = Int(digits), length > digits.utf8.count + 2,
        let record = content.window(
          at: place + digits.utf8.count + 1,
          count: length - digits.utf8.count - 2
        ),
        content.has([0x0A], at: place + length - 1)
      else { throw .damaged("the records of a header in it do not add up") }
      let parts = record.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else {
        throw .damaged("the records of a header in it do not add up")
      }
      records.append((String(parts[0]), String(parts[1])))
      place += length
    }
    return records
  }
}

/// The words that headers of pax have for the entries behind them.
private struct Fields {
  var path: String?
  var size: Int?
  var isSparse = false

  mutating func take(_ records: [(key: String, value: String)]) {
    for (key, value) in records {
      switch key {
      case "path": path = value
      case "size": size = Int(value)
      default: if key.hasPrefix("GNU.sparse.") { isSparse = true }
      }
    }
  }
}
