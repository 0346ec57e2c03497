import Foundation
import Mutations
import TestSupport
import Testing

@testable import WindTunnel
@testable import WindTunnelHTTP
@testable import WindTunnelRedaction

/// Texts that nobody has taken apart: of code, pages and prose nothing goes but values.
@Suite struct FreeTextTests {
  private static func kept(_ text: String, _ type: String) -> String? {
    var redaction = Redaction(continuing: [])
    let response = Response(headers: ["Content-Type": type], body: Body(text))
    let kept = redaction.redact([Interaction(Request("GET", "/"), response)])
    return kept.first?.response?.body.text
  }

  static let types = [
    "text/plain", "text/javascript", "text/html; charset=utf-8", "application/octet-stream",
  ]

  @Test(arguments: [
    "ok test_returns_404_for_a_missing_user\n", "a=o.shouldComponentUpdateWithContext(b);c()",
    "play lip_sync_animation_v2_final.mp4\n", "0.1f53950b-305e-55ea-55c3-d113f8367a02 is up\n",
  ])
  func `names in code and logs that begin like a key stay`(text: String) {
    for type in Self.types { expectEqual(Self.kept(text, type), text, "\(type)") }
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
        Self.kept(text, "text/plain"),
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
      let kept = try #require(Self.kept(text, type))
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
    for (text, kept) in rows { expectEqual(Self.kept(text, "text/plain"), kept) }
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
    expectEqual(Self.kept(inLines, "text/plain"), inLines)
    // Names and keys in lines of one length are no base64.
    let tokens = (0..<3).map { _ in "the-service-of-all-our-payments/ghp_\(some(36))" }
    let kept = Self.kept(tokens.joined(separator: lineBreak), "text/plain") ?? ""
    for token in tokens { #expect(!kept.contains(token.suffix(36))) }
    // One key a line is a list of them.
    let keys = (0..<8).map { _ in "00\(some(40))" }
    expectEqual(
      Self.kept(keys.joined(separator: lineBreak), "text/plain"),
      (1...8).map { "REDACTED-okta-token-\($0)" }.joined(separator: lineBreak)
    )
  }

  @Test(arguments: [#"{"passwords":{"b":"Birnbaum"}}"#, #"{"password":{"":"Hunterxyz"}}"#])
  func `a password that begins with the name of its member goes`(text: String) throws {
    #expect(try #require(Self.kept(text, "application/json")).contains("REDACTED-"))
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

  @Test(arguments: [
    "function api(token) {\n  var url = \"/api?access_token=\" + token;\n  return fetch(url);\n}\n",
    "See <token> in the docs.\nThe next line stays.\n",
    "List<Token> tokens = new ArrayList<Token>();\nint x = 1;\n",
    "Map<String, Password> m;\nreturn m;", "x = \"password=\" + pw + \"&a=1\";\nmore();",
    "url += \"?access_token=\" + token;\nfoo();\n", "curl \"https://a/?token=$TOKEN\" -d x\nmore",
    "`https://a/?token=${token}&b=1`\nmore", "fetch(`/u?key=${k}`);\nmore",
    "var u=\"/x?token=\"+encodeURIComponent(t)+\"&k=v\";\nmore",
    "<p>Your <password> here</p>\n<p>more</p>", "if (a<token && b>c) {go();} return 1;",
    "<session>\n  <title>Keynote</title>\n  <room>5</room>\n</session>", "<token/>\nrest",
    "<input name=\"token\" />rest", "<input type=\"password\" name=\"password\" value=\"\">rest",
    "document.cookie='session='+id+';path=/';more()", "a('x; session='+id); f('more')",
    "mutation($password:String!){login(password:$password){token}}",
    "mutation($password: String!) { login(password: $password) { token } }",
    "{\"re\":\"/password=([^&]*)/\"}", "function f(token=null,x=1){return x}",
    "// password: see wiki\ncode();", "\"password\":\n", "password=\nnext=1", "password:",
    "let o = {password: user.password, token: this.token};\nmore()",
    "login(password=password, token=self.token)\nmore()", "token = getToken();\nmore()",
    "token = prefix + other;\nmore()", "password: \"${PASSWORD}\"\nmore: 1",
    "<token>{{ token }}</token>more", "printf(\"password=%s\", x);\nmore()",
  ])
  func `code, markup and prose stay to the byte`(text: String) {
    for type in Self.types { expectEqual(Self.kept(text, type), text, "\(type)") }
  }

  @Test(arguments: [
    ("login(password=hunter22, x=1)\nmore", "login(password=*password-1, x=1)\nmore"),
    ("password = hunter22\nmore", "password = *password-1\nmore"),
    ("password: hunter22\nmore", "password: *password-1\nmore"),
    ("password='hunter 22' x", "password='*password-1' x"),
    ("{\"password\": \"a\\\"b c1\", \"na", "{\"password\": \"*password-1\", \"na"),
    ("{\"id\": 7, \"password\": \"cut of", "{\"id\": 7, \"password\": \"*password-1"),
    ("don't set password='x1yz' here, don't", "don't set password='*password-1' here, don't"),
    ("<t:token>abc1</t:token> rest", "<t:token>*token-1</t:token> rest"),
    ("<token>\n  abc1\n</token> rest", "<token>\n  *token-1\n</token> rest"),
    (
      "<t:token><![CDATA[a1>b2&c3x4y5z6]]></t:token>rest",
      "<t:token><![CDATA[*token-1]]></t:token>rest"
    ),
    ("See /a?token=abc123#part and <b>more</b>", "See /a?token=*token-1#part and <b>more</b>"),
    (
      "Go to https://a.example/?token=abc1&x=1, or not.",
      "Go to https://a.example/?token=*token-1&x=1, or not."
    ),
    ("Server=x;Password=hunter;Port=1", "Server=x;Password=*password-1;Port=1"),
    (
      "{ login(user:\"joe\", password:\"abc1\") { token } }",
      "{ login(user:\"joe\", password:\"*password-1\") { token } }"
    ),
    ("Authorization: Token abcdef123 and more", "Authorization: Token *authorization-1 and more"),
    ("error: invalid password \"hunter22\" given", "error: invalid password \"*password-1\" given"),
    (
      "curl -u joe:hunter22 -H 'Authorization: Token abc123' x",
      "curl -u joe:*password-1 -H 'Authorization: Token *authorization-1' x"
    ),
    (
      "<key>password</key>\n  <string>abc1</string>rest",
      "<key>password</key>\n  <string>*password-1</string>rest"
    ),
    (
      "<name>password</name><value><string>abc1</string></value>rest",
      "<name>password</name><value><string>*password-1</string></value>rest"
    ),
    (
      "data: {\"token\":\ndata: \"abc1\"}\n\ndata: end\n\n",
      "data: {\"token\":\ndata: \"*token-1\"}\n\ndata: end\n\n"
    ),
    (
      "[[\"password\",\"abc1\"],[\"user\",\"joe\"]]",
      "[[\"password\",\"*password-1\"],[\"user\",\"joe\"]]"
    ),
  ])
  func `a value goes up to where it ends`(text: String, expected: String) {
    let expected = expected.replacing("*", with: "REDACTED-")
    expectEqual(Self.kept(text, "text/plain"), expected)
  }

  @Test(arguments: [
    (
      "<input name=\"authenticity_token\" type=hidden value=\"abc1\"> x",
      "<input name=\"authenticity_token\" type=hidden value=\"*authenticity-token-1\"> x"
    ),
    ("<input type=password value=abc1> x", "<input type=password value=*password-1> x"),
    (
      "<meta name=\"csrf-token\" content=\"abc1\"> x",
      "<meta name=\"csrf-token\" content=\"*csrf-token-1\"> x"
    ),
    (
      "<meta content='abc1' name='csrf-token'> x",
      "<meta content='*csrf-token-1' name='csrf-token'> x"
    ),
    ("<meta name=\"title\" content=\"token\"> x", "<meta name=\"title\" content=\"token\"> x"),
    ("<a href=\"?token=abc123def&x=1\">x</a>", "<a href=\"?token=*token-1&x=1\">x</a>"),
    (
      "<script>window.apiKey = \"abc1\";</script>",
      "<script>window.apiKey = \"*window-apikey-1\";</script>"
    ),
  ])
  func `fields of a page lose their secrets`(text: String, expected: String) {
    let expected = expected.replacing("*", with: "REDACTED-")
    expectEqual(Self.kept(text, "text/html"), expected)
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
      let kept = try #require(Self.kept(body, "text/plain"))
      #expect(!kept.contains(words[1]))
      let rest = kept.replacing(/REDACTED-[a-z-]+-1/, with: "*")
      expectEqual(rest, body.replacing(words[1], with: "*"))
      let lint = CassetteLint(Cassette([.init(Request("GET", "/"), .text(Body(body)))]))
      expectEqual(lint.leaks.count, 1)
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
      var redaction = Redaction(continuing: [])
      let kept = redaction.redact([Interaction(Request("GET", RequestURL(url)), Response())])
      expectEqual(kept.first?.request.url.description, expected)
      expectEqual(Self.kept("See \(url) here", "text/plain"), "See \(expected) here")
    }
  }
}
