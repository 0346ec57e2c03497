/// Secrets in sentences: `Your password is hunter2-long`, `the PIN for Ada was set to 4711`,
/// `your verification code is: 123456`, `Ihr Kennwort lautet: hunter2-long`, `密码是hunter2`.
///
/// A sentence more often describes a secret than it contains one (`The password is too short`). So
/// the value must look like a secret: letters mixed with digits, symbols or upper case. The cost is
/// linear: only a few words after a name are read.
struct ToldValues: Detector {
  /// The expected kind of a name's value.
  enum Kind {
    /// Any word that a person can type.
    case word
    /// A few digits or upper-case letters.
    case code
    /// A long and random value.
    case key
  }

  private let bytes: Bytes

  static func findings(in passage: Passage) -> [Finding] {
    guard mayBeIn(passage.bytes) else { return [] }
    let reader = ToldValues(bytes: passage.bytes)
    var found: [Finding] = []
    var place = 0
    while place < reader.bytes.count {
      let next = reader.begins(at: place) ? reader.secret(at: place) : nil
      if let next { found.append(next) }
      place = next?.range.upperBound ?? place + 1
    }
    return found
  }

  /// Whether a text contains one of the verbs, such as ` is `, `was ` or `是`.
  static func mayBeIn(_ bytes: Bytes) -> Bool {
    var last: UInt32 = 0
    for byte in bytes {
      let ends = byte <= 0x20 || byte == ":"
      last = last << 8 | UInt32(ends ? 0x20 : byte)
      let isVerb = ends ? endings.contains(last) : byte >= 0x80 && signs.contains(last & 0xFF_FFFF)
      if isVerb { return true }
    }
    return false
  }

  /// The last four bytes of each verb and the space after it.
  private static let endings = [
    " is ", "was ", " to ", " be ", "ist ", "tet ", " es ", "est ", " è ", " é ", "är ", " je ",
  ].map { number($0.utf8) }
  /// The verbs of scripts without spaces, of three bytes each.
  private static let signs = ["は", "是", "为", "為", "는"].map { number($0.utf8) }

