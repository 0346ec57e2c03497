package import Foundation

/// The parameters by which zlib compresses a text to the same gzip bytes again.
///
/// With it, a cassette shows the text and plays the bytes. If another zlib produces other bytes,
/// they decompress to the same text.
package struct GzipForm: Sendable, Hashable {
  /// A text that is longer stays in its coding.
  package static let contentBytesMax = 256 << 10
  /// The bytes of a header without optional fields (RFC 1952 §2.3).
  private static let headerBytes = 10

  /// zlib's level, 1 to 9, and its measure of memory, 8 or 9.
  private let level: Int
  private let memory: Int
  /// The header's `MTIME`, `XFL` and `OS` (RFC 1952 §2.3.1).
  private let modified: Int
  private let flags: Int
  private let system: Int

  /// The form as a cassette has it: level, memory, `MTIME`, `XFL` and `OS`.
  package var numbers: [Int] { [level, memory, modified, flags, system] }

  /// Creates a form from its numbers; `nil` if they are invalid, or if there is no zlib.
  package init?(_ numbers: [Int]) {
    guard numbers.count == 5, 1...9 ~= numbers[0], 8...9 ~= numbers[1], ZLib.shared != nil,
      UInt32(exactly: numbers[2]) != nil, UInt8(exactly: numbers[3]) != nil,
      UInt8(exactly: numbers[4]) != nil
    else { return nil }
    (level, memory, modified) = (numbers[0], numbers[1], numbers[2])
    (flags, system) = (numbers[3], numbers[4])
  }

  /// Returns the form of a text in gzip, and the text; `nil` if no form reproduces these bytes.
  package static func of(_ data: Data) -> (form: GzipForm, content: Data)? {
    let header = Array(data.prefix(headerBytes))
    guard header.count == headerBytes, header.starts(with: [0x1F, 0x8B, 8, 0]),
      let content = Inflate.open(data, as: .gzip, bytesMax: contentBytesMax),
      String(utf8: content) != nil
    else { return nil }
    let modified = header[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    // The levels that servers have by default are tried first.
    let forms = [8, 9].flatMap { memory in
      [6, 1, 9, 5, 4, 3, 2, 7, 8].compactMap { level in
        GzipForm([level, memory, modified, Int(header[8]), Int(header[9])])
      }
    }
    return forms.first { $0.gives(data, of: content) }.map { ($0, content) }
  }

  /// Returns a text in this form; the text itself if there is no memory for zlib.
  package func coded(_ content: Data) -> Data {
    var coded = Data()
    let isDone = run(content) {
      coded.append($0)
      return true
    }
    guard isDone, coded.count > Self.headerBytes else { return content }
    let header: [UInt8] =
      [0x1F, 0x8B, 8, 0]
      + (0..<4).map { UInt8(truncatingIfNeeded: modified >> (8 * $0)) }
      + [UInt8(truncatingIfNeeded: flags), UInt8(truncatingIfNeeded: system)]
    coded.replaceSubrange(..<Self.headerBytes, with: header)
    return coded
  }

  /// Whether a text in this form has these bytes after the header. Stops at the first difference.
  private func gives(_ data: Data, of content: Data) -> Bool {
    var place = 0
    let isSame = run(content) { piece in
      let skipped = max(0, min(piece.count, Self.headerBytes - place))
      let part = data.dropFirst(place + skipped).prefix(piece.count - skipped)
      place += piece.count
      return part == Data(piece.dropFirst(skipped))
    }
    return isSame && place == data.count
  }

  private func run(_ content: Data, _ take: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
    Work.read(content.count)
    // 15 + 16: in gzip, within the largest window. 4: Z_FINISH.
    let stream = ZLibStream(deflatingWithin: 15 + 16, level: level, memory: memory)
    return stream?.run(content, flush: 4, take) ?? false
  }
}
