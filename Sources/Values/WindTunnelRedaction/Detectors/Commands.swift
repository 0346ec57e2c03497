/// Secrets in the words of a command, a login or a call that has no names beside its values: where
/// they stand tells what they are.
///
/// The cost is linear: of a command 400 bytes of its line are looked at, once.
struct Commands: Detector {
  private let bytes: Bytes
  private let names: SecretNames
  private var found: [Finding] = []
  /// The command whose flags are looked for, and the end of the line that it stands in.
  private var command: (flags: [Bytes], isPair: Bool, end: Int)?
  private var lineEnd = 0
  /// Tells whether there is a call by XML-RPC.
  private var hasCall = false

  static func findings(in passage: Passage) -> [Finding] {
    guard passage.bytes.count >= 10 else { return [] }
    var reader = Commands(bytes: passage.bytes, names: passage.names)
    reader.read()
    reader.readCalls()
    return reader.found
  }

  /// Tells whether a text begins with what logs in by a word alone.
  static func mayBegin(_ bytes: Bytes) -> Bool {
    bytes.starts(with: "AUTH ".utf8) || bytes.starts(with: "PASS ".utf8)
  }

  private init(bytes: Bytes, names: SecretNames) { (self.bytes, self.names) = (bytes, names) }

  /// The flags of commands that a secret follows: at once, or behind a space.
  private static let flags: [String: [Bytes]] = [
    "curl": ["-u ", "--user ", "--proxy-user "], "http": ["-a ", "--auth "],
    "https": ["-a ", "--auth "], "mysql": ["-p"], "mysqldump": ["-p"], "mysqladmin": ["-p"],
    "mariadb": ["-p"], "sshpass": ["-p"], "docker": ["-p "], "podman": ["-p "], "helm": ["-p "],
    "redis-cli": ["-a "], "mongosh": ["-p "], "mongo": ["-p "], "az": ["-p "], "sqlcmd": ["-P"],
    "influx": ["-t "], "cf": ["-p "], "oc": ["-p "],
  ].mapValues { $0.map { Bytes($0.utf8) } }

  /// The commands whose flags take a user, a colon and a password.
  private static let pairs: Set<String> = ["curl", "http", "https"]

  /// Words behind which a value in quotation marks is a secret.
  private static let phrases = [
    "identified by ", "convertto-securestring ", "convertto-securestring -string ",
    "mysql_native_password by ", "caching_sha2_password by ", "encrypted by password = ",
    "pgp_sym_encrypt(", "set_password(", "auth(",
  ].map { Bytes($0.utf8) }

  /// The first two letters of all that is looked for.
  private static let beginnings: [Bool] = {
    let others = ["pass", "methodname", "thin", "define", "s:"].map { Bytes($0.utf8) }
    var pairs = [Bool](repeating: false, count: 1 << 16)
    for letters in flags.keys.map({ Bytes($0.utf8) }) + phrases + others {
      pairs[Int(letters[0]) << 8 | Int(letters[1])] = true
    }
    return pairs
  }()

  private mutating func read() {
    var place = 0
    while place < bytes.count {
      // What was found before may have gone over a line.
      if place == 0 || place > lineEnd {
        lineEnd = bytes[place...].firstIndex(of: 0x0A) ?? bytes.count
        command = nil
      }
      let isBeginning =
        place == 0 || !bytes[place - 1].isWord && bytes[place - 1] != UInt8(ascii: "-")
      if isBeginning, let end = word(at: place) { place = max(place + 1, end) } else { place += 1 }
    }
  }

