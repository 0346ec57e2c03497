internal import Foundation

/// The distinction of prose from machine-readable values, for names that have both.
enum Prose {
  /// Whether a text is prose: words in lower case with at most an initial capital, and punctuation
  /// between them, such as `can't be blank` or `Sign in`. No word looks random.
  static func isPlain(_ text: String) -> Bool {
    guard text.utf8.count <= 400 else { return false }
    let words = text.read.split { " \n'’‘“”«»,.!?:;-–()…\"/&*¿¡、。：？！・".contains($0) }
    return words.contains { !isNumber($0) }
      && words.allSatisfy { word in
        isNumber(word)
          || word.dropFirst().allSatisfy { $0.isLetter && !$0.isUppercase }
            && word.first?.isLetter == true
          || word.count <= 4 && word.allSatisfy { $0.isUppercase }
      } && (text.contains(" ") || !TextShape.isDrawn(text))
  }

  /// Whether a word is a number of a few digits: a length, a limit.
  private static func isNumber(_ word: Substring) -> Bool {
    word.count <= 3 && word.allSatisfy { "0"..."9" ~= $0 }
  }

  /// Whether a value is the key of an entry: a session's entry `cart`, a key `s` of a keyboard. A
  /// key that is a credential is random.
  static func isKeyOfStore(_ name: some StringProtocol, _ value: String) -> Bool {
    guard value.utf8.count <= 24, value.utf8.allSatisfy({ 0x61...0x7A ~= $0 }) else { return false }
    let name = SecretNames.folded(name)
    return ["sessionkey", "accesskey", "authkey"].contains { name.hasSuffix($0) }
  }
}

/// The distinction of random text from text that a person composed of words and numbers.
enum TextShape {
  /// Whether a value of letters, digits and separators contains a part that looks random, that is,
  /// not like words and numbers.
  ///
  /// A run of letters is a word if more than half of its letter pairs are frequent ones.
  /// `bucket-refill-v2`, `createHash256`, `2026-11-21T10:00` and `SUMMER26` consist of words and
  /// numbers; `abc1`, `x7k2` and `qzjvkwpxmtrb` look random.
  ///
  /// In a text with spaces and quotation marks, the random part must have at least eight
  /// characters.
  static func isDrawn(_ value: some StringProtocol) -> Bool {
    let count = value.read.utf8.count
    guard count >= 4, count <= bytesMax else { return count > bytesMax && !value.contains(" ") }
    var (drawnCount, longest, isSpoken) = (0, 0, false)
    var part: Bytes = []
    func end() {
      if part.count >= 4, isDrawn(part: part) {
        drawnCount += part.count
        longest = max(longest, part.count)
      }
      part.removeAll(keepingCapacity: true)
    }
    for byte in value.utf8 {
      if byte.isWord {
        part.append(byte)
      } else {
        end()
        isSpoken = isSpoken || !separators[Int(byte)]
      }
    }
    end()
    if isUUID(value) { return true }
    return isSpoken ? longest >= 8 : drawnCount >= 4
  }

  /// Whether a text is long and looks random, and is neither a UUID nor a hexadecimal object
  /// identifier.
  static func isToken(_ text: String) -> Bool {
    text.utf8.count >= 20 && isDrawn(text)
      && text.utf8.split { "-_.".utf8.contains($0) }.contains { $0.count > 13 }
      && (text.utf8.count > 24 || !text.utf8.allSatisfy(\.isHexadecimalDigit))
  }

  /// Whether a text has the groups of a UUID.
  static func isUUID(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 36 && text.split(separator: "-").map(\.utf8.count) == [8, 4, 4, 4, 12]
  }

  /// The maximum length of a word.
  private static let bytesMax = 4096
  private static let separators = (UInt8.min...UInt8.max).map { "_-.+/=~:|%$!@,".utf8.contains($0) }

