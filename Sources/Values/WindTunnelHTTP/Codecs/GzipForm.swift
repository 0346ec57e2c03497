package import Foundation

/// The parameters with which zlib compresses a text to the same gzip bytes again.
///
/// With them, a cassette stores readable text and replays the original bytes. If another zlib
/// produces different bytes, they still decompress to the same text.
package struct GzipForm: Sendable, Hashable {
  /// The maximum size of a text in bytes; a larger body stays compressed.
  package static let contentBytesMax = 256 << 10
  /// The size of a header without optional fields (RFC 1952 §2.3).
  private static let headerBytes = 10

  /// zlib's compression level, 1 to 9, and its memory level, 8 or 9.
  private let level: Int
  private let memory: Int
  /// The header fields `MTIME`, `XFL` and `OS` (RFC 1952 §2.3.1).
  private let modified: Int
  private let flags: Int
  private let system: Int

  /// The parameters as a cassette stores them: level, memory, `MTIME`, `XFL` and `OS`.
  package var numbers: [Int] { [level, memory, modified, flags, system] }

  /// Creates the parameters from their numbers; `nil` if they are invalid or zlib is missing.
  package init?(_ numbers: [Int]) {
    guard numbers.count == 5, 1...9 ~= numbers[0], 8...9 ~= numbers[1], ZLib.shared != nil,
      UInt32(exactly: numbers[2]) != nil, UInt8(exactly: numbers[3]) != nil,
      UInt8(exactly: numbers[4]) != nil
    else { return nil }
    (level, memory, modified) = (numbers[0], numbers[1], numbers[2])
    (flags, system) = (numbers[3], numbers[4])
  }

  /// Returns the parameters of a gzip body and its text; `nil` if no parameters reproduce these
  /// bytes.
  package static func of(_ data: Data) -> (form: GzipForm, content: Data)? {
    let header = Array(data.prefix(headerBytes))
    guard header.count == headerBytes, header.starts(with: [0x1F, 0x8B, 8, 0]),
      let content = Inflate.open(data, as: .gzip, bytesMax: contentBytesMax),
      String(utf8: content) != nil
    else { return nil }
    let modified = header[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    // The default levels of servers are tried first.
    let forms = [8, 9].flatMap { memory in
      [6, 1, 9, 5, 4, 3, 2, 7, 8].compactMap { level in
        GzipForm([level, memory, modified, Int(header[8]), Int(header[9])])
      }
    }
    return forms.first { $0.gives(data, of: content) }.map { ($0, content) }
  }

  /// Compresses a text with these parameters; returns the text itself if zlib has not enough
  /// memory.
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

  /// Whether compressing a text gives these bytes after the header. Stops at the first difference.
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
    // 15 + 16: gzip with the largest window. 4: Z_FINISH.
    let stream = ZLibStream(deflatingWithin: 15 + 16, level: level, memory: memory)
    return stream?.run(content, flush: 4, take) ?? false
  }
}
