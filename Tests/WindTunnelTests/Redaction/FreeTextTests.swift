import Mutations
import TestSupport

@testable import WindTunnel

/// Texts that nobody has taken apart: of code, pages and prose nothing goes but values.
@Suite struct FreeTextTests {
  static let types = [
    "text/plain", "text/javascript", "text/html; charset=utf-8", "application/octet-stream",
  ]

  @Test(arguments: [
    "ok test_returns_404_for_a_missing_user\n", "a=o.shouldComponentUpdateWithContext(b);c()",
    "play lip_sync_animation_v2_final.mp4\n", "0.1f53950b-305e-55ea-55c3-d113f8367a02 is up\n",
  ])
  func `names in code and logs that begin like a key stay`(text: String) {
    for type in Self.types { expectEqual(keptText(text, type), text, "\(type)") }
  }

  @Test func `what stands around a key stays`() {
    let (drawn, machine) = (
      String(repeating: "x7Kq9vLw2P", count: 14), "x7Kq9vLw2PzRx7Kq9vLw2PzRx7Kq9v"
    )
    let account = "0.1f53950b-305e-55ea-55c3-d113f8367a02.\(machine)"
    let rows = [
      ("ask for\nAAAAx7Kq9vL:APA91b\(drawn) é", "ask for\n*fcm-key-1 é"),
      ("it is é:APA91b\(drawn)", "it is é:APA91b\(drawn)"),
      ("use '\(account)', and", "use '*bitwarden-token-1', and"),
      ("use \(account) and more", "use *bitwarden-token-1 and more"),
    ]
    for (text, kept) in rows {
      expectEqual(
        keptText(text, "text/plain"),
        kept.replacing("*", with: "REDACTED-"),
        "\(text.prefix(20))"
      )
    }
  }

  @Test(arguments: [
    "[client]\nqr=/a?text=otpauth%3A%2F%2Ftotp%2FA%3Fsecret%3DJBSWY3DPEHPK3PXPX7Q2\n",
    "{% extends %}\nqr=/a?text=otpauth%3A%2F%2Ftotp%2FA%3Fsecret%3DJBSWY3DPEHPK3PXPX7Q2\n",
    "{\"a\":1}\n/qr?text=otpauth%3A%2F%2Ftotp%2FA%3Fsecret%3DJBSWY3DPEHPK3PXPX7Q2\n",
  ])
  func `pairs that are escaped once more are read wherever no JSON is`(text: String) throws {
    for type in Self.types {
      let kept = try #require(keptText(text, type))
      #expect(!kept.contains("JBSWY3DPEHPK3PXPX7Q2"), "\(type)")
      #expect(kept.hasPrefix(text.prefix(8)), "\(type)")
    }
  }

  @Test func `parameters of an address behind semicolons are no user`() throws {
    let rows = [
      (
        "jdbc:sqlserver://db.example.test:1433;user=web;password=Mul@de34xx;encrypt=true",
        "jdbc:sqlserver://db.example.test:1433;user=web;password=REDACTED-password-1;encrypt=true"
      ),
      (
        "https://ada:x7Kq;v=9vLw2P@api.example.test/a",
        "https://REDACTED-userinfo-1@api.example.test/a"
      ),
    ]
    for (text, kept) in rows { expectEqual(keptText(text, "text/plain"), kept) }
  }

