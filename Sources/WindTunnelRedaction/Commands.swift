/// Secrets in the words of a command, a dialogue or a file that has no names beside its values:
/// where they stand tells what they are.
///
/// The cost is linear: of a command 400 bytes of its line are looked at, once.
struct Commands: Detector {
  private let bytes: Bytes
  private let names: SecretNames
  private var found: [Finding] = []
  /// The command whose flags are looked for, and the end of the line that it stands in.
  private var command: (flags: [Flag], end: Int)?
  private var lineEnd = 0
  private var hasUser = false
  /// Tells whether there is a Secret of Kubernetes, and a call by XML-RPC.
  private var (hasManifest, hasCall) = (false, false)
  /// Before it stands no password of a wireless network whose beginning was seen.
  private var wirelessStart = 0

  static func findings(in passage: Passage) -> [Finding] {
    guard passage.bytes.count >= 10 else { return [] }
    var reader = Commands(bytes: passage.bytes, names: passage.names)
    reader.read()
    reader.readManifests()
    reader.readCalls()
    return reader.found
  }

  /// Tells whether a text begins with what logs in by a word alone.
  static func mayBegin(_ bytes: Bytes) -> Bool {
    bytes.starts(with: "AUTH ".utf8) || bytes.starts(with: "PASS ".utf8)
  }

  private init(bytes: Bytes, names: SecretNames) { (self.bytes, self.names) = (bytes, names) }

  /// A flag that a secret follows: at once or behind a space, whole or behind a user and a colon.
  private struct Flag {
    let mark: Bytes
    let isPair: Bool

    init(_ mark: String, isPair: Bool = false) {
      (self.mark, self.isPair) = (Bytes(mark.utf8), isPair)
    }
  }

  private static let flags: [String: [Flag]] = [
    "curl": [
      Flag("-u ", isPair: true), Flag("--user ", isPair: true), Flag("--proxy-user ", isPair: true),
    ],
    "http": [Flag("-a ", isPair: true), Flag("--auth ", isPair: true)],
    "https": [Flag("-a ", isPair: true), Flag("--auth ", isPair: true)],
    "mysql": [Flag("-p")], "mysqldump": [Flag("-p")], "mysqladmin": [Flag("-p")],
    "mariadb": [Flag("-p")],
    "sshpass": [Flag("-p "), Flag("-p")], "docker": [Flag("-p ")], "podman": [Flag("-p ")],
    "helm": [Flag("-p ")], "redis-cli": [Flag("-a ")], "ldapsearch": [Flag("-w ")],
    "ldapmodify": [Flag("-w ")], "mongosh": [Flag("-p ")], "mongo": [Flag("-p ")],
    "az": [Flag("-p ")],
    "sqlcmd": [Flag("-P "), Flag("-P")], "bcp": [Flag("-P ")], "ncftp": [Flag("-p ")],
    "influx": [Flag("-t ")], "cf": [Flag("-p ")], "oc": [Flag("-p ")], "htpasswd": [Flag("-b ")],
    "openssl": [Flag("pass:")], "keytool": [Flag("-storepass "), Flag("-keypass ")],
    "snmpwalk": [Flag("-A "), Flag("-X ")], "snmpget": [Flag("-A "), Flag("-X ")],
    "vncpasswd": [Flag("-f ")], "smbclient": [Flag("-U ", isPair: true)],
  ]

  /// Words behind which a value in quotation marks is a secret.
  private static let phrases = [
    "identified by ", "convertto-securestring ", "convertto-securestring -string ",
    "mysql_native_password by ",
    "caching_sha2_password by ", "encrypted by password = ", "pgp_sym_encrypt(", "set_password(",
    "auth(",
  ].map { Bytes($0.utf8) }

  /// The first two letters of all that is looked for.
  private static let beginnings: [Bool] = {
    var pairs = [Bool](repeating: false, count: 1 << 16)
    let words =
      Array(flags.keys) + [
        "identified", "convertto", "mysql", "caching", "pgp", "set", "auth", "pass", "user",
        "login", "wifi",
        "kind", "methodname", "thin", "sqlplus", "define", "private", "s:", "snmp", "rocommunity",
        "enable", "tacacs",
        "radius",
      ]
    for word in words {
      let letters = Bytes(word.utf8)
      pairs[Int(letters[0]) << 8 | Int(letters[1])] = true
    }
    return pairs
  }()

  private mutating func read() {
    var place = 0
    while place < bytes.count {
      if place == 0 || bytes[place - 1] == 0x0A { beginLine(place) }
      let isBeginning =
        place == 0 || !bytes[place - 1].isWord && bytes[place - 1] != UInt8(ascii: "-")
      if isBeginning, let end = word(at: place) { place = max(place + 1, end) } else { place += 1 }
    }
  }

