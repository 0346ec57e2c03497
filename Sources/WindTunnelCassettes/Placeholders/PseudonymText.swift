/// Reads `REDACTED-token-1` in texts, without regular expressions: it is asked of every body.
package enum PseudonymText {
  private static let mark = Array("REDACTED-".utf8)
  private static let mailEnd = Array("@example.test".utf8)

  /// The names and ordinals that stand in a text, in their order.
  package static func found(in bytes: [UInt8]) -> [(name: String, ordinal: Int)] {
    starts(in: bytes).compactMap { start in
      let run = run(from: start, in: bytes)
      // The last hyphen with a digit behind it ends the name.
      guard
        let hyphen = run.indices.dropFirst().last(where: { index in
          run[index] == UInt8(ascii: "-") && index + 1 < run.endIndex && isDigit(run[index + 1])
        }),
        let ordinal = Int(
          String(decoding: run[(hyphen + 1)...].prefix(while: isDigit), as: UTF8.self)
        )
      else { return nil }
      return (String(decoding: run[..<hyphen], as: UTF8.self), ordinal)
    }
  }

  /// Whether a text is one of these and nothing else, be it an e-mail address of one.
  package static func isWhole(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: mark) else { return false }
    let run = run(from: mark.count, in: bytes)
    let end = bytes[run.endIndex...]
    guard end.isEmpty || end.elementsEqual(mailEnd),
      let hyphen = run.lastIndex(of: UInt8(ascii: "-")), hyphen > run.startIndex
    else { return false }
    let digits = run[(hyphen + 1)...]
    return !digits.isEmpty && digits.allSatisfy(isDigit)
  }

  /// Whether any may stand in a text, as it is, in base64 or in hexadecimal digits.
  package static func mayBeIn(_ bytes: [UInt8]) -> Bool {
    // The first two bytes of what ``RedactedText/mayBeIn(_:)`` looks for.
    bytes.withUnsafeBufferPointer { bytes in
      for place in bytes.indices.dropLast() {
        let next = bytes[place + 1]
        switch bytes[place] {
        case UInt8(ascii: "R"): if next == UInt8(ascii: "E") { return true }
        case UInt8(ascii: "U"): if next == UInt8(ascii: "k") { return true }
        case UInt8(ascii: "J"): if next == UInt8(ascii: "F") { return true }
        case UInt8(ascii: "S"): if next == UInt8(ascii: "R") { return true }
        case UInt8(ascii: "5"): if next == UInt8(ascii: "2") { return true }
        default: break
        }
      }
      return false
    } && RedactedText.mayBeIn(bytes)
  }

  /// Where the names begin.
  private static func starts(in bytes: [UInt8]) -> [Int] {
    bytes.withUnsafeBufferPointer { bytes in
      var starts: [Int] = []
      var place = 0
      while place + mark.count < bytes.count {
        if bytes[place] == mark[0], bytes[place...].starts(with: mark) {
          starts.append(place + mark.count)
          place += mark.count
        } else {
          place += 1
        }
      }
      return starts
    }
  }

  private static func run(from start: Int, in bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes[start...].prefix { 0x61...0x7A ~= $0 || isDigit($0) || $0 == UInt8(ascii: "-") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}
