/// The string of a line that contains a position, according to quotation marks.
struct OpenQuote {
  private var mark: UInt8?
  private var isEscaped = false

  /// Processes one byte of a text.
  mutating func pass(_ bytes: Bytes, _ place: Int) {
    let byte = bytes[place]
    if byte == 0x0A {
      (mark, isEscaped) = (nil, false)
    } else if isEscaped {
      isEscaped = false
    } else if byte == "\\" {
      isEscaped = true
    } else if byte == mark {
      mark = nil
    } else if mark == nil, byte == "\"" || byte == "`" {
      mark = byte
    } else if mark == nil, byte == "'", place == 0 || !bytes[place - 1].isWord {
      // Within a word, it is an apostrophe.
      mark = byte
    }
  }

  /// Whether this mark would end the current string.
  func isOpen(_ mark: UInt8) -> Bool { self.mark == mark }
}