  /// Looks at what begins at a place; the end of what was found there.
  private mutating func word(at place: Int) -> Int? {
    switch bytes[place] {
    case UInt8(ascii: "-"): return flag(at: place) ?? option(at: place)
    case 0x41...0x5A, 0x61...0x7A: break
    default: return nil
    }
    guard place + 1 < bytes.count,
      Self.beginnings[
        Int(bytes[place].asciiLowercased) << 8 | Int(bytes[place + 1].asciiLowercased)
      ]
    else { return nil }
    let word = bytes[place...].prefix(14).prefix { $0.isWord || $0 == UInt8(ascii: "-") }
    let text = String(decoding: word.map(\.asciiLowercased), as: UTF8.self)
    let next = word.endIndex
    guard next < bytes.count else { return nil }
    if bytes[next] == 0x20, let flags = Self.flags[text] {
      command = (flags, Self.pairs.contains(text), min(place + 400, lineEnd))
      return nil
    }
    switch text {
    case "identified", "convertto-secu", "mysql", "caching", "pgp", "set", "auth":
      return phrase(at: place) ?? (place == 0 && bytes.starts(with: "AUTH ".utf8) ? login() : nil)
    // The first message of IRC; tests that have passed look alike.
    case "pass" where place == 0 && bytes.starts(with: "PASS ".utf8):
      return value(from: next, to: lineEnd).map { add($0, "password", .ambiguous(.pass)) }
    case "thin" where bytes[next] == UInt8(ascii: ":"): return slashed(behind: next)
    case "methodname": hasCall = true
    case "define": return definition(behind: next)
    case "s": return serialised(at: place)
    default: break
    }
    return nil
  }

  private mutating func add(
    _ range: Range<Int>,
    _ name: String,
    _ kind: SecretNames.Kind = .certain
  ) -> Int {
    let value = bytes[range]
    if value.count >= 4, !CodeText.beginsReference(value), !CodeText.isPlaceholder(value) {
      found.append(Finding(range: range, name: name, kind: kind))
    }
    return range.upperBound
  }

  /// Returns a word up to white space, or what stands between quotation marks.
  private func value(from start: Int, to end: Int) -> Range<Int>? {
    var start = start
    while start < end, bytes[start] == 0x20 { start += 1 }
    guard start < end else { return nil }
    let mark = bytes[start]
    if NamedValues.isQuote(mark) {
      let inner = bytes[(start + 1)..<end].prefix { $0 != mark && $0 != 0x0A }
      return inner.isEmpty ? nil : inner.startIndex..<inner.endIndex
    }
    let word = bytes[start..<end].prefix { $0 > 0x20 && !"\"'\\;|&".utf8.contains($0) }
    return word.isEmpty ? nil : word.startIndex..<word.endIndex
  }

  private mutating func flag(at place: Int) -> Int? {
    guard let command, place < command.end, place == 0 || bytes[place - 1] <= 0x20 else {
      return nil
    }
    for flag in command.flags where bytes[place...].starts(with: flag) {
      guard let range = value(from: place + flag.count, to: command.end) else { continue }
      if bytes[range.lowerBound] == UInt8(ascii: "-") { return nil }
      guard command.isPair else { return add(range, "password") }
      guard let colon = bytes[range].firstIndex(of: UInt8(ascii: ":")), colon + 1 < range.upperBound
      else { return nil }
      return add(colon + 1..<range.upperBound, "password")
    }
    return nil
  }

  /// Reads an option and its value: `--api-key value`.
  private mutating func option(at place: Int) -> Int? {
    guard bytes[place...].starts(with: "--".utf8), place == 0 || bytes[place - 1] <= 0x20 else {
      return nil
    }
    let word = bytes[(place + 2)...].prefix(40).prefix { $0.isWord || $0 == UInt8(ascii: "-") }
    guard word.count >= 3, word.endIndex < bytes.count, bytes[word.endIndex] == 0x20 else {
      return nil
    }
    let name = String(decoding: word, as: UTF8.self)
    guard let kind = names.kind(of: name, in: .field),
      let range = value(from: word.endIndex, to: min(bytes.count, word.endIndex + 300))
    else { return nil }
    let value = bytes[range]
    if value.first == UInt8(ascii: "-") || Prose.isPlain(String(decoding: value, as: UTF8.self)) {
      return nil
    }
    return add(range, name, kind)
  }

  private mutating func phrase(at place: Int) -> Int? {
    let lower = bytes[place...].prefix(40).map(\.asciiLowercased)
    guard let phrase = Self.phrases.first(where: { lower.starts(with: $0) }),
      place + phrase.count < bytes.count, NamedValues.isQuote(bytes[place + phrase.count]),
      let range = value(from: place + phrase.count, to: min(bytes.count, place + 300))
    else { return nil }
    return add(range, "password")
  }

