/// Secrets in a sentence next to their name: `Incorrect API key provided: sk-9f8e…`,
/// `token 9f8e… expired`, `loginToken 'x7k2' not accepted`.
///
/// At most two words may be between a name and its value. They may not relate the value to
/// something else (`token of request 9f8e…`) or end a sentence. The value must look random: at
/// least 16 characters, letters and digits mixed, but not words followed by a number. Directly
/// after the name, a shorter value in quotation marks is enough.
///
/// The cost is linear: names are only searched before words that look like values, and only a few
/// words back.
struct ValuesBesideNames: Detector {
  private let bytes: Bytes
  private let names: SecretNames
  /// The previous words, the nearest last.
  private var before: [Range<Int>] = []
  private var found: [Finding] = []

  /// Returns the secrets of a prose text.
  static func findings(in passage: Passage) -> [Finding] {
    guard passage.flavour == .plain else { return [] }
    var reader = ValuesBesideNames(bytes: passage.bytes, names: passage.names)
    reader.read()
    return reader.found
  }

  /// The maximum length of a value. A longer word is encoded content, which is searched separately.
  private static let valueBytesMax = 512
  private static let nameBytesMax = 40
  /// The number of remembered words: the name, a word that qualifies it, and two words between name
  /// and value.
  private static let wordsMax = 4

  private mutating func read() {
    var (place, wordsOfLine) = (0, 0)
    while place < bytes.count {
      while place < bytes.count, bytes[place] <= 0x20 {
        // A value is on the same line as its name, or below it if the name is alone on its line.
        if bytes[place] == 0x0A {
          if wordsOfLine != 1 { before = [] }
          wordsOfLine = 0
        }
        place += 1
      }
      var end = place
      while end < bytes.count, bytes[end] > 0x20 { end += 1 }
      guard place < end else { return }
      let word = place..<end
      if end - place <= Self.valueBytesMax, !before.isEmpty { look(at: word) }
      if before.count == Self.wordsMax { before.removeFirst() }
      before.append(word)
      wordsOfLine += 1
      place = end
    }
  }

  /// The minimum length at which a word looks random without quotation marks.
  private static let drawnBytesMin = 16

  /// Whether a word has mixed letters and digits, without characters of URLs and times.
  private static func mayBe(_ word: ByteSlice) -> Bool {
    word.allSatisfy { $0.isWord || "_-.+/=~".utf8.contains($0) } && word.first != "/"
      && word.contains(where: \.isASCIILetter) && word.contains(where: \.isASCIIDigit)
  }

  private mutating func look(at word: Range<Int>) {
    // Fast path: most words are short and unquoted.
    guard word.count >= Self.drawnBytesMin || Self.isQuote(bytes[word.lowerBound]) else { return }
    if NamedValues.isQuote(bytes[word.lowerBound]), let password = password(word) {
      return found.append(password)
    }
    let value = trimmed(word)
    guard value.count >= 4, Self.mayBe(bytes[value]) else { return }
    let isQuoted = value.lowerBound > word.lowerBound && Self.isQuote(bytes[value.lowerBound - 1])
    let isDrawn =
      value.count >= Self.drawnBytesMin
      && TextShape.isDrawn(bytes[value].text)
    guard isDrawn || isQuoted, !bytes[value].starts(with: "REDACTED-".utf8),
      isDrawn || !CodeText.isPlaceholder(bytes[word]), let name = name(isNear: !isDrawn)
    else { return }
    if !isDrawn {
      // `Unexpected token 'x1'` quotes the input of a parser.
      let isAmbiguous = Vocabulary.ambiguous[SecretNames.folded(name)] != nil && name != "secret"
      let isWhole = !isAmbiguous && bytes[value].allSatisfy(\.isWord)
      guard value.count >= (isAmbiguous ? 8 : 4),
        isWhole || TextShape.isDrawn(bytes[value].text)
      else { return }
    }
    found.append(Finding(range: value, name: name, .row("spoken")))
  }