  /// Looks at what begins at a place; the end of what was found there.
  private mutating func word(at place: Int) -> Int? {
    switch bytes[place] {
    case UInt8(ascii: "-"): return flag(at: place) ?? option(at: place)
    case UInt8(ascii: "p") where command != nil: return flag(at: place)
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
      command = (flags, min(place + 400, lineEnd))
      return nil
    }
    switch text {
    case "identified", "convertto-secu", "mysql", "caching", "pgp", "set", "auth":
      if let end = phrase(at: place) { return end }
      if text == "auth", bytes[place] == 0x41 { return login(at: place) }
    case "pass" where bytes[place] == UInt8(ascii: "P") && hasUser: return rest(behind: next)
    // The first message of IRC; tests that have passed look alike.
    case "pass" where bytes[place] == UInt8(ascii: "P") && place == 0:
      return rest(behind: next, .ambiguous(.pass))
    case "user" where bytes[place] == UInt8(ascii: "U"): hasUser = true
    case "login" where bytes[place] == UInt8(ascii: "L"): return words(2, behind: next)
    case "wifi": return wireless(behind: next)
    case "thin" where bytes[next] == UInt8(ascii: ":"), "sqlplus": return slashed(behind: next)
    case "snmp-server", "enable", "tacacs-server", "radius-server":
      return directive(behind: next, isNamed: false)
    case "kind": hasManifest = hasManifest || bytes[next...].starts(with: ": Secret\n".utf8)
    case "methodname": hasCall = true
    case "rocommunity", "rwcommunity": return directive(behind: next, isNamed: true)
    case "define": return definition(behind: next)
    case "private-lines": return lines(behind: next)
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
    guard let (flags, end) = command, place < end, place == 0 || bytes[place - 1] <= 0x20 else {
      return nil
    }
    for flag in flags where bytes[place...].starts(with: flag.mark) {
      guard let range = value(from: place + flag.mark.count, to: end) else { continue }
      if bytes[range.lowerBound] == UInt8(ascii: "-") { return nil }
      guard flag.isPair else { return add(range, "password") }
      guard
        let colon = bytes[range].firstIndex(where: {
          $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "%")
        }),
        colon + 1 < range.upperBound
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

  /// `AUTH PLAIN …` and `AUTH LOGIN …` (RFC 4954 §4), and Redis's `AUTH user password`.
  private mutating func login(at place: Int) -> Int? {
    for mark in ["AUTH PLAIN ", "AUTH LOGIN ", "AUTHENTICATE PLAIN ", "AUTH XOAUTH2 "]
    where bytes[place...].starts(with: mark.utf8) {
      return rest(behind: place + mark.utf8.count - 1)
    }
    guard place == 0, bytes.starts(with: "AUTH ".utf8) else { return nil }
    return words(2, behind: 4, .ambiguous(.near)) ?? rest(behind: 4, .ambiguous(.pass))
  }

  /// Returns the next word of a line, or of the line behind it in a dialogue.
  private mutating func rest(
    behind place: Int,
    _ kind: SecretNames.Kind = .certain
  ) -> Int? {
    guard place < bytes.count, bytes[place] == 0x20, let range = value(from: place, to: lineEnd)
    else {
      return nil
    }
    return add(range, "password", kind)
  }

  /// Returns the last of some words of a line: `a1 LOGIN user password` (RFC 9051 §6.2.3).
  private mutating func words(
    _ count: Int,
    behind place: Int,
    _ kind: SecretNames.Kind = .certain
  ) -> Int? {
    guard place < bytes.count, bytes[place] == 0x20 else { return nil }
    var range: Range<Int>?
    var start = place
    for _ in 0..<count {
      guard let next = value(from: start, to: lineEnd) else { return nil }
      range = next
      start =
        next.upperBound < lineEnd && NamedValues.isQuote(bytes[next.upperBound])
        ? next.upperBound + 1 : next.upperBound
    }
    let tail = bytes[start..<lineEnd]
    guard let range, tail.allSatisfy({ $0 <= 0x20 }) else { return nil }
    return add(range, "password", kind)
  }

  /// Reads the code of a wireless network: `WIFI:S:name;T:WPA;P:password;;`.
  private mutating func wireless(behind place: Int) -> Int? {
    guard bytes[place] == UInt8(ascii: ":") else { return nil }
    let (start, end) = (max(place, wirelessStart), min(place + 200, lineEnd))
    guard start < end else { return nil }
    let text = bytes[start..<end]
    guard let mark = [";P:", ":P:"].compactMap({ text.firstRange(of: Bytes($0.utf8)) }).first else {
      wirelessStart = max(start, end - 2)
      return nil
    }
    let value = bytes[mark.upperBound...].prefix {
      $0 != UInt8(ascii: ";") && $0 > 0x1F && $0 != 0x22
    }
    return add(value.startIndex..<value.endIndex, "wifi-password")
  }

  /// Reads the password of a database: `jdbc:oracle:thin:user/password@//host`,
  /// `sqlplus user/"password"@host`.
  private mutating func slashed(behind place: Int) -> Int? {
    let end = min(lineEnd, place + 160)
    guard let slash = bytes[place..<end].firstIndex(of: UInt8(ascii: "/")),
      bytes[slash - 1].isWord, let word = value(from: slash + 1, to: end)
    else { return nil }
    let isQuoted = word.lowerBound > slash + 1
    let secret = isQuoted ? bytes[word] : bytes[word].prefix { $0 != UInt8(ascii: "@") }
    let mark = secret.endIndex + (isQuoted ? 1 : 0)
    guard mark < end, bytes[mark] == UInt8(ascii: "@") else { return nil }
    return add(secret.startIndex..<secret.endIndex, "password")
  }

  /// `snmp-server community …`, `enable secret 5 …`, as the settings of a network's devices have
  /// them.
  private mutating func directive(behind place: Int, isNamed: Bool) -> Int? {
    var (start, isNamed) = (place, isNamed)
    for _ in 0..<5 {
      guard let word = value(from: start, to: lineEnd) else { return nil }
      let text = String(decoding: bytes[word], as: UTF8.self)
      if ["community", "secret", "password", "key"].contains(text) {
        isNamed = true
      } else if !isNamed {
        // `radius-server host 10.1.1.1 key …`
        guard text == "host" || text.contains(".") else { return nil }
      } else if word.count > 1 {
        // One digit says how it is hidden.
        return Prose.isPlain(text) ? nil : add(word, "password")
      }
      start = word.upperBound
    }
    return nil
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

  /// `Private-Lines: 2` of PuTTY, and so many lines of a key.
  private mutating func lines(behind place: Int) -> Int? {
    // A value over several lines may end behind the one that is known.
    guard place <= lineEnd else { return nil }
    let digits = bytes[place..<lineEnd].prefix(16).filter { $0.isASCIIDigit }
    let count = Int(String(decoding: digits, as: UTF8.self)) ?? 0
    guard count > 0, count < 100, lineEnd < bytes.count else { return nil }
    var end = lineEnd
    for _ in 0..<count where end < bytes.count {
      end = bytes[(end + 1)...].prefix(200).firstIndex(of: 0x0A) ?? bytes.count
    }
    var start = lineEnd + 1
    while start < end, bytes[start] <= 0x20 { start += 1 }
    while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
    return start < end ? add(start..<end, "private-key") : nil
  }

  /// `s:8:"password";s:5:"value";`, as PHP writes arrays.
  private mutating func serialised(at place: Int) -> Int? {
    func text(at place: Int) -> Range<Int>? {
      guard bytes[place...].starts(with: "s:".utf8) else { return nil }
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

  /// The values of a Secret of Kubernetes in YAML, which are secrets by any name.
  private mutating func readManifests() {
    guard hasManifest else { return }
    for document in bytes.ranges(between: bytes.ranges(of: Bytes("---\n".utf8)))
    where bytes[document].firstRange(of: Bytes("kind: Secret\n".utf8)) != nil {
      var isData = false
      for line in bytes[document].split(separator: 0x0A) {
        guard line.first == 0x20 else {
          isData = ["data:", "stringData:"].contains { line.elementsEqual($0.utf8) }
          continue
        }
        guard isData, let colon = line.firstRange(of: Bytes(": ".utf8)),
          let range = value(from: colon.upperBound, to: line.endIndex)
        else { continue }
        _ = add(range, "secret")
      }
    }
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

  /// Looks where the line ends, and whether it is one of PostgreSQL's file of passwords:
  /// `host:port:database:user:password`.
  private mutating func beginLine(_ place: Int) {
    lineEnd = bytes[place...].firstIndex(of: 0x0A) ?? bytes.count
    command = nil
    guard lineEnd - place <= 300, lineEnd > place, bytes[place] != UInt8(ascii: "#"),
      bytes[place..<lineEnd].count(where: { $0 == UInt8(ascii: ":") }) == 4
    else { return }
    let parts = bytes[place..<lineEnd].split(
      separator: UInt8(ascii: ":"),
      omittingEmptySubsequences: false
    )
    guard parts.count == 5, !parts[1].isEmpty,
      parts[1].allSatisfy({ $0.isASCIIDigit }) && parts[1].count >= 4
        || parts[1].elementsEqual("*".utf8),
      parts.allSatisfy({ !$0.isEmpty && !$0.contains(0x20) }), parts[4].count >= 6
    else { return }
    var end = parts[4].endIndex
    while end > parts[4].startIndex, bytes[end - 1] <= 0x20 { end -= 1 }
    _ = add(parts[4].startIndex..<end, "password")
  }
}

extension Bytes {
  /// Returns the ranges between separators.
  func ranges(between marks: [Range<Int>]) -> [Range<Int>] {
    let ends = marks.map(\.lowerBound) + [count]
    return zip([0] + marks.map(\.upperBound), ends).map { $0..<$1 }
  }
}