  /// Redis's `AUTH password` and `AUTH user password`, with which a conversation begins.
  private mutating func login() -> Int? {
    var (words, start): ([Range<Int>], Int) = ([], 4)
    while words.count < 2, let next = value(from: start, to: lineEnd) {
      words.append(next)
      start = next.upperBound
      if start < lineEnd, NamedValues.isQuote(bytes[start]) { start += 1 }
    }
    guard let first = words.first else { return nil }
    let isPair = words.count == 2 && bytes[start..<lineEnd].allSatisfy { $0 <= 0x20 }
    return add(isPair ? words[1] : first, "password", .ambiguous(isPair ? .near : .pass))
  }

  /// Reads the password of a database: `jdbc:oracle:thin:user/password@//host`.
  private mutating func slashed(behind place: Int) -> Int? {
    let end = min(lineEnd, place + 160)
    guard let slash = bytes[place..<end].firstIndex(of: UInt8(ascii: "/")), bytes[slash - 1].isWord
    else { return nil }
    let word = bytes[slash + 1..<end].prefix { $0 > 0x20 && !"\"'\\;|&@".utf8.contains($0) }
    guard word.endIndex < end, bytes[word.endIndex] == UInt8(ascii: "@") else { return nil }
    return add(word.startIndex..<word.endIndex, "password")
  }

  /// Reads a constant of PHP: `define('DB_PASSWORD', 'value')`.
  private mutating func definition(behind place: Int) -> Int? {
    guard bytes[place] == UInt8(ascii: "("),
      let name = value(from: place + 1, to: min(bytes.count, place + 80)),
      let kind = names.kind(of: String(decoding: bytes[name], as: UTF8.self), in: .field)
    else { return nil }
    var next = name.upperBound + 1
    while next < bytes.count, bytes[next] == 0x20 || bytes[next] == UInt8(ascii: ",") { next += 1 }
    guard next < bytes.count, NamedValues.isQuote(bytes[next]),
      let range = value(from: next, to: min(bytes.count, next + 300))
    else { return nil }
    return add(range, String(decoding: bytes[name], as: UTF8.self), kind)
  }

  /// `s:8:"password";s:5:"value";`, as PHP writes arrays.
  private mutating func serialised(at place: Int) -> Int? {
    func text(at place: Int) -> Range<Int>? {
      guard place < bytes.count, bytes[place...].starts(with: "s:".utf8) else { return nil }
      let digits = bytes[(place + 2)...].prefix(6).prefix { $0.isASCIIDigit }
      let start = digits.endIndex + 2
      guard let count = Int(String(decoding: digits, as: UTF8.self)),
        bytes[digits.endIndex...].starts(with: ":\"".utf8),
        start + count < bytes.count, bytes[start + count] == UInt8(ascii: "\"")
      else { return nil }
      return start..<start + count
    }
    guard let name = text(at: place), name.count <= 40,
      let kind = names.kind(of: String(decoding: bytes[name], as: UTF8.self), in: .field),
      let value = text(at: name.upperBound + 2)
    else { return nil }
    return add(value, String(decoding: bytes[name], as: UTF8.self), kind)
  }

  /// The words of a login by XML-RPC, which have places and no names: `wp.getPosts`,
  /// `common.login`.
  private mutating func readCalls() {
    guard hasCall, let mark = bytes.firstRange(of: Bytes("<methodName>".utf8)) else { return }
    let method = bytes[mark.upperBound...].prefix(60).prefix { $0 != UInt8(ascii: "<") }
    let isBlog = ["wp.", "metaWeblog.", "blogger.", "mt."].contains { method.starts(with: $0.utf8) }
    guard isBlog || Vocabulary.isLogin(String(decoding: method, as: UTF8.self)) else { return }
    for open in bytes.ranges(of: Bytes("<string>".utf8)).prefix(20) {
      let text = bytes[open.upperBound...].prefix(200).prefix { $0 != UInt8(ascii: "<") }
      _ = add(text.startIndex..<text.endIndex, "password", .ambiguous(.near))
    }
  }
}

extension Bytes {
  /// Returns the ranges between separators.
  func ranges(between marks: [Range<Int>]) -> [Range<Int>] {
    let ends = marks.map(\.lowerBound) + [count]
    return zip([0] + marks.map(\.upperBound), ends).map { $0..<$1 }
  }
}
