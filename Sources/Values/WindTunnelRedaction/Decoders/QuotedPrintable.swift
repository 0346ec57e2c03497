/// Text in quoted-printable (RFC 2045 §6.7). Only changed parts of it are encoded again.
struct QuotedPrintable: Decoder {
  /// The media type of the content.
  let type: String
  /// Whether the encoding is declared. If not, and one paragraph is certainly encoded, all that
  /// look encoded are decoded. A line of other texts may end with `=`, too.
  let isDeclared: Bool

  func spans(in bytes: Bytes) -> [Span]? {
    let role = Span.Role.content(type: "\(type); windtunnel-coding=8bit")
    let ranges = isDeclared ? [0..<bytes.count] : Self.paragraphs(of: bytes)
    let kinds = ranges.map { EscapedText.isQuotedPrintable(Bytes(bytes[$0])) }
    guard isDeclared || kinds.contains(where: \.certainly) else { return nil }
    var (spans, start): ([Span], Int) = ([], 0)
    func add(to end: Int, _ meaning: Bytes? = nil) {
      guard start < end else { return }
      let meaning = meaning ?? Bytes(bytes[start..<end])
      spans.append(Span(range: start..<end, meaning: meaning, role: role))
      start = end
    }
    for (range, kind) in zip(ranges, kinds) where isDeclared || kind.maybe {
      guard let text = EscapedText(Bytes(bytes[range]), .quoted) else { continue }
      add(to: range.lowerBound)
      add(to: range.upperBound, text.bytes)
    }
    add(to: bytes.count)
    return spans
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    let original = Bytes(bytes[span.range])
    return original == span.meaning ? meaning : Self.spelled(meaning, over: original)
  }

  /// Returns an encoded text with new content. Unchanged parts keep their encoding.
  static func spelled(_ meaning: Bytes, over original: Bytes) -> Bytes {
    guard let text = EscapedText(original, .quoted) else { return meaning }
    let edits = Edit.between(text.bytes, meaning).map { Edit($0.range, $0.bytes.flatMap(escaped)) }
    return Edit.applied(text.inOriginal(edits), to: original)
  }

  private static func escaped(_ byte: UInt8) -> Bytes {
    let isPlain = 0x20...0x7E ~= byte && byte != 0x3D || [0x09, 0x0A, 0x0D].contains(byte)
    return isPlain ? [byte] : Bytes("=\(EncodedText.digits(byte).uppercased())".utf8)
  }

  /// The ranges of a text that end with an empty line.
  private static func paragraphs(of bytes: Bytes) -> [Range<Int>] {
    var (ranges, start, line): ([Range<Int>], Int, Int) = ([], 0, 0)
    for place in bytes.indices where bytes[place] == 0x0A {
      let isEmpty = place == line || place == line + 1 && bytes[line] == 0x0D
      line = place + 1
      guard isEmpty else { continue }
      ranges.append(start..<line)
      start = line
    }
    return start < bytes.count ? ranges + [start..<bytes.count] : ranges
  }
}
