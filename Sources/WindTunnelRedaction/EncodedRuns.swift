internal import Foundation

/// A stretch of a text that spells bytes: base64 (RFC 4648) in one word or in lines of one length
/// (RFC 2045 §6.8), hexadecimal digits in one word or in pairs.
struct EncodedRun {
  var range: Range<Int>
  /// The letters of it, without what parts them.
  var letters: ByteSlice
  /// The number of letters that stand together, and their separator.
  private var width = 0
  private var separator: Bytes = []

  /// Makes a run of one word.
  init(_ word: ByteSlice) { (range, letters) = (word.indices, word) }

  /// Returns the stretches of a text, in their order.
  static func found(in bytes: Bytes) -> [EncodedRun] {
    let runs = Base64Text.runs(in: bytes)
    var found: [EncodedRun] = []
    var index = 0
    while index < runs.count {
      let first = runs[index]
      var last = index
      let separator = Self.lineBreak(behind: first, in: bytes)
      if first.count >= 40, !separator.isEmpty {
        while last + 1 < runs.count, runs[last].count == first.count,
          runs[last + 1].lowerBound == runs[last].upperBound + separator.count,
          bytes[runs[last].upperBound...].starts(with: separator),
          runs[last + 1].count <= first.count
        {
          last += 1
        }
      }
      var run = EncodedRun(bytes[first])
      if last > index {
        run.range = first.lowerBound..<runs[last].upperBound
        for line in runs[index + 1...last] { run.letters += bytes[line] }
        // What is left of the last line is too short for a run of its own.
        let tail = bytes[run.range.upperBound...]
        if runs[last].count == first.count, tail.starts(with: separator) {
          let rest = tail.dropFirst(separator.count).prefix(20).prefix {
            Base64Text.isLetter($0) || $0 == UInt8(ascii: "=")
          }
          run.letters += rest
          run.range =
            run.range.lowerBound..<max(run.range.upperBound, rest.isEmpty ? 0 : rest.endIndex)
        }
        (run.width, run.separator) = (first.count, separator)
      }
      found.append(run)
      index = last + 1
    }
    return found + pairs(in: bytes)
  }

  /// Returns the break of a line behind a stretch, with what stands before the next.
  private static func lineBreak(behind range: Range<Int>, in bytes: Bytes) -> Bytes {
    var end = range.upperBound
    if end < bytes.count, bytes[end] == 0x0D { end += 1 }
    guard end < bytes.count, bytes[end] == 0x0A else { return [] }
    end += 1
    while end < bytes.count, end - range.upperBound < 12, bytes[end] == 0x20 || bytes[end] == 0x09 {
      end += 1
    }
    return Bytes(bytes[range.upperBound..<end])
  }

  /// `73 65 63 …`, `73:65:63:…`: from twelve pairs on.
  private static func pairs(in bytes: Bytes) -> [EncodedRun] {
    guard bytes.count >= 35 else { return [] }
    var found: [EncodedRun] = []
    var place = 0
    func isPair(_ place: Int) -> Bool {
      place + 1 < bytes.count && bytes[place].isHexadecimalDigit
        && bytes[place + 1].isHexadecimalDigit
    }
    while place + 2 < bytes.count {
      let separator = bytes[place + 2]
      guard isPair(place), place == 0 || !bytes[place - 1].isWord, " :-".utf8.contains(separator)
      else {
        place += 1
        continue
      }
      var end = place + 2
      var letters = Bytes(bytes[place..<end])
      while end < bytes.count, bytes[end] == separator, isPair(end + 1),
        end + 3 >= bytes.count || !bytes[end + 3].isWord
      {
        letters += bytes[end + 1..<end + 3]
        end += 3
      }
      if letters.count >= 24 {
        var run = EncodedRun(letters[...])
        run.range = place..<end
        (run.width, run.separator) = (2, [separator])
        found.append(run)
      }
      place = end
    }
    return found
  }

  /// Other bytes spelled as these are.
  func spelled(_ bytes: Bytes) -> Bytes {
    let letters = Bytes(EncodedText.encoded(bytes, like: self.letters).utf8)
    guard width > 0 else { return letters }
    return Bytes(
      stride(from: 0, to: letters.count, by: width).map {
        letters[$0..<min($0 + width, letters.count)]
      }
      .joined(separator: separator)
    )
  }
}

/// Bytes in lines of an offset, pairs of hexadecimal digits and their letters, as `xxd`,
/// `hexdump -C` and `od -t x1` print them.
struct HexDump: Decoder {
  /// The number of bytes in a line, and whether their letters stand behind them.
  private var (width, hasLetters) = (16, false)

  /// Reads how the first line is written; `nil` for a text that is no dump.
  init?(_ bytes: Bytes) {
    // Most texts begin otherwise.
    guard bytes.count > 30, bytes.prefix(6).allSatisfy(\.isHexadecimalDigit),
      let line = bytes.split(separator: 0x0A, maxSplits: 1).first,
      let first = Self.line(line), first.count >= 8
    else { return nil }
    (width, hasLetters) = (first.count, line.last == UInt8(ascii: "|"))
  }

