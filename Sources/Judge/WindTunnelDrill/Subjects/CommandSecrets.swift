internal import Foundation

/// Removes the secrets from the words of a command, recognised by their position. They are after
/// `--token`, in `--oauth2-bearer X`, `-u name:password`, `-H 'Authorization: …'` or `NAME=value`,
/// and in URLs. A long word that looks random is a secret at every position. Shell scripts among
/// the words are read in the same way.
struct CommandSecrets {
  /// The text that replaces a secret.
  static let redacted = "REDACTED-argument"
  /// The minimum size of a secret that is removed from other texts. A shorter one would match by
  /// chance.
  private static let soughtBytesMin = 6
  /// The maximum depth of scripts within scripts.
  private static let depthMax = 3

  private var secrets: Set<String> = []
  /// Whether `name:word` is an image or a script of the command.
  private var hasTags = false
  /// Whether `name:word` is a task, a class path or a plugin, if the word is a plain one.
  private var hasTasks = false

  /// The secrets that were found, the longest first.
  var found: [String] { secrets.sorted { ($1.count, $0) < ($0.count, $1) } }

  /// Programs whose `-a` and `-u` are credentials.
  private static let clients: Set<Substring> = ["http", "https", "xh", "xhs"]

  /// Programs for which `name:word` is an image with its tag, or the name of a script.
  private static let tagged: Set<Substring> = [
    "docker", "podman", "npm", "npx", "pnpm", "yarn", "uvicorn", "gunicorn", "flask", "rake",
  ]

  /// Programs for which `name:word` is often a task, a class path or a plugin.
  private static let tasked: Set<Substring> = [
    "java", "kotlin", "scala", "gradle", "gradlew", "mvn", "mvnw", "sbt", "bun", "deno", "rails",
    "bundle", "artisan", "console", "composer", "symfony", "task", "just", "make", "nx", "turbo",
    "mix", "pytest", "py.test",
  ]

  /// The meaning of a word, given by the option before it.
  private enum ValueKind {
    case secret
    /// A name and a password, as `name:password`.
    case credentials
    /// A header field, as `Name: value`.
    case header
    /// Cookies as `a=1; b=2`, or the name of a file.
    case cookies
    /// A file and its password, as `file:password`.
    case certificate
    /// Another value, such as a URL, a form or a text.
    case text
  }

  /// Returns the words without their secrets.
  mutating func read(_ words: [String]) -> [String] { read(words, depth: 0) }

  /// Records a secret in all spellings in which it may appear later.
  mutating func note(_ secret: String) {
    guard secret.utf8.count >= Self.soughtBytesMin, !secret.hasPrefix("REDACTED-"),
      !secret.hasPrefix("{"), !secret.hasPrefix("$")
    else { return }
    secrets.insert(secret)
    for characters in [CharacterSet.alphanumerics, .urlQueryAllowed, .urlPathAllowed] {
      if let escaped = secret.addingPercentEncoding(withAllowedCharacters: characters) {
        // Keys have their own spellings.
        let inForm = "=\(escaped)".canonicalForm.dropFirst()
        secrets.formUnion([escaped, escaped.canonicalPath, String(inForm)])
      }
    }
    if let plain = secret.removingPercentEncoding, plain.utf8.count >= Self.soughtBytesMin {
      secrets.insert(plain)
    }
  }

  private mutating func read(_ words: [String], depth: Int) -> [String] {
    let programs = Set(words.compactMap { $0.split(separator: "/").last })
    let isCurl = programs.contains("curl")
    hasTags = hasTags || !programs.isDisjoint(with: Self.tagged)
    hasTasks = hasTasks || !programs.isDisjoint(with: Self.tasked)
    let isClient = isCurl || !programs.isDisjoint(with: Self.clients)
    var expected: ValueKind?
    var read: [String] = []
    for word in words {
      if let meaning = expected.take() {
        read.append(taken(word, as: meaning, isClient, depth))
      } else if let (left, next) = option(word, isCurl, depth) {
        expected = next
        read.append(left)
      } else {
        read.append(text(word, depth))
        // The arguments of a file that a program runs are not its tasks.
        let isFile = word.contains { "./{".contains($0) }
        if isFile, let name = word.split(separator: "/").last, !Self.tasked.contains(name) {
          hasTasks = false
        }
      }
    }
    return read
  }

  // MARK: options