  private static func isDrawn(part: Bytes) -> Bool {
    var runs: [ByteSlice] = []
    var start = 0
    for place in 1...part.count
    where place == part.count
      || kind(part[place]) != kind(part[place - 1])
        && !(place - start == 1 && kind(part[start]) == 1 && kind(part[place]) == 0)
    {
      runs.append(part[start..<place])
      start = place
    }
    let letters = runs.filter { $0[$0.startIndex].isASCIILetter }
    let digitCount = part.count - letters.reduce(0) { $0 + $1.count }
    if letters.isEmpty { return false }
    // Hexadecimal digits, as in digests and many keys.
    if part.count >= 12, digitCount > 2, part.allSatisfy(\.isHexadecimalDigit) { return true }
    if Vocabulary.terms.contains(part.text.lowercased()) {
      return false
    }
    let wordCount = letters.reduce(0) { $0 + (isWord($1) ? $1.count : 0) }
    let letterCount = part.count - digitCount
    if digitCount == 0 {
      // Upper case alone is an acronym, and a few letters are a word in some language. Scattered
      // upper-case letters are neither.
      if part.count >= 8, letters.count * 5 > letterCount * 2 { return true }
      // Few names contain three acronyms.
      let capitals = runs.count { $0.count > 1 && kind($0[$0.startIndex]) == 1 }
      if part.count >= 20, capitals > 2 { return true }
      let isOfOneCase = runs.count == 1 || runs.count == 2 && runs[0].count == 1
      return part.count >= (isOfOneCase ? 16 : 8) && wordCount * 2 < letterCount
    }
    if runs.count > 3, letters.allSatisfy({ $0.count <= 2 }) { return true }
    let numberCount = runs.count - letters.count
    if numberCount > 2, part.count >= 10, part.count <= numberCount * 5 { return true }
    // A name with a number before, after or within it.
    if letters.count <= 2, wordCount == letterCount, runs.count <= 4 {
      return digitCount > 8 && runs.count > 2
    }
    if letters.count * 3 > letterCount, runs.count > 3 { return true }
    return wordCount * 10 < letterCount * 7 || runs.count > 6 && letters.count * 4 > letterCount
  }

  /// Returns the kind of a byte: 0 for lower case, 1 for upper case, 2 for digits.
  private static func kind(_ byte: UInt8) -> Int { byte.isASCIIDigit ? 2 : byte < 0x61 ? 1 : 0 }

  private static func isWord(_ run: ByteSlice) -> Bool {
    if run.count <= 2 { return true }
    var (frequent, all) = (0, 0)
    var last: UInt8 = 0
    for byte in run {
      let letter = byte.asciiLowercased - 0x61
      if all > 0, pairs[Int(last) * 26 + Int(letter)] { frequent += 1 }
      (last, all) = (letter, all + 1)
    }
    // Abbreviations in upper case are often unpronounceable.
    let isCapital = run.count <= 5 && run.allSatisfy { 0x41...0x5A ~= $0 }
    let least = run.count <= 4 ? 5 : 6
    // Five letters without a vowel are unpronounceable.
    if run.count >= 5,
      run.count(where: { "aeiouy".utf8.contains($0.asciiLowercased) }) * 5 < run.count
    {
      return false
    }
    return isCapital || frequent * 10 > (all - 1) * least
  }

  /// The pairs of letters that are frequent in English, German, French and Spanish words.
  private static let pairs: [Bool] = {
    let text = """
      th he in er an re nd at on nt ha es st en ed to it ou ea hi is or ti as te et ng of al de se le sa
      si ar ve ra ld ur me ne ri ro ic li ch ta la el ma co ec ll be io us ce om di no ho il un ca ge pe
      lo ac tr ss wa em so ie ns ot po da ad ai ef ab am ap av ag ak ay ba bi bl bo br bu ci ck cl cr ct
      cu do dr du ee ei ep ev ew ex ey fa fe fi fl fo fr fu ga gh gi gl go gr gu hu ia id if ig im ip ir
      iv ke ki kn ly mi mm mo mp mu na ni nn nu ob oc od og oi ok ol oo op os ow pa ph pi pl pp pr pt pu
      qu rd rm rn rr rs rt ru ry rk sc sh sk sm sn sp su sw ty ts tt tu tw ua ub uc ue ui ul um up ut va
      vi vo we wi wo wh wn ya ye yo ze zi ff gg dd bb cc ft sy my by rc rg nc nk ds ls ks ms ws ys ey uy
      oy eu au ou yn ym yp ja je jo ju za zo tz ka ko ku hn hr ht uf ug
      """
    let pairs = Vocabulary.words(text)
    let letters = "abcdefghijklmnopqrstuvwxyz"
    return letters.flatMap { one in letters.map { pairs.contains("\(one)\($0)") } }
  }()
}

extension TextShape {
  /// Whether a value is public according to its prefix: a key for pages, or the identifier of an
  /// app.
  static func isPublished(_ value: String) -> Bool {
    publicMarks.contains { value.hasPrefix($0) }
      || value.hasPrefix("pub") && value.utf8.count == 35
        && value.utf8.dropFirst(3).allSatisfy(\.isHexadecimalDigit)
      || value.hasPrefix("APP-") && value.utf8.count == 21
        && value.utf8.dropFirst(4).allSatisfy { $0.isASCIIDigit || 0x41...0x5A ~= $0 }
      || value.hasPrefix("1:") && [":web:", ":android:", ":ios:"].contains { value.contains($0) }
  }

  private static let publicMarks = ["pk_live_", "pk_test_", "sb_publishable_", "phc_", "pk.eyJ"]
}