  @Test(arguments: ["\n", "\r\n"])
  func `base64 in lines holds no key by chance`(lineBreak: String) {
    var draw = Generator(seed: 18)
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    func some(_ count: Int) -> String {
      String((0..<count).map { _ in letters[Int.random(in: letters.indices, using: &draw)] })
    }
    let key = "00\(some(40))"
    let inLines = [some(76), some(76), "\(some(10))/\(key)/\(some(22))", some(76), some(31)]
      .joined(separator: lineBreak)
    expectEqual(keptText(inLines, "text/plain"), inLines)
    // Names and keys in lines of one length are no base64.
    let tokens = (0..<3).map { _ in "the-service-of-all-our-payments/ghp_\(some(36))" }
    let kept = keptText(tokens.joined(separator: lineBreak), "text/plain") ?? ""
    for token in tokens { #expect(!kept.contains(token.suffix(36))) }
    // One key a line is a list of them.
    let keys = (0..<8).map { _ in "00\(some(40))" }
    expectEqual(
      keptText(keys.joined(separator: lineBreak), "text/plain"),
      (1...8).map { "REDACTED-okta-token-\($0)" }.joined(separator: lineBreak)
    )
  }

  @Test(arguments: [#"{"passwords":{"b":"Birnbaum"}}"#, #"{"password":{"":"Hunterxyz"}}"#])
  func `a password that begins with the name of its member goes`(text: String) throws {
    #expect(try #require(keptText(text, "application/json")).contains("REDACTED-"))
  }

  @Test(arguments: ["/", "+", "-"])
  func `letters of base64 that look like a key are none`(joint: String) {
    var draw = Generator(seed: 17)
    func some(_ count: Int) -> String {
      let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
      return String((0..<count).map { _ in letters[Int.random(in: letters.indices, using: &draw)] })
    }
    let key = "00\(some(40))"
    let text = "\(some(300))\(joint)\(key)\(joint)\(some(300))"
    for body in [text, "{\"image\":\"\(text)\"}"] {
      let cassette = Cassette([Interaction(Request("GET", "/"), .text(Body(body)))])
      expectEqual(cassette.redacted().cassette, cassette)
    }
    // Alone it is one, and in a path.
    for body in [key, "https://api.example.test/\(key)/a"] {
      let cassette = Cassette([Interaction(Request("GET", "/"), .text(Body(body)))])
      #expect(cassette.redacted().cassette != cassette)
    }
  }

  @Test(arguments: try DataFiles.redactions("code", count: 33))
  func `code, markup and prose stay to the byte`(text: String, kept: String) {
    for type in Self.types { expectEqual(keptText(text, type), kept, "\(type)") }
  }

  /// A table of texts, the number of its rows and their type: behind names, in pages, beside
  /// harmless text, and in pairs with any labels.
  @Test(arguments: [
    ("values", 23, "text/plain"), ("pages", 15, "text/html"), ("harmful", 14, "application/json"),
    ("labels", 5, "application/json"),
  ])
  func `a value is redacted to its end, and the text around it stays`(
    table: String,
    count: Int,
    type: String
  ) throws {
    for (text, expected) in try DataFiles.redactions(table, count: count) {
      expectEqual(keptText(text, type), expected.replacing("*", with: "REDACTED-"), "\(table)")
    }
  }

  @Test(arguments: [
    "sg-key " + "SG." + String(repeating: "aB3_", count: 5) + "ab."
      + String(repeating: "aB3-", count: 10) + "abc",
    "shop " + "shpat" + "_" + String(repeating: "0a1b", count: 8),
    "ocean " + "dop_v1" + "_" + String(repeating: "0a1b", count: 16),
    "index " + "pypi" + "-" + String(repeating: "AgEI", count: 16),
    "sms " + "SK" + String(repeating: "0a1b", count: 8),
    "bot " + "123456789" + ":AA" + String(repeating: "xY3", count: 11),
  ])
  func `a key is known by its looks`(text: String) throws {
    let words = text.split(separator: " ")
    for body in ["\(words[1]) is it", "{\"a\":\"\(words[1])\"}", "<p>\(words[1])</p>"] {
      let kept = try #require(keptText(body, "text/plain"))
      #expect(!kept.contains(words[1]))
      let rest = kept.replacing(/REDACTED-[a-z-]+-1/, with: "*")
      expectEqual(rest, body.replacing(words[1], with: "*"))
      expectEqual(leaks(in: Body(body)).count, 1)
    }
  }

  @Test func `a hook and a bot in an address lose their secrets`() {
    let bot = "123456789" + ":AA" + String(repeating: "xY3", count: 11)
    for (url, expected) in [
      (
        "https://hooks.slack.com/services/T0/B0/abcDEF",
        "https://hooks.slack.com/services/T0/B0/REDACTED-slack-hook-1"
      ),
      ("https://a.example/bot\(bot)/getMe", "https://a.example/botREDACTED-bot-token-1/getMe"),
      (
        "https://a.example/reset-password/abcdefgh12345678/x",
        "https://a.example/reset-password/REDACTED-reset-password-1/x"
      ),
      (
        "https://a.example/session/new-in-2026-and-on",
        "https://a.example/session/new-in-2026-and-on"
      ),
    ] {
      let kept = redacted(Interaction(Request("GET", RequestURL(url)), Response()))
      expectEqual(kept.first?.request.url.description, expected)
      expectEqual(keptText("See \(url) here", "text/plain"), "See \(expected) here")
    }
  }
}