  /// Returns an option without secrets, and the meaning of the next word. `nil` if the word is not
  /// an option.
  private mutating func option(
    _ word: String,
    _ isCurl: Bool,
    _ depth: Int
  ) -> (left: String, next: ValueKind?)? {
    guard word.hasPrefix("-"), word.utf8.count > 1 else { return nil }
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].drop { $0 == "-" }
    let isLong = word.hasPrefix("--") || !isCurl && name.count > 2
    if isLong, let meaning = Self.meaning(of: String(name)) {
      guard parts.count == 2 else { return (word, meaning) }
      return ("\(parts[0])=\(taken(String(parts[1]), as: meaning, true, depth))", nil)
    }
    if word.hasPrefix("--") {
      return parts.count == 2 ? ("\(parts[0])=\(text(String(parts[1]), depth))", nil) : (word, nil)
    }
    return short(word, isCurl, depth)
  }

  /// Returns the meaning of the long options of curl, wget, HTTPie and programs with the same
  /// names.
  private static func meaning(of name: String) -> ValueKind? {
    switch name.lowercased() {
    case "user", "proxy-user", "login-options": .credentials
    case "header", "proxy-header": .header
    case "cookie": .cookies
    case "cert", "proxy-cert": .certificate
    case "oauth2-bearer", "auth", "pass", "proxy-pass", "key-pass": .secret
    default: name.namesSecret ? .secret : nil
    }
  }

  /// The letters of curl's options with a value, in the same word or the next.
  private static let valued = Set("AbcCdDeEFhHKmoPQrtTuUwxXyYz")

  /// Reads short options. curl's letters can be combined, as in `-sSfu name:password`.
  /// `-u name:password` and `-H 'Name: value'` mean the same for many other programs, and something
  /// else for some.
  private mutating func short(
    _ word: String,
    _ isCurl: Bool,
    _ depth: Int
  ) -> (left: String, next: ValueKind?) {
    let letters = word.dropFirst()
    let valued = isCurl ? letters.firstIndex { Self.valued.contains($0) } : letters.indices.first
    guard let place = valued else { return (word, nil) }
    let meaning: ValueKind
    switch word[place] {
    case "u", "U": meaning = .credentials
    case "a" where !isCurl: meaning = .credentials
    case "H": meaning = .header
    case "b" where isCurl: meaning = .cookies
    case "E" where isCurl: meaning = .certificate
    case _ where isCurl: meaning = .text
    default:
      let value = String(letters.dropFirst())
      return (value.isRandomWord ? "\(word.prefix(2))\(out(value))" : text(word, depth), nil)
    }
    let rest = String(word[word.index(after: place)...])
    if rest.isEmpty { return (word, meaning) }
    return ("\(word[...place])\(taken(rest, as: meaning, isCurl, depth))", nil)
  }

  private mutating func taken(
    _ word: String,
    as meaning: ValueKind,
    _ isSure: Bool,
    _ depth: Int
  ) -> String {
    switch meaning {
    case .secret: return out(word)
    case .credentials:
      let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 || isSure else { return text(word, depth) }
      if let password = parts.dropFirst().first { note(String(password)) }
      return out(word)
    case .header: return header(word) ?? text(word, depth)
    case .cookies:
      guard word.contains("=") else { return text(word, depth) }
      for pair in word.split(separator: ";") {
        if let value = pair.split(separator: "=", maxSplits: 1).dropFirst().first {
          note(String(value))
        }
      }
      return out(word)
    case .certificate:
      guard let colon = word.lastIndex(of: ":") else { return word }
      return "\(word[...colon])\(out(String(word[word.index(after: colon)...])))"
    case .text: return text(word, depth)
    }
  }

  private mutating func out(_ secret: String) -> String {
    // A value that the harness fills in is not a secret.
    if CallPlaceholders.names.contains(where: { "{\($0)}" == secret }) || secret == "{ca}" {
      return secret
    }
    note(secret)
    return secret.isEmpty ? secret : Self.redacted
  }

  // MARK: parts of a word

  /// Returns a word that is not an option, without secrets.
  private mutating func text(_ word: String, _ depth: Int) -> String {
    if word.contains(where: \.isWhitespace), let script = script(word, depth) { return script }
    return header(word) ?? assignment(word) ?? login(word)
      ?? (word.isRandomWord ? out(word) : address(word))
  }

  /// Returns a word of the form `name:password` without the password. `nil` for any other word,
  /// such as a host and its port.
  private mutating func login(_ word: String) -> String? {
    let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard !hasTags, parts.count == 2, parts[1].utf8.count >= Self.soughtBytesMin,
      parts[0].contains(where: \.isLetter), parts[1].contains(where: \.isLetter),
      parts[0].allSatisfy({ $0.isLetter || $0.isNumber || "_.-@+".contains($0) }),
      !parts[1].contains(where: { $0.isWhitespace || "/\\:{".contains($0) }),
      !hasTasks || !parts[1].allSatisfy({ $0.isLetter || "-_".contains($0) })
    else { return nil }
    note(String(parts[1]))
    return out(word)
  }

  /// Returns a field `Name: value` without the value, if the name is one of a secret. A scheme such
  /// as `Bearer` may stay. `nil` for any other word.
  private mutating func header(_ word: String) -> String? {
    guard let colon = word.firstIndex(of: ":") else { return nil }
    let name = String(word[..<colon])
    // A host and its port are not a header field.
    guard name.isHTTPToken, !name.contains("."), name.namesSecretField else { return nil }
    let rest = word[word.index(after: colon)...]
    guard !rest.hasPrefix("//") else { return nil }
    let space = rest.prefix { $0 == " " }
    let value = rest.dropFirst(space.count)
    let parts = value.split(separator: " ", maxSplits: 1)
    let isSchemed = parts.count == 2 && parts[0].allSatisfy { $0.isLetter || $0 == "-" }
    guard isSchemed, name.lowercased().hasSuffix("authorization") else {
      return "\(name):\(space)\(out(String(value)))"
    }
    let pair = Data(base64Encoded: String(parts[1])).map { String(decoding: $0, as: UTF8.self) }
    if parts[0].lowercased() == "basic", let password = pair?.split(separator: ":").last {
      note(String(password))
    }
    return "\(name):\(space)\(parts[0]) \(out(String(parts[1])))"
  }

  /// Returns an assignment `NAME=value`, as for `env` and shells, without the value if it is
  /// secret. `name==value` and `name:=value` are HTTPie's forms.
  private mutating func assignment(_ word: String) -> String? {
    guard let equals = word.firstIndex(of: "=") else { return nil }
    let name = word[..<equals].last == ":" ? word[..<equals].dropLast() : word[..<equals]
    let sign = word[equals...].prefix { $0 == "=" }
    let isForm = word[sign.endIndex...].contains("&") && word[sign.endIndex...].contains("=")
    guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || "_.-[]".contains($0) }),
      String(name).namesSecret, !isForm
    else { return nil }
    return "\(word[..<equals])\(sign)\(out(String(word[sign.endIndex...])))"
  }

  /// Returns a word without the password of `//name:password@host`, and without secret parameters
  /// of a URL or a form.
  private mutating func address(_ word: String) -> String {
    var word = word
    if let slashes = word.firstRange(of: "//") {
      let rest = word[slashes.upperBound...]
      let authority = rest.prefix { !"/?#".contains($0) }
      if let at = authority.lastIndex(of: "@") {
        let info = String(authority[..<at])
        if let password = info.split(separator: ":", maxSplits: 1).dropFirst().first {
          note(String(password))
        }
        word.replaceSubrange(slashes.upperBound..<at, with: out(info))
      }
    }
    let marks = word.contains { "?#&".contains($0) }
    guard marks, word.contains("=") else { return word }
    var result = ""
    var rest = word[...]
    while !rest.isEmpty {
      let pair = rest.prefix { !"?#&".contains($0) }
      rest = rest.dropFirst(pair.count)
      let mark = rest.prefix(1)
      rest = rest.dropFirst(1)
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0]).removingPercentEncoding ?? String(parts[0])
      let isSecret = parts.count == 2 && name.namesSecretParameter
      result += isSecret ? "\(parts[0])=\(out(String(parts[1])))" : String(pair)
      result += mark
    }
    return result
  }

  // MARK: scripts

  /// Returns a shell script without the secrets among its words, or `nil` if it has none.
  private mutating func script(_ text: String, _ depth: Int) -> String? {
    guard depth < Self.depthMax else { return nil }
    let words = ShellWords(text).words
    guard words.count > 1 else { return nil }
    let read = read(words.map(\.text), depth: depth + 1)
    guard read != words.map(\.text) else { return nil }
    var (result, place) = ("", text.startIndex)
    for (word, new) in zip(words, read) {
      result += text[place..<word.range.lowerBound]
      result += new == word.text ? String(text[word.range]) : new.asShellWord
      place = word.range.upperBound
    }
    return result + text[place...]
  }
}

/// The words of a shell script and their positions, simplified (Shell Command Language §2.2).
/// Quotes and backslashes are removed, nothing is expanded, and operators only separate words.
private struct ShellWords {
  private(set) var words: [(text: String, range: Range<String.Index>)] = []

  init(_ script: String) {
    var (text, start): (String, String.Index?) = ("", nil)
    var place = script.startIndex
    var quote: Character?
    func next() -> Character? {
      let after = script.index(after: place)
      return after < script.endIndex ? script[after] : nil
    }
    while place < script.endIndex {
      let character = script[place]
      let isOver = character.isWhitespace || ";|&()<>".contains(character)
      if quote == nil, isOver {
        if let start { words.append((text, start..<place)) }
        (text, start) = ("", nil)
        place = script.index(after: place)
        continue
      }
      start = start ?? place
      if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      } else if character == "\\", quote != "'", let escaped = next() {
        text.append(escaped)
        place = script.index(after: place)
      } else {
        text.append(character)
      }
      place = script.index(after: place)
    }
    if let start { words.append((text, start..<script.endIndex)) }
  }
}
