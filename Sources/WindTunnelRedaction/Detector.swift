/// A text without structure of its own, as detectors read it.
struct Passage {
  enum Flavour {
    /// Prose, a log, a file of settings, the words of a command.
    case plain
    /// A page, a script or a style sheet, where only values in quotes count.
    case script
  }

  let bytes: Bytes
  let names: SecretNames
  let flavour: Flavour
}

/// A stretch of a passage that is a secret, or may be one.
struct Finding {
  /// The reason why it may be one.
  enum Evidence {
    /// A name, which is judged together with the value.
    case name(SecretNames.Kind)
    /// Its looks, or the words around it: a row of the table.
    case row(String)
  }

  var range: Range<Int>
  /// The name that it stands under, else its kind, as it stands in a pseudonym.
  var name: String
  var evidence: Evidence

  init(range: Range<Int>, name: String, _ evidence: Evidence) {
    (self.range, self.name, self.evidence) = (range, name, evidence)
  }

  init(range: Range<Int>, name: String, kind: SecretNames.Kind) {
    self.init(range: range, name: name, .name(kind))
  }

  /// A secret that is known by its looks.
  init(_ range: Range<Int>, _ row: String) { self.init(range: range, name: row, .row(row)) }
}

/// One way to find secrets in a passage. It looks at no byte more often than a fixed number of
/// times.
protocol Detector: Sendable {
  /// Returns the secrets in a passage, in their order.
  static func findings(in passage: Passage) -> [Finding]
}

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
  public static let all: [DetectionRow] = named + shaped + keys + other

  private static func row(
    _ id: String,
    _ finds: String,
    _ reason: String,
    _ secret: String = "",
    _ harmless: String = ""
  ) -> DetectionRow {
    DetectionRow(id: id, finds: finds, reason: reason, secret: secret, harmless: harmless)
  }

  private static let named = [
    row(
      "field-name",
      "the value of a name that only secrets have, in some sixty languages, with what is put behind it",
      "RFC 6749 §4.3.2, RFC 8705; names that frameworks use",
      #"{"passwordHash":"x7Kq9vLw"}"#,
      #"{"passwordPolicy":"strict"}"#
    ),
    row(
      "likely-name",
      "the value of a name that others have, too, where it is drawn by lot or a login stands beside it",
      "a currency is a token, a zodiac has signs",
      #"{"token":"x7Kq9vLw2PzR"}"#,
      #"{"token":"ETH"}"#
    ),
    row(
      "told",
      "what `--redact`, `redacting:` or a rule of places names",
      "somebody said so"
    ),
    row(
      "cookie",
      "each value of `Cookie` and `Set-Cookie`",
      "RFC 6265 §8.3",
      "Set-Cookie: sid=x7Kq9vLw2PzR; Path=/",
      #"{"cookie":"chocolate chip"}"#
    ),
    row(
      "credentials",
      "what follows the scheme of `Authorization` and its like, and each part that turns up by itself",
      "RFC 9110 §11.4",
      "Authorization: Token x7Kq9vLw2PzR",
      "WWW-Authenticate: Bearer realm=\"api\""
    ),
    row(
      "header-name",
      "a drawn value of a header field whose name has a word such as `key`, `token` or `signature`",
      "the fields of some sixty providers"
    ),
    row(
      "user-info",
      "user and password of an address",
      "RFC 3986 §3.2.1",
      "postgres://ada:x7Kq9vLw@db.example.test/shop",
      "postgres://db.example.test/shop"
    ),
    row(
      "path-segment",
      "a drawn segment of a path behind one such as `reset` or `invite`",
      "links that are sent by mail",
      "https://a.example.test/reset-password/x7Kq9vLw2PzRx7Kq9vLw",
      "https://a.example.test/reset-password/step-two"
    ),
    row(
      "web-hook",
      "the secret segments of an address that whoever knows may post to",
      "the documentation of Slack, Discord and Teams",
      "https://hooks.slack.com/services/T0/B0/x7Kq9vLw2PzR",
      "https://hooks.example.test/services/list"
    ),
    row(
      "spoken",
      "what a sentence tells or an error repeats",
      "log files and mails",
      "Your password is x7Kq9vLw.",
      "Your password is too short."
    ),
  ]

  private static let shaped = [
    row(
      "basic",
      "what decodes to `user:password`",
      "RFC 7617",
      "sent: Basic YWRhOng3S3E5dkx3",
      "Basic training"
    ),
    row(
      "bearer",
      "a long word with digits behind `Bearer`",
      "RFC 6750 §2.1",
      "sent: Bearer x7Kq9vLw2PzRx7Kq",
      "Bearer of good news"
    ),
    row(
      "jwt",
      "a JSON web token; it still decodes afterwards and keeps its dates",
      "RFC 7519",
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.x7Kq9vLw2PzR",
      "eyJ and so on"
    ),
    row(
      "jwe",
      "an encrypted web token",
      "RFC 7516 §7.1",
      "eyJhbGciOiJkaXIifQ..x7Kq9vLw2PzRx7Kq.x7Kq9vLw2PzRx7Kq9vLw2PzR.x7Kq9vLw2PzR",
      "a.b.c.d.e"
    ),
    row(
      "private-key",
      "what stands between the lines of a private key",
      "RFC 7468 §10",
      "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIx7Kq9vLw2PzRx7Kq9vLw2PzR\n-----END PRIVATE KEY-----",
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----"
    ),
    row(
      "bot-token",
      "the number and the token of a bot",
      "the documentation of its makers",
      "bot 123456789:AA\(String(repeating: "x7K", count: 11))",
      "bot 123456789:AAA"
    ),
    row(
      "discord-token",
      "three parts of which the second has six letters",
      "Discord's documentation",
      "run('MTk4NjIyNDgzNDcxOTI1MjQ4.Gx7Kq9.x7Kq9vLw2PzRx7Kq9vLw2PzRx7Kq')",
      "run('MTk4.Gx7Kq9.x7')"
    ),
    row(
      "mailchimp-key",
      "32 hexadecimal digits and a data centre",
      "Mailchimp's documentation",
      "key: 0a1b2c3d4e5f60718293a4b5c6d7e8f9-us12",
      "region us12"
    ),
    row(
      "azure-secret",
      "40 letters with `Q~` in the fourth place, 84 with `JQQJ` in the middle",
      "Microsoft's documentation",
      "it is x7K8Q~x7Kq9vLw2PzRx7Kq9vLw2PzRx7Kq9vLw2 now",
      "it is x7K8Q now"
    ),
    row(
      "fcm-key",
      "eleven letters, `:APA91b` and 130 letters or more",
      "the documentation of Firebase Cloud Messaging",
      "AAAAx7Kq9vL:APA91b\(String(repeating: "x7Kq9vLw2P", count: 14))",
      "AAAAx7Kq9vL:APA91b"
    ),
    row(
      "bitwarden-token",
      "`0.`, a UUID, 30 letters and a key behind a colon",
      "the documentation of Bitwarden's Secrets Manager",
      "0.1f53950b-305e-55ea-55c3-d113f8367a02.x7Kq9vLw2PzRx7Kq9vLw2PzRx7Kq9v:x7Kq9vLw2PzRx7Kq9vLw2Q==",
      "0.1f53950b-305e-55ea-55c3-d113f8367a02"
    ),
    row(
      "cloud-secret",
      "30 or 40 letters of base64 behind the id of a cloud's key",
      "the consoles of AWS and Alibaba Cloud",
      "AKIA\("X7KQ9VLW2PZRX7KQ") x7Kq9vLw2PzRx7Kq9vLw2PzRx7Kq9vLw2PzRx7Kq",
      "0123456789 x7Kq"
    ),
    row(
      "named-key",
      "a word of which a part says `sk`, `pat`, `token` or the like, and a long one behind is drawn",
      "how providers shape their keys since 2021 (GitHub, *Behind GitHub's new authentication token formats*)",
      "acme_sk_x7Kq9vLw2PzRx7Kq9vLw2PzR",
      "acme_sk_and_so_on"
    ),
  ]

  private static let keys = KnownKey.kinds.map {
    let reason = "the provider's documentation; published rules of scanners"
    return row($0.id, $0.finds, reason, $0.example, $0.mark)
  }

  private static let other = [
    row(
      "personal-data",
      "e-mail addresses, telephone numbers and names of people, where they are asked for",
      "RFC 5322 §3.4.1, ITU-T E.164"
    ),
    row(
      "echo",
      "what is a secret in one place, wherever it is repeated, in whatever spelling",
      "error texts, redirects and logs repeat what was sent"
    ),
    row(
      "entropy",
      "a word that looks drawn by lot: only a lint tells of it, since most are ids",
      "Shannon, *A Mathematical Theory of Communication*, 1948"
    ),
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
