internal import Foundation

/// A stretch of a text that spells bytes: base64 (RFC 4648) in one word or in lines of one length
/// (RFC 2045 §6.8), hexadecimal digits in one word.
struct EncodedRun {
  var range: Range<Int>
  /// The letters of it, without what parts them.
  var letters: ByteSlice
  /// The number of letters in a line, and what parts the lines.
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

  /// Returns the break of a line behind a stretch, with what stands before the next.
  private static func lineBreak(behind range: Range<Int>, in bytes: Bytes) -> Bytes {
    let end = range.upperBound
    let count = bytes.has("\n", at: end) ? 1 : bytes.has("\r\n", at: end) ? 2 : 0
    if count == 0 { return [] }
    let indent = bytes.run(from: end + count, most: 12 - count) { $0 == 0x20 || $0 == 0x09 }
    return Bytes(bytes[end..<indent.endIndex])
  }

  /// Other bytes spelled as these are.
  func spelled(_ bytes: Bytes) -> Bytes {
    let letters = Bytes(EncodedText.encoded(bytes, like: self.letters).utf8)
    guard width > 0 else { return letters }
    let lines = stride(from: 0, to: letters.count, by: width).map {
      letters[$0..<min($0 + width, letters.count)]
    }
    return Bytes(lines.joined(separator: separator))
  }
}
