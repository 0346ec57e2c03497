/// Secrets in a command, a login or a call without names, which are identified by their position.
///
/// The cost is linear: at most 400 bytes of a command's line are read, once.
struct Commands: Detector {
  private let bytes: Bytes
  private let names: SecretNames
  private var found: [Finding] = []
  /// The current command with its flags, and the end of its line.
  private var command: (flags: [Bytes], isPair: Bool, end: Int)?
  private var lineEnd = 0
  /// Whether the text contains an XML-RPC call.
  private var hasCall = false

  static func findings(in passage: Passage) -> [Finding] {
    guard passage.bytes.count >= 10 else { return [] }
    var reader = Commands(bytes: passage.bytes, names: passage.names)
    reader.read()
    return reader.found
  }

  /// Whether a text begins with a login command.
  static func mayBegin(_ bytes: Bytes) -> Bool {
    bytes.starts(with: "AUTH ".utf8) || bytes.starts(with: "PASS ".utf8)
  }

  private init(bytes: Bytes, names: SecretNames) { (self.bytes, self.names) = (bytes, names) }

  /// The flags that are followed by a secret, either directly or after a space, by command.
  private static let flags: [String: [Bytes]] = {
    let commands: [[String]: Words] = [
      ["-p"]: "mysql mysqldump mysqladmin mariadb sshpass", ["-P"]: "sqlcmd", ["-t "]: "influx",
      ["-p "]: "docker podman helm mongosh mongo az cf oc", ["-a "]: "redis-cli",
      ["-u ", "--user ", "--proxy-user "]: "curl", ["-a ", "--auth "]: "http https",
    ]
    return commands.reduce(into: [:]) { flags, row in
      for word in row.value.all { flags[word] = row.key.map { Bytes($0.utf8) } }
    }
  }()

  /// The commands whose flags take a user, a colon and a password.
  private static let pairs: Words = "curl http https"

  /// Phrases that are followed by a secret in quotation marks.
  private static let phrases = [
    "identified by ", "convertto-securestring ", "convertto-securestring -string ",
    "mysql_native_password by ", "caching_sha2_password by ", "encrypted by password = ",
    "pgp_sym_encrypt(", "set_password(", "auth(", "auth=(", "httpbasicauth(",
  ].map { Bytes($0.utf8) }

