/// A row of the table of detections: the values that it redacts, the reason, and an example of both
/// sides.
///
/// The rows of the keys that providers issue are made from their table (`KnownKey`), where a new
/// one is one line.
public struct DetectionRow: Sendable, Hashable {
  /// The name of the row, as a lint and a review print it.
  public let id: String
  /// The values that the row redacts.
  public let finds: String
  /// The reason, or the place where it is documented.
  public let reason: String
  /// A text, or a JSON body, with an invented value that is redacted.
  public let secret: String
  /// A similar text that stays unchanged to the byte.
  public let harmless: String

  /// All rows, in the order of the table.
  public static let all: [DetectionRow] = named + shaped + KnownKey.rows + other

  /// Makes a row without examples, which the methods below add.
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
      .finding("the value of a name that others have, too, if it is drawn or beside a login")
      .redacts(#"{"token":"x7Kq9vLw2PzR"}"#, butNot: #"{"token":"ETH"}"#),
    Self("told", "somebody said so")
      .finding("what `--redact`, `redacting:` or a rule of places names"),
    Self("cookie", "RFC 6265 §8.3")
      .finding("each value of `Cookie` and `Set-Cookie`")
      .redacts("Set-Cookie: sid=x7Kq9vLw2PzR; Path=/", butNot: #"{"cookie":"chocolate chip"}"#),
    Self("credentials", "RFC 9110 §11.4")
      .finding("what follows the scheme of `Authorization` and its like, and its parts")
      .redacts(
        "Authorization: Token x7Kq9vLw2PzR",
        butNot: "WWW-Authenticate: Bearer realm=\"api\""
      ),
    Self("header-name", "the fields of some sixty providers")
      .finding("a drawn value of a header field whose name has `key`, `token` or the like"),
    Self("user-info", "RFC 3986 §3.2.1")
      .finding("user and password of an address")
      .redacts(
        "postgres://ada:x7Kq9vLw@db.example.test/shop",
        butNot: "postgres://db.example.test/shop"
      ),
    Self("path-segment", "links that are sent by mail")
      .finding("a drawn segment of a path behind one such as `reset` or `invite`")
      .redacts(
        "https://a.example.test/reset-password/x7Kq9vLw2PzRx7Kq9vLw",
        butNot: "https://a.example.test/reset-password/step-two"
      ),
    Self("web-hook", "the documentation of Slack, Discord and Teams")
      .finding("the secret segments of an address that whoever knows may post to")
      .redacts(
        "https://hooks.slack.com/services/T0/B0/x7Kq9vLw2PzR",
        butNot: "https://hooks.example.test/services/list"
      ),
    Self("spoken", "log files and mails")
      .finding("what a sentence tells or an error repeats")
      .redacts("Your password is x7Kq9vLw.", butNot: "Your password is too short."),
  ]

  private static let shaped: [Self] = [
    Self("basic", "RFC 7617")
      .finding("what decodes to `user:password`")
      .redacts("sent: Basic YWRhOng3S3E5dkx3", butNot: "Basic training"),
    Self("bearer", "RFC 6750 §2.1")
      .finding("a long word with digits behind `Bearer`")
      .redacts("sent: Bearer x7Kq9vLw2PzRx7Kq", butNot: "Bearer of good news"),
    Self("jwt", "RFC 7519")
      .finding("a JSON web token; it still decodes afterwards and keeps its dates")
      .redacts("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.x7Kq9vLw2PzR", butNot: "eyJ and so on"),
    Self("jwe", "RFC 7516 §7.1")
      .finding("an encrypted web token")
      .redacts(
        "eyJhbGciOiJkaXIifQ..x7Kq9vLw2PzRx7Kq.x7Kq9vLw2PzRx7Kq9vLw2PzR.x7Kq9vLw2PzR",
        butNot: "a.b.c.d.e"
      ),
    Self("private-key", "RFC 7468 §10")
      .finding("what stands between the lines of a private key")
      .redacts(
        "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIx7Kq9vLw2PzRx7Kq9vLw2PzR\n-----END PRIVATE KEY-----",
        butNot: "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----"
      ),
    Self("bot-token", "the documentation of its makers")
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
      .finding("`0.`, a UUID, 30 letters and a key behind a colon")
      .redacts(
        "0.1f53950b-305e-55ea-55c3-d113f8367a02.x7Kq9vLw2PzRx7Kq9vLw2PzRx7Kq9v:x7Kq9vLw2PzRx7Kq9vLw2Q==",
        butNot: "0.1f53950b-305e-55ea-55c3-d113f8367a02"
      ),
    Self("cloud-secret", "the consoles of AWS and Alibaba Cloud")
      .finding("30 or 40 letters of base64 behind the id of a cloud's key")
      .redacts(
        "AKIA\("X7KQ9VLW2PZRX7KQ") x7Kq9vLw2PzRx7Kq9vLw2PzRx7Kq9vLw2PzRx7Kq",
        butNot: "0123456789 x7Kq"
      ),
    Self(
      "named-key",
      "how providers shape their keys since 2021 (GitHub, *Behind GitHub's new authentication token formats*)"
    )
    .finding("a word with a part such as `sk`, `pat` or `token` before a long drawn one")
    .redacts("acme_sk_x7Kq9vLw2PzRx7Kq9vLw2PzR", butNot: "acme_sk_and_so_on"),
  ]

  private static let other: [Self] = [
    Self("personal-data", "RFC 5322 §3.4.1, ITU-T E.164")
      .finding("e-mail addresses, telephone numbers and names of people, where they are asked for"),
    Self("echo", "error texts, redirects and logs repeat what was sent")
      .finding("what is a secret in one place, wherever it is repeated, in whatever spelling"),
    Self("entropy", "Shannon, *A Mathematical Theory of Communication*, 1948")
      .finding("a word that looks drawn by lot: only a lint tells of it, since most are ids"),
  ]

  /// The table as Markdown.
  public static var table: String {
    func cell(_ text: String) -> String {
      text.replacing("|", with: "\\|").replacing("\n", with: " ⏎ ")
    }
    func code(_ text: String) -> String {
      // What looks like a key is not written in one piece: scanners would take it for one.
      text.isEmpty ? "" : "`\(cell(text.utf8.count > 60 ? "\(text.prefix(24))…" : text))`"
    }
    let rows = all.map {
      "| `\($0.id)` | \(cell($0.finds)) | \(cell($0.reason)) | \(code($0.secret)) | \(code($0.harmless)) |"
    }
    return """
      # What is taken out of recordings

      Each row is one reason why a value becomes `REDACTED-name-1`. `windtunnel cassette review FILE` says
      which of them it was, and `--keep NAME` brings a wrong one back at the next recording.

      | Row | Finds | Reason | Goes | Stays |
      | --- | --- | --- | --- | --- |
      \(rows.joined(separator: "\n"))

      """
  }
}
