// The flags of the commands that record or compare, each with the value that it makes.

/// The redactions beside the standard ones, as flags of the commands that record.
enum RedactionFlags {
  static let names = "--redact"
  static let keep = "--keep"
  static let personalData = "--personal-data"

  static let flags = flags(prefix: "")

  /// Returns the flags; `prefix` says beside which other one they are of use.
  static func flags(prefix: String) -> [Flag] {
    let flags = [
      Flag(names, "NAME", "One more name of a secret, or a place in JSON such as $.user.code."),
      Flag(keep, "NAME", "A name, or a place in JSON, whose values are no secrets and stay."),
      Flag(personalData, nil, "Replace e-mail addresses, telephone numbers and names, too."),
    ]
    return flags.map { $0.help(sentence(prefix, $0.summary)) }
  }

  /// A sentence behind a word and a colon goes on small.
  private static func sentence(_ prefix: String, _ text: String) -> String {
    prefix.isEmpty ? text : "\(prefix): \(text.prefix(1).lowercased())\(text.dropFirst())"
  }
}

extension RedactionRules {
  /// The rules that a command line adds.
  init(_ arguments: Arguments) throws(Refusal) {
    func names(_ flag: String) throws(Refusal) -> [String] {
      try arguments.all(flag, shouldBe: "a name, or a place such as $.user.code") {
        $0.hasPrefix("$") && !RedactionRules.isPlace($0) ? nil : $0
      }
    }
    self.init(
      names: try names(RedactionFlags.names),
      keep: try names(RedactionFlags.keep),
      personalData: arguments.has(RedactionFlags.personalData)
    )
  }
}

/// A host that is left alone: its requests are passed on to it and not recorded.
struct IgnoredHost {
  let url: RequestURL
  /// Tells whether it is meant on every port: its name alone was given.
  let isAnyPort: Bool

  static let name = "--ignore"

  /// As a deck knows it.
  var name: String {
    let host = url.host ?? ""
    return isAnyPort ? host : "\(host):\(url.effectivePort ?? 80)"
  }

  static func all(_ arguments: Arguments) throws(Refusal) -> [IgnoredHost] {
    try arguments.all(name, shouldBe: "a host such as telemetry.example.com") { text in
      let whole = text.contains("://") ? text : "http://\(text)"
      return RequestURL.server(whole).map {
        IgnoredHost(url: $0, isAnyPort: whole != text && $0.port == nil)
      }
    }
  }
}

extension RequestURL {
  /// Returns a whole server's address by http or https, without a path.
  static func server(_ text: String) -> RequestURL? {
    let url = RequestURL(text)
    guard let scheme = url.scheme, ["http", "https"].contains(scheme), url.host?.isEmpty == false,
      url.target == "/"
    else { return nil }
    return url
  }
}

/// `--upstream-ca`: whom to trust where a real server is spoken to by `https`.
struct UpstreamTrust {
  static let name = "--upstream-ca"

  let trust: Trust
  /// Tells whether the flag was given.
  var isGiven: Bool { trust != .system }

  init(_ arguments: Arguments) throws(Refusal) {
    trust = try arguments.value(Self.name).map { .certificates(URL(typed: $0)) } ?? .system
  }

  /// Looks whether there is such a file.
  func probe() throws {
    guard case .certificates(let file) = trust else { return }
    _ = try FileError.reading(file, bytesMax: Self.authoritiesBytesMax)
  }

  /// A machine's whole list of authorities has a quarter of a megabyte.
  private static let authoritiesBytesMax = 16 << 20
}

/// `--volatile NAME`: header fields that are not looked at where recordings are compared.
enum VolatileFlag {
  static let name = "--volatile"

  static let flag = Flag(name, "NAME")
    .help("Header field to skip in comparisons, such as X-Served-By. May be repeated.")

  static func names(_ arguments: Arguments) throws(Refusal) -> [String] {
    try arguments.all(name, shouldBe: "the name of a header field such as X-Served-By") {
      $0.isHTTPToken ? $0 : nil
    }
  }
}

extension Flag {
  /// The content codings that a recorded origin is asked for.
  static let keepEncodings = Flag("--keep-encodings")
    .help("Request br and zstd if the client does; neither is recorded.")
  /// The responses whose heads are invalid.
  static let passMalformed = Flag("--pass-malformed")
    .help("Pass responses with an invalid head on unchanged, unrecorded.")
}

/// The rules that requests are compared by: those of `--match FILE` over a command's own.
enum MatchFlag {
  static let name = "--match"

  /// Returns the flag, which says what is compared without it.
  static func flag(_ standard: String) -> Flag {
    Flag(name, "FILE", "Rules for comparing requests (default: \(standard)).")
  }

  static func matcher(_ arguments: Arguments, over base: Matcher) throws -> Matcher {
    guard let path = try arguments.value(name) else { return base }
    return try matcher(URL(typed: path), over: base)
  }

  static func matcher(_ file: URL, over base: Matcher) throws -> Matcher {
    do {
      return try Matcher(contentsOf: file, over: base)
    } catch let error as FormatError {
      throw Refusal.usage("\(error)")
    }
  }
}
