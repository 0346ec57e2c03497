/// Parses a pattern and writes its program in one pass. The steps of each part follow those before.
struct PatternParser {
  private let text: String
  private let bytes: [UInt8]
  private var place = 0
  private var steps: [PatternStep] = []

  init(_ text: String) { (self.text, bytes) = (text, Array(text.utf8)) }

  mutating func program() throws(LinkPatternError) -> [PatternStep] {
    guard bytes.count <= LinkPattern.bytesMax else {
      throw flaw("it has \(bytes.count) bytes; the maximum is \(LinkPattern.bytesMax).")
    }
    guard !bytes.isEmpty else { throw flaw("it is empty; write .* for any text.") }
    if let other = bytes.firstIndex(where: { $0 < 0x20 || $0 > 0x7E }) {
      place = other
      throw flaw("it is not visible ASCII; escape it as in links, such as %C3%A9.")
    }
    try alternatives(depth: 0)
    guard place == bytes.count else {
      throw flaw("this ) has no (; write \\) for the character.")
    }
    return steps + [.matched]
  }

  /// Parses up to the end or to a `)`.
  private mutating func alternatives(depth: Int) throws(LinkPatternError) {
    guard depth <= LinkPattern.depthMax else {
      throw flaw("groups are nested more than \(LinkPattern.depthMax) deep; use fewer.")
    }
    let start = steps.count
    var ends: [Int] = []
    try sequence(depth)
    while peek() == "|" {
      place += 1
      // The steps so far are the first of two alternatives; their end leads past the second one.
      steps.append(.go(0))
      steps.insert(.fork(1, steps.count - start + 1), at: start)
      ends = ends.map { $0 + 1 } + [steps.count - 1]
      try sequence(depth)
    }
    for end in ends { steps[end] = .go(steps.count - end) }
  }

  private mutating func sequence(_ depth: Int) throws(LinkPatternError) {
    while let byte = peek(), byte != "|", byte != ")" {
      let start = steps.count
      let isRepeatable = try part(byte, depth)
      try repetition(of: start, isRepeatable)
    }
  }

  /// Parses one part, and returns whether it may be repeated.
  private mutating func part(_ byte: Unicode.Scalar, _ depth: Int) throws(LinkPatternError)
    -> Bool
  {
    switch byte {
    case "^", "$":
      steps.append(byte == "^" ? .atStart : .atEnd)
    case ".":
      steps.append(.take(.all))
    case "[":
      steps.append(.take(try set()))
      return true
    case "(":
      let start = place
      place += 1
      if peek() == "?" { throw flaw("(? is not supported; write a plain group.") }
      try alternatives(depth: depth + 1)
      guard peek() == ")" else {
        place = start
        throw flaw("this ( has no ); write \\( for the character.")
      }
    case "*", "+", "?":
      throw flaw("there is nothing for \(byte) to repeat; write \\\(byte) for the character.")
    case "{", "}":
      throw flaw(
        "counts in braces are not supported; repeat the part as often as needed, or write "
          + "\\\(byte) for the character."
      )
    case "]":
      throw flaw("this ] has no [; write \\] for the character.")
    default:
      let literal = try literal()
      steps.append(.take(ByteSet(literal...literal)))
      return true
    }
    place += 1
    return byte != "^" && byte != "$"
  }

  /// Parses the repetition sign after a part, if there is one, and makes the part's steps repeat.
  private mutating func repetition(of start: Int, _ isRepeatable: Bool) throws(LinkPatternError) {
    guard let sign = peek(), "*+?".unicodeScalars.contains(sign) else { return }
    guard isRepeatable else { throw flaw("an anchor cannot be repeated; write it once.") }
    place += 1
    if sign == "+" {
      steps.append(.fork(start - steps.count, 1))
    } else {
      if sign == "*" { steps.append(.go(start - steps.count - 1)) }
      steps.insert(.fork(1, steps.count - start + 1), at: start)
    }
    if let next = peek(), "*+?".unicodeScalars.contains(next) {
      throw flaw("\(next) after a repetition is not supported; write one sign only.")
    }
  }

  private mutating func set() throws(LinkPatternError) -> ByteSet {
    let start = place
    place += 1
    let isInverted = peek() == "^"
    if isInverted { place += 1 }
    var set = ByteSet()
    while let byte = peek(), byte != "]" {
      if byte == "[" { throw flaw("a [ in a class needs a backslash; write \\[.") }
      let first = try literal()
      guard peek() == "-", place + 1 < bytes.count, bytes[place + 1] != UInt8(ascii: "]") else {
        set.insert(first...first)
        continue
      }
      place += 1
      let last = try literal()
      guard first <= last else {
        place -= 1
        throw flaw("the range ends before it begins; write the lower end first.")
      }
      set.insert(first...last)
    }
    guard peek() == "]" else {
      place = start
      throw flaw("this [ has no ]; write \\[ for the character.")
    }
    guard !set.isEmpty else { throw flaw("the class is empty; write \\] for the character.") }
    place += 1
    return isInverted ? set.inverted : set
  }

  /// Parses a literal character.
  private mutating func literal() throws(LinkPatternError) -> UInt8 {
    var byte = bytes[place]
    if byte == UInt8(ascii: "\\") {
      guard place + 1 < bytes.count else {
        throw flaw("nothing follows the backslash; write \\\\ for the character.")
      }
      place += 1
      byte = bytes[place]
      if Unicode.Scalar(byte).properties.isAlphabetic || (0x30...0x39).contains(byte) {
        throw flaw(
          "\\\(Unicode.Scalar(byte)) is not supported; write a class, such as [0-9] or [A-Za-z]."
        )
      }
    }
    place += 1
    return byte
  }

  private func peek() -> Unicode.Scalar? {
    place < bytes.count ? Unicode.Scalar(bytes[place]) : nil
  }

  private func flaw(_ words: String) -> LinkPatternError {
    LinkPatternError(text, at: place, words)
  }
}