  /// Returns a typed password in quotation marks directly after its name:
  /// `invalid password "correcthorse"`.
  private func password(_ word: Range<Int>) -> Finding? {
    let quote = bytes[word.lowerBound]
    let value = bytes[word].dropFirst().prefix { $0 != quote }
    guard value.endIndex < word.upperBound,
      value.count >= 8 || value.count >= 4 && !value.allSatisfy(\.isASCIILetter),
      !CodeText.isPlaceholder(value), let name = name(isNear: true)?.lowercased(),
      ["password", "passwd", "passphrase", "pwd"].contains(name),
      !SecretNames.isWord(value.text)
    else { return nil }
    return Finding(range: value.startIndex..<value.endIndex, name: name, kind: .certain)
  }

  /// Returns the name among the words before a value. If `isNear` is true, only the nearest word is
  /// considered.
  private func name(isNear: Bool) -> String? {
    for (distance, word) in before.reversed().enumerated() where distance < (isNear ? 1 : 3) {
      let place = before.count - 1 - distance
      let core = trimmed(word)
      guard core.count <= Self.nameBytesMax, !core.isEmpty else { return nil }
      let text = bytes[core].lowercasedText
      guard !ends(word, core, text) else { return nil }
      if isName(text, core, place) { return bytes[core].text }
      if Self.owners.contains(text) { return nil }
    }
    return nil
  }

  /// Whether a sentence or a clause ends with a word.
  private func ends(_ word: Range<Int>, _ core: Range<Int>, _ text: String) -> Bool {
    let rest = bytes[core.upperBound..<word.upperBound]
    if rest.contains(where: { ".;!?".utf8.contains($0) }) { return true }
    return rest.contains(UInt8(ascii: ",")) && !Self.givings.contains(text)
  }

  private func isName(_ text: String, _ core: Range<Int>, _ place: Int) -> Bool {
    let previous = place > 0 ? previousWord(place - 1) : ""
    switch text {
    case "key", "code": return ToldValues.owners[text]?.contains(previous) == true
    case "id": return previous == "session"
    case "token" where Self.readers.contains(previous): return false
    case _ where Self.tooCommon.contains(text): return false
    default: return names.kind(of: bytes[core].text, in: .field) != nil
    }
  }

  private func previousWord(_ place: Int) -> String {
    let core = trimmed(before[place])
    guard core.count <= Self.nameBytesMax else { return "" }
    return bytes[core].lowercasedText
  }

  /// Returns a word without surrounding punctuation.
  private func trimmed(_ word: Range<Int>) -> Range<Int> {
    var (start, end) = (word.lowerBound, word.upperBound)
    while start < end, Self.isAround(bytes[start]) { start += 1 }
    while end > start, Self.isAround(bytes[end - 1]) { end -= 1 }
    return start..<end
  }

  private static func isAround(_ byte: UInt8) -> Bool {
    byte >= 0x80 || "\"'`()[]{}<>,.;:!?*".utf8.contains(byte)
  }

  /// Also matches the last byte of quotation marks outside ASCII.
  private static func isQuote(_ byte: UInt8) -> Bool {
    byte >= 0x80 || NamedValues.isQuote(byte) || byte == "`"
  }

  /// Words such as verbs that are names of secrets in other contexts.
  private static let tooCommon: Words =
    "sign pass pin auth bearer cookie cookies tokens secrets passwords apikeys"
  /// The words before an input of a parser.
  private static let readers: Set<String> = ["unexpected", "illegal", "unknown", "syntax"]
  /// The words for passing a value.
  private static let givings: Words =
    "provided given sent supplied passed received got used presented submitted entered specified"
  /// The words to which a following value belongs.
  private static let owners: Words = """
    request trace span correlation user order account client customer job file build version commit
    hash digest checksum fingerprint host node device url at on by from in for of and or algorithm
    endpoint type format kid
    """
}
