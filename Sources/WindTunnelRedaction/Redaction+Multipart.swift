internal import Foundation

// RFC 2046 §5.1 and RFC 7578: parts between lines of the boundary, each with fields of its own.

extension Redaction {
  /// A multipart body: a text field under a secret's name goes, every other part is looked into as
  /// what it says it is.
  mutating func multipart(_ bytes: [UInt8], boundary: String, depth: Int) -> [UInt8] {
    let mark = Array("--\(boundary)".utf8)
    let marks = bytes.ranges(of: mark)
    guard !marks.isEmpty else { return text(bytes, .plain, depth: 0) }
    var edits: [Edit] = []
    for (index, mark) in marks.enumerated() {
      let end = index + 1 < marks.count ? marks[index + 1].lowerBound : bytes.count
      if let edit = part(bytes, mark.upperBound..<end, depth: depth) { edits.append(edit) }
    }
    let changed = edits.filter { !bytes[$0.range].elementsEqual($0.bytes) }
    return changed.isEmpty ? bytes : Edit.applied(changed, to: bytes)
  }

  private mutating func part(_ bytes: [UInt8], _ range: Range<Int>, depth: Int) -> Edit? {
    let part = bytes[range]
    let blank = [Array("\r\n\r\n".utf8), Array("\n\n".utf8)].compactMap { part.firstRange(of: $0) }
      .min { $0.lowerBound < $1.lowerBound }
    guard let blank else {
      let replaced = text(Array(part), .plain, depth: 0)
      return Edit(range, replaced)
    }
    let head = String(decoding: part[..<blank.lowerBound], as: UTF8.self)
    let lines = head.split { $0.isNewline }
    func field(_ name: String) -> String {
      let line = lines.first { $0.lowercased().hasPrefix("\(name):") }
      return line.map { String($0.dropFirst(name.count + 1).trimmingOptionalWhitespace()) } ?? ""
    }
    var end = range.upperBound
    // The line break before a boundary belongs to the boundary.
    if end > blank.upperBound, bytes[end - 1] == 0x0A { end -= 1 }
    if end > blank.upperBound, bytes[end - 1] == 0x0D { end -= 1 }
    let content = Array(bytes[blank.upperBound..<end])
    let disposition = field("content-disposition")
    let name = Self.parameter("name", of: disposition) ?? ""
    // A file is looked into as what it is, unless it is a word under a secret's name.
    let isFile =
      Self.parameter("filename", of: disposition) != nil
      && (content.count > 1024 || content.contains(0x0A) || content.first == UInt8(ascii: "{"))
    let outer = log?.part
    defer { outer.map { log?.part = $0 } }
    outer.map { log?.part = "\($0) part \(SecretNames.slug(name))" }
    if !isFile, let sort = names.sort(of: name, in: .field), let value = String(utf8: content) {
      let stand = fieldValue(value, name: name) ?? stand(for: value, name: name, sort: sort)
      return Edit(blank.upperBound..<end, Array(stand.utf8))
    }
    let replaced = self.content(
      content,
      type: field("content-type"),
      what: "a body",
      depth: depth + 1
    )
    let before = Array(part[..<blank.upperBound])
    return Edit(range.lowerBound..<end, (echoes?.replaced(in: before, .name) ?? before) + replaced)
  }
}