  private static func number(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Whether a name may begin here: a word begins with the first letter of a name. Without spaces,
  /// a name may begin anywhere.
  private func begins(at place: Int) -> Bool {
    switch bytes[place].asciiLowercased {
    case "p", "c", "t", "s", "k", "o", "w", "h", "l": place == 0 || !bytes[place - 1].isWord
    case 0xE3...0xED: true
    default: false
    }
  }

  private static let names: [String: Kind] = [
    "password": .word, "passwd": .word, "passphrase": .word, "pwd": .word, "passcode": .code,
    "pin": .code, "otp": .code, "totp": .code, "code": .code, "token": .key, "secret": .key,
    "key": .key, "passwort": .word, "kennwort": .word, "contraseña": .word, "passe": .word,
    "hasło": .word, "heslo": .word, "senha": .word, "wachtwoord": .word, "lösenord": .word,
  ]

  private static let unspaced = ["パスワード", "密码", "密碼", "口令", "비밀번호"]

  /// The words before `code` or `key` that make it a secret, as opposed to status codes and primary
  /// keys.
  static let owners: [String: Words] = [
    "code": """
    verification security login access recovery backup confirmation authentication auth sms mfa 2fa
    time signin passkey reset pin authorization device pairing
    """,
    "key": "api secret access private signing session encryption license subscription",
    // `mot de passe`
    "passe": "de",
  ]

  private func secret(at place: Int) -> Finding? {
    if bytes[place] >= 0xE3 { return unspacedSecret(at: place) }
    let word = word(at: place)
    let name = word.lowercasedText
    guard let kind = Self.names[name],
      Self.owners[name]?.contains(wordBefore(place)) ?? true,
      let start = valueStart(behind: word.endIndex), let range = value(at: start, kind)
    else { return nil }
    return Finding(range: range, name: name, .row("spoken"))
  }

  /// Returns a secret after a name and a verb without spaces: `密码是x7Kq9vLw`.
  private func unspacedSecret(at place: Int) -> Finding? {
    guard let name = Self.unspaced.first(where: { bytes.has($0, at: place) }) else { return nil }
    let rest = place + name.utf8.count
    let verb = bytes.run(from: rest, most: 10) { $0 >= 0x80 || " :\"'`".utf8.contains($0) }
    guard Self.signs.contains(Self.number(verb.prefix(3))),
      let range = value(at: verb.endIndex, .key)
    else { return nil }
    return Finding(range: range, name: name, .row("spoken"))
  }

  private func word(at place: Int) -> ByteSlice {
    bytes.run(from: place, most: 24) { $0.isWord || $0 >= 0x80 }
  }

  private func wordBefore(_ place: Int) -> String {
    guard place > 1, " -_".utf8.contains(bytes[place - 1]) else { return "" }
    let letters = bytes[max(0, place - 25)..<place - 1].reversed().prefix { $0.isWord }
    return letters.reversed().lowercasedText
  }

  /// The words between a name and its value. They must include one of the verbs.
  private static let leading: Words =
    "now set reset changed updated has been will still currently"
  private static let verbs: Words = "is was to be ist lautet es est è é är je"
  private static let prepositions: Words = "for of für para pour per"

  /// Returns the position of the value after ` is `, ` for Ada is: `, ` has been set to `; `nil` if
  /// there is none.
  private func valueStart(behind end: Int) -> Int? {
    var place = end
    var hasVerb = false
    var otherCount = 0
    while let next = wordStart(from: place) {
      let word = word(at: next)
      let text = word.lowercasedText
      if Self.verbs.contains(text) {
        hasVerb = true
      } else if !Self.leading.contains(text) {
        if hasVerb { return next }
        if otherCount > 3 || otherCount == 0 && !Self.prepositions.contains(text) { return nil }
        otherCount += 1
      }
      guard !word.isEmpty else { return nil }
      place = word.endIndex
      if hasVerb { place += bytes.has(" :", at: place) ? 2 : bytes.has(":", at: place) ? 1 : 0 }
    }
    return nil
  }

  /// Returns the start of the next word after white space, quotation marks and tags such as `<b>`.
  private func wordStart(from place: Int) -> Int? {
    var start = place
    while start < bytes.count, start < place + 32 {
      if bytes[start] <= 0x20 || "\"'`".utf8.contains(bytes[start]) {
        start += 1
      } else if bytes[start] == "<" {
        let tag = bytes.run(from: start + 1, most: 16) { $0.isWord || $0 == "/" }
        guard bytes.has(">", at: tag.endIndex) else { return nil }
        start = tag.endIndex + 1
      } else {
        // Adjacent words are one word.
        return start > place ? start : nil
      }
    }
    return nil
  }

  /// Returns the secret that begins at a position; `nil` if there is none.
  private func value(at start: Int, _ kind: Kind) -> Range<Int>? {
    // Chinese, Japanese and Korean signs are the rest of a sentence.
    let isPart: (UInt8) -> Bool = { 0x21..<0xE3 ~= $0 && !"<>\"'`,;()".utf8.contains($0) }
    var value = bytes.run(from: start, most: 200, while: isPart)
    let rest = bytes[value.endIndex...].prefix(40)
    while let last = value.last, ".:!?]}".utf8.contains(last) { value.removeLast() }
    guard value.count >= 4, !CodeText.isElsewhere(value), !value.starts(with: "REDACTED-".utf8),
      !Self.isTerm(value)
    else { return nil }
    let digits = value.count { $0.isASCIIDigit }
    let isSecret =
      switch kind {
      case .word: digits == value.count ? !isAmount(rest) : digits > 0 || Self.isOdd(value)
      case .code: isCode(value, digits) && !isAmount(rest)
      case .key: value.count >= 8 && digits > 0 && digits < value.count
      }
    return isSecret ? value.startIndex..<value.endIndex : nil
  }

  /// Whether letters contain a symbol that words do not, or an upper-case letter after a lower-case
  /// one.
  private static func isOdd(_ value: ByteSlice) -> Bool {
    if value.contains(where: { "!@#$%^&*+=~?|".utf8.contains($0) }) {
      return value.contains(where: \.isASCIILetter)
    }
    return zip(value, value.dropFirst()).contains { 0x61...0x7A ~= $0 && 0x41...0x5A ~= $1 }
  }

  private func isCode(_ value: ByteSlice, _ digits: Int) -> Bool {
    (4...12).contains(value.count) && digits > 0
      && value.allSatisfy { $0.isASCIIDigit || 0x41...0x5A ~= $0 || $0 == "-" }
  }

  /// Whether a number is an amount, such as `1024 characters`.
  private func isAmount(_ rest: ByteSlice) -> Bool {
    guard rest.first == 0x20 else { return false }
    let next = word(at: rest.startIndex + 1).lowercasedText
    return Self.units.contains { next.hasPrefix($0) }
  }

  private static let units = [
    "char", "byte", "bit", "digit", "letter", "time", "second", "minute", "hour", "day", "week",
    "month", "year", "or", "to", "percent", "word", "zeichen", "stell", "ziffer", "tag", "stunde",
    "caract", "cifr", "chiffr", "jour", "día", "giorn", "znak", "teken", "tecken",
  ]

  /// Whether a value describes a secret and contains digits, such as `base64`, `SHA-256`,
  /// `8-character`.
  private static func isTerm(_ value: ByteSlice) -> Bool {
    let parts = value.split { "-_/".utf8.contains($0) }
    return parts.count == 2 && parts[0].allSatisfy(\.isASCIIDigit)
      && parts[1].allSatisfy { 0x61...0x7A ~= $0 }
      || ([value] + parts).contains { Vocabulary.terms.contains(FieldName.normalised($0.text)) }
  }
}
