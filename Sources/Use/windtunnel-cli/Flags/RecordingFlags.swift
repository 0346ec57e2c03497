// The flags of the commands that record or compare, each with its parsed value.

/// The additional redactions, as flags of the commands that record.
enum RedactionFlags {
  static let names = "--redact"
  static let keep = "--keep"
  static let personalData = "--personal-data"

  static let flags = flags(prefix: "")

  /// Returns the flags; `prefix` names another flag that they require.
  static func flags(prefix: String) -> [Flag] {
    let flags = [
      Flag(names, "NAME", "One more name of a secret, or a place in JSON such as $.user.code."),
      Flag(keep, "NAME", "A name, or a place in JSON, whose values are not replaced."),
      Flag(personalData, nil, "Replace e-mail addresses, telephone numbers and names, too."),
    ]
    return flags.map { $0.help(sentence(prefix, $0.summary)) }
  }

  /// Returns a help sentence, which begins with a lowercase letter after a prefix and a colon.
  private static func sentence(_ prefix: String, _ text: String) -> String {
    prefix.isEmpty ? text : "\(prefix): \(text.prefix(1).lowercased())\(text.dropFirst())"
  }
}

extension RedactionRules {
  /// Creates the rules that a command line adds.
  init(_ arguments: Arguments) throws(CommandError) {
    func names(_ flag: String) throws(CommandError) -> [String] {
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

/// An ignored host: its requests are passed on to it and not recorded.
struct IgnoredHost {
  let url: RequestURL
  /// Whether it applies to every port, because only the name was given.
  let isAnyPort: Bool

  static let name = "--ignore"

  /// The name in the format of a deck.
  var name: String {
    let host = url.host ?? ""
    return isAnyPort ? host : "\(host):\(url.effectivePort ?? 80)"
  }

  static func all(_ arguments: Arguments) throws(CommandError) -> [IgnoredHost] {
    try arguments.all(name, shouldBe: "a host such as telemetry.example.com") { text in
      let whole = text.contains("://") ? text : "http://\(text)"
      return RequestURL.server(whole).map {
        IgnoredHost(url: $0, isAnyPort: whole != text && $0.port == nil)
      }
    }
  }
}

extension RequestURL {
  /// Returns a server's address with http or https, without user information and without a path;
  /// `nil` if it is invalid.
  static func server(_ text: String) -> RequestURL? {
    let url = RequestURL(text)
    guard let scheme = url.scheme, ["http", "https"].contains(scheme), url.host?.isEmpty == false,
      url.target == "/", url.userInfo == nil, !text.contains("#")
    else { return nil }
    return url
  }
}

/// `--upstream-ca`: the trusted authorities for `https` connections to a real server.
struct UpstreamTrust {
  static let name = "--upstream-ca"

  let trust: Trust
  /// Whether the flag was given.
  var isGiven: Bool { trust != .system }

  init(_ arguments: Arguments) throws(CommandError) {
    trust = try arguments.value(Self.name).map { .certificates(URL(typed: $0)) } ?? .system
  }

  /// Checks that the file exists.
  func probe() throws {
    guard case .certificates(let file) = trust else { return }
    _ = try FileError.reading(file, bytesMax: Self.authoritiesBytesMax)
  }

  /// A machine's complete list of authorities has a quarter of a megabyte.
  private static let authoritiesBytesMax = 16 << 20
}

/// `--volatile NAME`: header fields that comparisons of recordings skip.
enum VolatileFlag {
  static let name = "--volatile"

  static let flag = Flag(name, "NAME")
    .help("Header field to skip in comparisons, such as X-Served-By. May be repeated.")

  static func names(_ arguments: Arguments) throws(CommandError) -> [String] {
    try arguments.all(name, shouldBe: "the name of a header field such as X-Served-By") {
      $0.isHTTPToken ? $0 : nil
    }
  }
}

extension Flag {
  /// The content codings that are requested from a recorded origin.
  static let keepEncodings = Flag("--keep-encodings")
    .help("Request br and zstd if the client does; neither is recorded.")
  /// The passing of invalid responses.
  static let passMalformed = Flag("--pass-malformed")
    .help("Pass invalid responses on unchanged, unrecorded.")
}

/// The rules for comparing requests: `--match FILE` overrides a command's own.
enum MatchFlag {
  static let name = "--match"

  /// Returns the flag, whose help names the default rules.
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
      throw CommandError.usage("\(error)")
    }
  }
}
