/// Words of letters and digits that look drawn by lot, and not put together of words.
enum RandomToken {
  /// From how many characters on a word looks drawn.
  static let lengthMin = 16

  /// Letters and digits mixed, with nothing between them that addresses and times have.
  static func mayBe(_ word: ArraySlice<UInt8>) -> Bool {
    var (hasLetter, hasDigit) = (false, false)
    for byte in word {
      if byte.isASCIILetter {
        hasLetter = true
      } else if 0x30...0x39 ~= byte {
        hasDigit = true
      } else if !"_-.+/=~".utf8.contains(byte) {
        return false
      }
    }
    return hasLetter && hasDigit && word.first != UInt8(ascii: "/")
  }

  /// Whether a word that may be is none of words, numbers and what is between them.
  static func isDrawn(_ word: ArraySlice<UInt8>) -> Bool { !isIdentifier(word) }

  /// `bucket-refill-v2`, `com.example.app2`, `createHash256Of2`, `2026-11-21`: every part is a short
  /// number, or humps of letters with a short number behind.
  static func isIdentifier(_ word: ArraySlice<UInt8>) -> Bool {
    let parts = word.split { !$0.isASCIILetter && !(0x30...0x39 ~= $0) }
    let isJoined = parts.count > 1
    return parts.allSatisfy { part in
      let runs = runs(of: part)
      let humps = runs.filter { $0.first?.isASCIILetter == true }
      let numbers = runs.filter { $0.first?.isASCIILetter == false }
      guard numbers.allSatisfy({ $0.count <= (isJoined ? 4 : 3) }) else { return false }
      // What is written in one must show where its words begin.
      let hasHump = isJoined || humps.joined().contains { 0x41...0x5A ~= $0 }
      return humps.count <= (isJoined ? 2 : 4) && hasHump && humps.allSatisfy(areWords)
    }
  }

  /// Where letters and digits change.
  private static func runs(of part: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var runs: [ArraySlice<UInt8>] = []
    var start = part.startIndex
    for index in part.indices.dropFirst()
    where part[index].isASCIILetter != part[index - 1].isASCIILetter {
      runs.append(part[start..<index])
      start = index
    }
    if start < part.endIndex { runs.append(part[start...]) }
    return runs
  }

  /// `createHash`, `RSA`, `v`: small letters, capitals alone, or words of three letters and more each
  /// of which begins with one.
  private static func areWords(_ letters: ArraySlice<UInt8>) -> Bool {
    let isSmall = { (byte: UInt8) in 0x61...0x7A ~= byte }
    if letters.allSatisfy(isSmall) || !letters.contains(where: isSmall) { return true }
    var length = 0
    var isFirst = true
    for byte in letters {
      if isSmall(byte) {
        length += 1
      } else {
        guard isFirst || length >= 3 else { return false }
        (length, isFirst) = (1, false)
      }
    }
    return length >= 3
  }
}