  /// The first two letters of all words that are searched.
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
      // The previous finding may span several lines.
      if place == 0 || place > lineEnd {
        lineEnd = bytes[place...].firstIndex(of: 0x0A) ?? bytes.count
        command = nil
      }
      let isBeginning = place == 0 || !bytes[place - 1].isWord && bytes[place - 1] != "-"
      place = max(place + 1, isBeginning ? word(at: place) ?? 0 : 0)
    }
  }

  /// Reads the word at a position; returns the end of the finding, or `nil` if there is none.
  private mutating func word(at place: Int) -> Int? {
    let first = bytes[place].asciiLowercased
    if first == "-" { return flag(at: place) ?? option(at: place) }
    guard first.isASCIILetter, place + 1 < bytes.count,
      Self.beginnings[Int(first) << 8 | Int(bytes[place + 1].asciiLowercased)]
    else { return nil }
    let word = bytes.run(from: place, most: 14) { $0.isWord || $0 == "-" }
    let (text, next) = (word.lowercasedText, word.endIndex)
    guard next < bytes.count else { return nil }
    if bytes[next] == 0x20, let flags = Self.flags[text] {
      command = (flags, Self.pairs.contains(text), min(place + 400, lineEnd))
      return nil
    }
    switch text {
    case "identified", "convertto-secu", "mysql", "caching", "pgp", "set", "auth", "httpbasicauth":
      return phrase(at: place) ?? (place == 0 && bytes.has("AUTH ", at: 0) ? login() : nil)
    // The first message of IRC. Output of passed tests looks similar.
    case "pass" where place == 0 && bytes.has("PASS ", at: 0):
      return value(from: next, to: lineEnd).map { add($0, "password", .ambiguous(.pass)) }
    case "thin" where bytes[next] == ":": return slashed(behind: next)
    case "methodname" where place > 0 && bytes[place - 1] == "<" && bytes[next] == ">":
      return call(behind: next + 1)
    case "define" where bytes[next] == "(": return definition(behind: next + 1)
    case "s": return serialised(at: place)
    default: return nil
    }
  }

  private mutating func add(
    _ range: Range<Int>,
    _ name: String,
    _ kind: SecretNames.Kind = .certain
  ) -> Int {
    let value = bytes[range]
    if value.count >= 4, !CodeText.isElsewhere(value) {
      found.append(Finding(range: range, name: name, kind: kind))
    }
    return range.upperBound
  }

  private mutating func add(_ range: Range<Int>?, _ name: Range<Int>) -> Int? {
    let name = bytes[name].text
    guard let range, let kind = names.kind(of: name, in: .field) else { return nil }
    return add(range, name, kind)
  }

  /// Returns a word up to white space, or the content of quotation marks.
  private func value(from start: Int, to end: Int) -> Range<Int>? {
    let start = start + bytes[start..<max(start, end)].prefix { $0 == 0x20 }.count
    guard start < end else { return nil }
    let mark = bytes[start]
    let value =
      NamedValues.isQuote(mark)
      ? bytes[(start + 1)..<end].prefix { $0 != mark && $0 != 0x0A }
      : bytes[start..<end].prefix { $0 > 0x20 && !"\"'\\;|&".utf8.contains($0) }
    return value.isEmpty ? nil : value.indices
  }

  private mutating func flag(at place: Int) -> Int? {
    guard let command, place < command.end, place == 0 || bytes[place - 1] <= 0x20 else {
      return nil
    }
    for flag in command.flags where bytes[place...].starts(with: flag) {
      guard let range = value(from: place + flag.count, to: command.end) else { continue }
      if bytes[range.lowerBound] == "-" { return nil }
      guard command.isPair else { return add(range, "password") }
      guard let colon = bytes[range].firstIndex(where: { $0 == ":" }), colon + 1 < range.upperBound
      else { return nil }
      return add(colon + 1..<range.upperBound, "password")
    }
    return nil
  }

  /// Reads an option with its value: `--api-key value`.
  private mutating func option(at place: Int) -> Int? {
    guard bytes.has("--", at: place), place == 0 || bytes[place - 1] <= 0x20 else { return nil }
    let word = bytes.run(from: place + 2, most: 40) { $0.isWord || $0 == "-" }
    guard word.count >= 3, word.endIndex < bytes.count, bytes[word.endIndex] == 0x20,
      let range = value(from: word.endIndex, to: min(bytes.count, word.endIndex + 300)),
      bytes[range.lowerBound] != "-", !Prose.isPlain(bytes[range].text)
    else { return nil }
    return add(range, word.indices)
  }

  /// Returns the content of quotation marks that begin at a position.
  private func quoted(at place: Int, most: Int = 300) -> Range<Int>? {
    guard place < bytes.count, NamedValues.isQuote(bytes[place]) else { return nil }
    return value(from: place, to: min(bytes.count, place + most))
  }

  private mutating func phrase(at place: Int) -> Int? {
    let lower = bytes[place...].prefix(40).map(\.asciiLowercased)
    guard let phrase = Self.phrases.first(where: { lower.starts(with: $0) }) else { return nil }
    guard let first = quoted(at: place + phrase.count) else { return nil }
    // `auth=('ada', 'x7Kq9vLw')`
    let isPair = ["auth=(", "httpbasicauth("].contains(phrase.text)
    let next = bytes.run(from: first.upperBound + 1, most: 3) { $0 == 0x20 || $0 == "," }.endIndex
    return (isPair ? quoted(at: next) : first).map { add($0, "password") }
  }

  /// Reads Redis's `AUTH password` or `AUTH user password` at the beginning of a conversation.
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

  /// Reads a database password: `jdbc:oracle:thin:user/password@//host`.
  private mutating func slashed(behind place: Int) -> Int? {
    let rest = bytes[place..<min(lineEnd, place + 160)]
    guard let slash = rest.firstIndex(where: { $0 == "/" }), bytes[slash - 1].isWord else {
      return nil
    }
    let word = rest[(slash + 1)...].prefix { $0 > 0x20 && !"\"'\\;|&@".utf8.contains($0) }
    return rest[word.endIndex...].first == "@" ? add(word.indices, "password") : nil
  }

  /// Reads a constant of PHP: `define('DB_PASSWORD', 'value')`.
  private mutating func definition(behind place: Int) -> Int? {
    guard let name = value(from: place, to: min(bytes.count, place + 79)) else { return nil }
    let next = bytes.run(from: name.upperBound + 1) { $0 == 0x20 || $0 == "," }.endIndex
    return add(quoted(at: next), name)
  }

  /// Reads a serialised array of PHP: `s:8:"password";s:5:"value";`.
  private mutating func serialised(at place: Int) -> Int? {
    func text(at place: Int) -> Range<Int>? {
      guard place < bytes.count, bytes.has("s:", at: place) else { return nil }
      let digits = bytes.run(from: place + 2, most: 6, while: \.isASCIIDigit)
      let start = digits.endIndex + 2
      guard let count = Int(digits.text), bytes.has(":\"", at: digits.endIndex),
        start + count < bytes.count, bytes[start + count] == "\""
      else { return nil }
      return start..<start + count
    }
    guard let name = text(at: place), name.count <= 40 else { return nil }
    return add(text(at: name.upperBound + 2), name)
  }

  /// Reads the parameters of an XML-RPC login, which have positions but no names: `wp.getPosts`,
  /// `common.login`. Only the first call counts.
  private mutating func call(behind place: Int) -> Int? {
    let method = bytes.run(from: place, most: 60) { $0 != "<" }
    let isBlog = ["wp.", "metaWeblog.", "blogger.", "mt."].contains { method.starts(with: $0.utf8) }
    defer { hasCall = true }
    guard !hasCall, isBlog || Vocabulary.isLogin(method.text) else { return nil }
    for open in bytes.ranges(of: Bytes("<string>".utf8)).prefix(20) {
      let text = bytes.run(from: open.upperBound, most: 200) { $0 != "<" }
      _ = add(text.indices, "password", .ambiguous(.near))
    }
    return nil
  }
}

extension Bytes {
  /// Returns the ranges between separators.
  func ranges(between marks: [Range<Int>]) -> [Range<Int>] {
    let ends = marks.map(\.lowerBound) + [count]
    return zip([0] + marks.map(\.upperBound), ends).map { $0..<$1 }
  }
}
