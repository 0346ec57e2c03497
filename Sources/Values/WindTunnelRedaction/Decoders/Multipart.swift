/// The parts of a multipart body, each with its own fields (RFC 2046 §5.1, RFC 7578).
struct Multipart: Decoder {
  let boundary: String

  func spans(in bytes: Bytes) -> [Span]? {
    let marks = bytes.ranges(of: Bytes("--\(boundary)".utf8))
    guard !marks.isEmpty else { return nil }
    return marks.enumerated().flatMap { index, mark in
      let end = index + 1 < marks.count ? marks[index + 1].lowerBound : bytes.count
      return spans(of: mark.upperBound..<end, in: bytes)
    }
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    let original = Bytes(bytes[span.range])
    return original == span.meaning ? meaning : QuotedPrintable.spelled(meaning, over: original)
  }

  private func spans(of range: Range<Int>, in bytes: Bytes) -> [Span] {
    let part = bytes[range]
    let blanks = ["\r\n\r\n", "\n\n"].compactMap { part.firstRange(of: Bytes($0.utf8)) }
    guard let blank = blanks.min(by: { $0.lowerBound < $1.lowerBound }) else {
      return [Span(range: range, meaning: Bytes(part), role: .text)]
    }
    let head = part[..<blank.lowerBound].text
    let lines = head.read.split { $0.isNewline }
    func field(_ name: String) -> String {
      let line = lines.first { $0.lowercased().hasPrefix("\(name):") }
      return line.map { String($0.dropFirst(name.count + 1).trimmingOptionalWhitespace()) } ?? ""
    }
    var end = range.upperBound
    // The line break before a boundary belongs to the boundary.
    if end > blank.upperBound, bytes[end - 1] == 0x0A { end -= 1 }
    if end > blank.upperBound, bytes[end - 1] == 0x0D { end -= 1 }
    let content = Bytes(bytes[blank.upperBound..<end])
    let disposition = ContentType(field("content-disposition"))
    let name = disposition["name"] ?? ""
    // A file is decoded by its type, unless it is a short value with a secret's name.
    let isFile =
      disposition["filename"] != nil
      && (content.count > 1024 || content.contains(0x0A) || content.first == "{")
    let coding = field("content-transfer-encoding").lowercased()
    let type = field("content-type")
    let isPlain = type.isEmpty || ContentType(type).essence == "text/plain"
    let isValue = !isFile && !name.isEmpty && isPlain && String(utf8: content) != nil
    let isCoded = coding == "quoted-printable"
    let role =
      isValue
      ? Span.Role.value(name: name, .field, [])
      : .content(type: isCoded ? "\(type); windtunnel-coding=\(coding)" : type)
    let meaning = isValue && isCoded ? EscapedText(content, .quoted)?.bytes ?? content : content
    let body = Span(range: blank.upperBound..<end, meaning: meaning, role: role)
    return fields(bytes[range.lowerBound..<blank.upperBound]) + [body]
  }

  /// Returns the fields of a part; file names (RFC 6266 §4.3) are texts.
  private func fields(_ head: ByteSlice) -> [Span] {
    var ends = [head.startIndex]
    for mark in head.ranges(of: Bytes("filename".utf8))
    where mark.lowerBound >= ends[ends.count - 1] {
      let value = head[mark.upperBound...].drop { "* =".utf8.contains($0) }
      let isQuoted = value.first == "\""
      let name =
        isQuoted
        ? value.dropFirst().prefix { $0 != "\"" }
        : value.prefix { $0 > 0x20 && $0 != ";" }
      ends += [name.startIndex, name.endIndex]
    }
    ends.append(head.endIndex)
    return zip(ends, ends.dropFirst()).enumerated().map { index, ends in
      let range = ends.0..<ends.1
      return Span(range: range, meaning: Bytes(head[range]), role: index % 2 == 0 ? .name : .text)
    }
  }
}