  func spans(in bytes: Bytes) -> [Span]? {
    var meaning: Bytes = []
    for line in bytes.split(separator: 0x0A) {
      // Behind the last bytes stands the length alone.
      guard let bytes = Self.line(line) else { return nil }
      meaning += bytes
    }
    let role = Span.Role.content(type: "text/plain")
    return [Span(range: 0..<bytes.count, meaning: meaning, role: role)]
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    stride(from: 0, to: meaning.count, by: width).reduce(into: []) { spelled, start in
      let part = meaning[start..<min(start + width, meaning.count)]
      let offset = [24, 16, 8, 0].map { EncodedText.digits(UInt8(start >> $0 & 0xFF)) }.joined()
      var line = "\(offset)  " + part.map(EncodedText.digits).joined(separator: " ")
      if hasLetters {
        let gap = String(repeating: " ", count: 3 * (width - part.count) + 2)
        let letters = part.map { 0x20...0x7E ~= $0 ? $0 : UInt8(ascii: ".") }
        line += "\(gap)|\(String(decoding: letters, as: UTF8.self))|"
      }
      spelled += "\(line)\n".utf8
    }
  }

  /// Returns the bytes of a line; `nil` for one that is no dump's.
  private static func line(_ line: ByteSlice) -> Bytes? {
    let words = line.prefix { $0 != UInt8(ascii: "|") }.split { $0 <= 0x20 }
    guard let offset = words.first, 6...9 ~= offset.count,
      offset.allSatisfy({ $0 == UInt8(ascii: ":") || $0.isHexadecimalDigit })
    else { return nil }
    var bytes: Bytes = []
    for word in words.dropFirst() {
      guard word.count == 2, let byte = UInt8(String(decoding: word, as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}

extension Redaction {
  /// The limit of what gzip within texts of one body may unpack to: a few kilobytes of it make
  /// megabytes, and a body has room for thousands of such texts.
  static let unpackedBytesMax = 16 << 20

  /// Looks into the bytes that a run spells, and spells them again.
  mutating func unpacked(_ bytes: Bytes, _ run: EncodedRun, depth: Int) -> [Edit] {
    guard !run.letters.starts(with: "REDACTED-".utf8) else { return [] }
    if let edit = unpacked(run, depth: depth) { return [edit] }
    // A solidus may part what is base64 from what is a path.
    guard run.range.count == run.letters.count, run.letters.count <= Self.pathBytesMax,
      run.letters.contains(UInt8(ascii: "/"))
    else { return [] }
    return bytes[run.range].split(separator: UInt8(ascii: "/")).filter { $0.count >= 16 }.compactMap
    {
      unpacked(EncodedRun($0), depth: depth)
    }
  }

  /// Nobody takes longer ones for paths (RFC 9110 §4.1 has 8000 bytes for an address).
  private static let pathBytesMax = 8000

  private static let startLetters = 64 << 10

  /// Tells whether bytes may be the beginning of a text, or of something that is opened.
  private static func mayBeText(_ start: Bytes) -> Bool {
    // A letter of up to four bytes may be cut.
    (0...3).contains { String(utf8: Bytes(start.dropLast($0))) != nil }
      || start.starts(with: [0x1F, 0x8B]) || isWide(start) || BinaryMaps.mayBegin(start)
  }

  private mutating func unpacked(_ run: EncodedRun, depth: Int) -> Edit? {
    // A large picture need not be decoded to see that it is no text.
    if echoes.isEmpty, run.letters.count > 2 * Self.unpackedBytesMax,
      let start = EncodedText.decoded(run.letters.prefix(Self.startLetters)), !Self.mayBeText(start)
    {
      return nil
    }
    guard let decoded = EncodedText.decoded(run.letters) else { return nil }
    let isPacked = decoded.starts(with: [0x1F, 0x8B])
    // What is left out need not be read.
    let isFull = unpackedBytes > Self.unpackedBytesMax
    if isPacked, isFull { return nil }
    var opened = isPacked ? Inflate.open(Data(decoded), coding: "gzip").map { Bytes($0) } : nil
    // Deflate has no mark (SAML bindings §3.4.4.1); what is no text may be it.
    let mayBeDeflate = 32...Self.unpackedBytesMax ~= decoded.count
    if !isPacked, !isFull, mayBeDeflate, String(utf8: decoded) == nil {
      opened = Inflate.open(Data(decoded), coding: "deflate").map { Bytes($0) }
    }
    unpackedBytes += opened?.count ?? 0
    if unpackedBytes > Self.unpackedBytesMax {
      obstacle = "a body holds more in gzip than can be looked through for credentials"
      return nil
    }
    let inner = opened ?? decoded
    if opened == nil, BinaryMaps.mayBegin(inner), depth < Self.depthMax {
      let maps = 0x81...0x8F ~= inner[0] ? BinaryMaps.messagePack : BinaryMaps.cbor
      if let replaced = rewritten(inner, by: maps, depth: depth + 1) {
        return replaced == inner ? nil : Edit(run.range, run.spelled(replaced))
      }
    }
    if Self.isWide(inner), depth < Self.depthMax {
      let wide = Recoded.utf16(isLittle: inner[1] == 0, type: "text/plain")
      if let replaced = rewritten(inner, by: wide, depth: depth + 1) {
        return replaced == inner ? nil : Edit(run.range, run.spelled(replaced))
      }
    }
    guard String(utf8: inner) != nil, !inner.contains(0) else {
      if !echoes.found(in: inner).isEmpty { obstacle = "a body repeats a credential" }
      return nil
    }
    let replaced = text(inner, .plain, depth: depth + 1)
    guard replaced != inner else { return nil }
    if opened != nil { obstacle = "a body repeats a credential" }
    return Edit(run.range, run.spelled(replaced))
  }
}
