/// A row of the detection table: the redacted values, the reason, and examples of a redacted and an
/// unchanged text.
///
/// The rows for the keys of providers are generated from their table (`KnownKey`), in which a new
/// key is one line.
public struct DetectionRow: Sendable, Hashable {
  /// The name of the row, as printed by lint and review.
  public let id: String
  /// The values that the row redacts.
  public let finds: String
  /// The reason, or a reference to documentation.
  public let reason: String
  /// A text, or a JSON body, with an invented value that is redacted.
  public let secret: String
  /// A similar text that stays unchanged.
  public let harmless: String

  /// All rows, in the order of the table.
  public static let all: [DetectionRow] = named + shaped + KnownKey.rows + other

  /// Creates a row without examples, which the methods below add.
  init(_ id: String, _ reason: String) { self.init(id, reason, "", "", "") }

  private init(_ id: String, _ reason: String, _ finds: String, _ goes: String, _ stays: String) {
    (self.id, self.reason, self.finds, secret, harmless) = (id, reason, finds, goes, stays)
  }

  func finding(_ finds: String) -> Self { Self(id, reason, finds, secret, harmless) }

  func redacts(_ secret: String, butNot harmless: String) -> Self {
    Self(id, reason, finds, secret, harmless)
  }

  private static let named: [Self] = [
    Self("field-name", "RFC 6749 §4.3.2, RFC 8705; names that frameworks use")
      .finding("the value of a name that only secrets have, in some sixty languages")
      .redacts(#"{"passwordHash":"x7Kq9vLw"}"#, butNot: #"{"passwordPolicy":"strict"}"#),
    Self("likely-name", "a currency is a token, a zodiac has signs")
      .finding("the value of a name that others have, too, if it looks random or is beside a login")
      .redacts(#"{"token":"x7Kq9vLw2PzR"}"#, butNot: #"{"token":"ETH"}"#),
    Self("told", "set by the user")
      .finding("a place that `--redact`, `redacting:` or a rule names"),
    Self("cookie", "RFC 6265 §8.3")
      .finding("each value of `Cookie` and `Set-Cookie`")
      .redacts("Set-Cookie: sid=x7Kq9vLw2PzR; Path=/", butNot: #"{"cookie":"chocolate chip"}"#),
    Self("credentials", "RFC 9110 §11.4")
      .finding("the part after the scheme of `Authorization` and similar fields, and its parts")
      .redacts(
        "Authorization: Token x7Kq9vLw2PzR",
        butNot: "WWW-Authenticate: Bearer realm=\"api\""
      ),
    Self("header-name", "the fields of some sixty providers")
      .finding("a random-looking value of a header field whose name has `key`, `token` or similar"),
    Self("user-info", "RFC 3986 §3.2.1")
      .finding("user and password of a URL")
      .redacts(
        "postgres://ada:x7Kq9vLw@db.example.test/shop",
        butNot: "postgres://db.example.test/shop"
      ),
    Self("path-segment", "links that are sent by mail")
      .finding("a random-looking path segment after one such as `reset` or `invite`")
      .redacts(
        "https://a.example.test/reset-password/x7Kq9vLw2PzRx7Kq9vLw",
        butNot: "https://a.example.test/reset-password/step-two"
      ),
    Self("web-hook", "the documentation of Slack, Discord and Teams")
      .finding("the secret segments of a URL that needs no other credential")
      .redacts(
        "https://hooks.slack.com/services/T0/B0/x7Kq9vLw2PzR",
        butNot: "https://hooks.example.test/services/list"
      ),
    Self("spoken", "log files and mails")
      .finding("secrets in sentences and error messages")
      .redacts("Your password is x7Kq9vLw.", butNot: "Your password is too short."),
  ]

  private static let shaped: [Self] = [
    Self("basic", "RFC 7617")
      .finding("base64 of `user:password`")
      .redacts("sent: Basic YWRhOng3S3E5dkx3", butNot: "Basic training"),
    Self("bearer", "RFC 6750 §2.1")
      .finding("a long word with digits after `Bearer`")
      .redacts("sent: Bearer x7Kq9vLw2PzRx7Kq", butNot: "Bearer of good news"),
    Self("jwt", "RFC 7519")
      .finding("a JSON web token; it can still be decoded afterwards and keeps its dates")
      .redacts("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.x7Kq9vLw2PzR", butNot: "eyJ etc."),
    Self("jwe", "RFC 7516 §7.1")
      .finding("an encrypted web token")
      .redacts(
        "eyJhbGciOiJkaXIifQ..x7Kq9vLw2PzRx7Kq.x7Kq9vLw2PzRx7Kq9vLw2PzR.x7Kq9vLw2PzR",
        butNot: "a.b.c.d.e"
      ),
    Self("private-key", "RFC 7468 §10")
      .finding("the text between the lines of a private key")
      .redacts(
        "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIx7Kq9vLw2PzRx7Kq9vLw2PzR\n-----END PRIVATE KEY-----",
        butNot: "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----"
      ),
    Self("bot-token", "the makers' documentation")
      .finding("the number and the token of a bot")
      .redacts(
        "bot 123456789:AA\(String(repeating: "x7K", count: 11))",
        butNot: "bot 123456789:AAA"
      ),
    Self("discord-token", "Discord's documentation")
      .finding("three parts of which the second has six letters")
      .redacts(
        "run('MTk4NjIyNDgzNDcxOTI1MjQ4.Gx7Kq9.x7Kq9vLw2PzRx7Kq9vLw2PzRx7Kq')",
        butNot: "run('MTk4.Gx7Kq9.x7')"
      ),
    Self("mailchimp-key", "Mailchimp's documentation")
      .finding("32 hexadecimal digits and a data centre")
      .redacts("key: 0a1b2c3d4e5f60718293a4b5c6d7e8f9-us12", butNot: "region us12"),
    Self("azure-secret", "Microsoft's documentation")
      .finding("40 letters with `Q~` in the fourth place; a mark such as `JQQJ` or `AzFu` later on")
      .redacts("it is x7K8Q~x7Kq9vLw2PzRx7Kq9vLw2PzRx7Kq9vLw2 now", butNot: "it is x7K8Q now"),
    Self("fcm-key", "the documentation of Firebase Cloud Messaging")
      .finding("eleven letters, `:APA91b` and 130 letters or more")
      .redacts(
        "AAAAx7Kq9vL:APA91b\(String(repeating: "x7Kq9vLw2P", count: 14))",
        butNot: "AAAAx7Kq9vL:APA91b"
      ),
    Self("bitwarden-token", "the documentation of Bitwarden's Secrets Manager")
      .finding("`0.`, a UUID, 30 letters and a key after a colon")
      .redacts(
        "0.1f53950b-305e-55ea-55c3-d113f8367a02.x7Kq9vLw2PzRx7Kq9vLw2PzRx7Kq9v:x7Kq9vLw2PzRx7Kq9vLw2Q==",
        butNot: "0.1f53950b-305e-55ea-55c3-d113f8367a02"
      ),
    Self("cloud-secret", "the consoles of AWS and Alibaba Cloud")
      .finding("30 or 40 letters of base64 after the id of a cloud's key")
      .redacts(
        "AKIA\("X7KQ9VLW2PZRX7KQ") x7Kq9vLw2PzRx7Kq9vLw2PzRx7Kq9vLw2PzRx7Kq",
        butNot: "0123456789 x7Kq"
      ),
    Self(
      "named-key",
      "how providers shape their keys since 2021 (GitHub, *Behind GitHub's new authentication token formats*)"
    )
    .finding("a word with a part such as `sk`, `pat` or `token` before a long random part")
    .redacts("acme_sk_x7Kq9vLw2PzRx7Kq9vLw2PzR", butNot: "acme_sk_and_so_on"),
  ]

  private static let other: [Self] = [
    Self("personal-data", "RFC 5322 §3.4.1, ITU-T E.164")
      .finding("e-mail addresses, telephone numbers and names of people, if requested"),
    Self("echo", "error texts, redirects and logs repeat what was sent")
      .finding("a repeated secret from another place, in any spelling"),
    Self("entropy", "Shannon, *A Mathematical Theory of Communication*, 1948")
      .finding("a word that looks random: only a lint reports it, because most are ids"),
  ]

  /// The table as Markdown.
  public static var table: String {
    func cell(_ text: String) -> String {
      text.replacing("|", with: "\\|").replacing("\n", with: " ⏎ ")
    }
    func code(_ text: String) -> String {
      // Examples that look like keys are shortened, so that secret scanners do not report them.
      text.isEmpty ? "" : "`\(cell(text.utf8.count > 60 ? "\(text.prefix(24))…" : text))`"
    }
    let rows = (named + shaped + other).map {
      "| `\($0.id)` | \(cell($0.finds)) | \(cell($0.reason)) | \(code($0.secret)) | \(code($0.harmless)) |"
    }
    let keys = KnownKey.rows.map { "| `\($0.id)` | \(cell($0.finds)) | \(code($0.secret)) |" }
    return """
      # Detections of secrets in recordings

      Each row is a reason to replace a value by `REDACTED-name-1`. `windtunnel cassette review` prints
      the reason, and `--keep NAME` keeps a value in the next recording.

      | Row | Finds | Reason | Replaced | Kept |
      | --- | --- | --- | --- | --- |
      \(rows.joined(separator: "\n"))

      ## Known keys

      These rows are from the documentation of providers and the rules of scanners. A mark alone is kept.

      | Row | Finds | Replaced |
      | --- | --- | --- |
      \(keys.joined(separator: "\n"))

      """
  }
}
