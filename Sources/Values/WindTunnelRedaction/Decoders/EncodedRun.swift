internal import Foundation

/// A stretch of encoded bytes in a text.
///
/// It is base64 (RFC 4648) in one word or in lines of equal length (RFC 2045 §6.8), or hexadecimal
/// digits in one word.
struct EncodedRun {
  var range: Range<Int>
  /// The letters without line breaks.
  var letters: ByteSlice
  /// The number of letters in a line, and the separator of lines.
  private var width = 0
  private var separator: Bytes = []

  /// Creates a run from one word.
  init(_ word: ByteSlice) { (range, letters) = (word.indices, word) }

  /// Returns the encoded stretches of a text in order.
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
        // The rest in the last line is too short to be a run.
        if runs[last].count == first.count,
          bytes[run.range.upperBound...].starts(with: separator)
        {
          let rest = bytes.run(from: run.range.upperBound + separator.count, most: 20) {
            Base64Text.isLetter($0) || $0 == "="
          }
          run.letters += rest
          if !rest.isEmpty { run.range = first.lowerBound..<rest.endIndex }
        }
        (run.width, run.separator) = (first.count, separator)
      }
      found.append(run)
      index = last + 1
    }
    return found
  }

  /// Returns the line break after a stretch, with the indentation of the next line.
  private static func lineBreak(behind range: Range<Int>, in bytes: Bytes) -> Bytes {
    let end = range.upperBound
    let count = bytes.has("\n", at: end) ? 1 : bytes.has("\r\n", at: end) ? 2 : 0
    if count == 0 { return [] }
    let indent = bytes.run(from: end + count, most: 12 - count) { $0 == 0x20 || $0 == 0x09 }
    return Bytes(bytes[end..<indent.endIndex])
  }

  /// Returns other bytes in the same encoding and line length.
  func spelled(_ bytes: Bytes) -> Bytes {
    let letters = Bytes(EncodedText.encoded(bytes, like: self.letters).utf8)
    guard width > 0 else { return letters }
    let lines = stride(from: 0, to: letters.count, by: width).map {
      letters[$0..<min($0 + width, letters.count)]
    }
    return Bytes(lines.joined(separator: separator))
  }
}
