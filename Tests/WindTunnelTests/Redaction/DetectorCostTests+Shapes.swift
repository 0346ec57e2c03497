import Foundation

@testable import WindTunnel
@testable import WindTunnelRedaction

extension DetectorCostTests {
  /// Words of commands, logins and calls without names (`Commands`).
  static let commands: [Shape] = [
    "AUTH ", "AUTH a ", "AUTH '\"", Shape(" ", before: "AUTH a b", after: "c"), "PASS ", "PASS '\"",
    Shape("thin:a/", behind: 160), "define('password',",
    Shape(",", before: "define('password'"), "s:8:\"password\";", "s:8:\"password\";s:99999:\"",
    "s:1:\"", "identified by '", "set_password('", "auth('", "--password ", "--password --", "--a-",
    "::::\n", "mysql -p", Shape("-p ", before: "mysql "), "curl -u 'a:",
  ]

  /// Each row of the table of keys (`KnownKey`): its mark as often as it fits among the letters that may
  /// follow it, so that a key seems to begin at each and to be too long.
  static let knownKeys: [Shape] = KnownKey.all.map { key in
    let mark = String(decoding: key.marks.last ?? [], as: UTF8.self)
    let joint = "_-/.$".first { key.letters.contains($0.asciiValue ?? 0) }.map(String.init) ?? " "
    let piece = mark.utf8.last?.isWord == true ? "\(mark)\(joint)" : mark
    return Shape(piece, behind: key.count.upperBound + 512)
  }

  /// Keys that are known by their middle or their end, pairs of keys, and what follows a scheme
  /// (`Shapes`).
  static let oddKeys: [Shape] = [
    "a.", "a.b.", "M~", "MNO.aaaaaa.", "a_", "acme_sk_", "0a1b2c3d4e5f60718293a4b5c6d7e8f9-us",
    "abc8Q~", "token-a1.", "AKIA0000000000000000 ", Shape("AKIA0000000000000000/", behind: 384),
    "basic YTpi ", Shape(".", before: "Basic "), Shape(".", before: "bearer a"), "bearer a1",
    "eyJhbGciOjF9.e30.", "-eyJhbGciOjF9.e30.", "eyJ.a.a.a.a", "-eyJ.a", Shape("$2a$10$", of: 512),
    "1:AA",
    "-----BEGIN PRIVATE KEY----- \n", Shape(" ", before: key, after: "-----END"),
    Shape("web tokens before one dot") { "\(some("-eyJ", $0 / 2))\(some(".a", $0 / 2))" },
    Shape("a web token of three long words") { count in
      [some("-eyJ", count / 3), some("a", count / 3), some("a", count / 3)].joined(separator: ".")
    },
  ]

  /// Values behind a name, in tags and in blocks (`NamedValues`, `CodeText`).
  static let nameds: [Shape] = [
    Shape("names before what ends a sentence") { "\(some("token=", $0 / 2))\(some(".", $0 / 2))" },
    Shape("names before signs") { "\(some("token:", $0 / 2))\(some("!?", $0 / 2))" },
    Shape("?token=!token=", after: "("), "&amp;token=", "token=>\"", "token: |\n ", "token={a",
    "token=b'", "token=$a", "token=${a}", Shape("Token=A ", of: 512), "token=+", "token=\" ",
    "token=\\\"\\\\",
    "%74oken=", "a b c token=", "mot de passe: ", "token:: ", "password '\"", "password=\"a\\",
    "password \"a1b2c3d4e", "authorization: basic ", "cookie: a=b; ", "set-cookie: a=b,",
    Shape("a:b:c:", before: "<"), "<a:b:password>", "<property name=", "<add key=",
    "<meta content=", "<dt>token</dt>", "<key>token</key><value><", "<password></",
    Shape(" ", before: "<password>", after: "</password>"), "<password>a</password",
    Shape(" ", before: "<password>a", after: "</password>"), "<input a=b a='",
    "<input type=password value='a1b2c3'>",
    Shape("names of endings") {
      numbered("hashvaluehash", "saltvalueencodedrawbase64hex=a1\n", $0)
    },
    Shape("names of capitals") { numbered("aB", "aBaBaBaBaBaBaBaBaBaBaBaBaBaBaB=a1\n", $0) },
    Shape("names with accents") { numbered("käöü", "öäüöäüöäüöäüöäü=a1\n", $0) },
    Shape("many secrets") { numbered("token=x7Kq", "\n", $0) },
  ]

  /// What sentences tell (`SpokenValues`).
  static let told: [Shape] = [
    "password is is ", Shape("is ", before: "password ", after: "("), "password for for ",
    "password for a of b is ", "is pin is ", Shape("<b>", before: "password is "),
    Shape(" ", before: "password is"), "password is '", "verification code ", "pin is 1234 ",
    "password is A@", "token 'x1' ", "a1b2c3d4e5f6a7b8 ", "api key 'x7k2' ", "`a1 ", "password:\n",
    "token “x7k2” ",
  ]

  /// Long values under names of each kind (`Judgement`, `Prose`, `Looks`).
  static let judged: [Shape] = [
    "password", "token", "code", "creditcardnumber", "authorization", "passphrase",
  ]
  .flatMap { name in
    ["a ", "%25", "&#38;", "0", "/", "a.b", "=", "aA1", "a=\\\"b\\\",", "é", "_"].map {
      Shape($0, before: "{\"\(name)\":\"x1", after: "\"}")
    }
  }

  /// Columns and pairs (`Columns`, `Pairs`).
  static let columns: [Shape] =
    [
      Shape(",", before: "password,name\na,b\n", type: "text/csv"),
      Shape("\"", before: "password,name\na,b\n", type: "text/csv"),
      Shape("\n", before: "password,name\na,b\n", type: "text/csv"),
      Shape("\",\n", before: "password,name\na,b\n"),
      Shape("\"a\n", before: "password,name\na,b\n"),
      Shape("a,\"", before: "password,name\na,b\n"),
      Shape(" ", before: "token,a\na,b\n", after: ",b"),
      Shape("a1b2c3d4,b\n", before: "password,name\na,b\n"),
      Shape("\t", before: "token\tname\na\tb\n", type: "text/tab-separated-values"),
      Shape("many secrets of a column") { "password,name\na,b\n\(numbered("x7Kq", ",b\n", $0))" },
    ]
    + ["&", "=", "%3", "token=%", "a[b]=c&", "+", "%25", "a+", "password=%2525", "%E4"].map {
      Shape($0, type: "application/x-www-form-urlencoded")
    }

  /// Parts, and what their fields say of them (`Multipart`, `MediaType`).
  static let manyParts: [Shape] =
    [
      ("--b--", ""), ("--b\r\na", ""), ("a: b\r\n", "--b\r\n"), ("\r\n", "--b"), ("\n", "--b\r\n"),
      ("; name=token", "--b\r\nContent-Disposition: form-data"), ("\r\n\r\n", "--b"),
      ("--b\r\nContent-Disposition: form-data; name=token; filename=x\r\n\r\na\n\r\n", ""),
      ("--b\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=41=\r\n\r\n", ""),
      ("--b\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n", ""),
      ("--b\r\nContent-Type: text/csv\r\n\r\ntoken,b\na1b2,c\n\r\n", ""),
    ].map { Shape($0, before: $1, type: "multipart/form-data; boundary=b") } + [
      Shape("a long boundary", type: { "multipart/mixed; boundary=\(some("a", $0 / 2))b" }) {
        "--\(some("a", $0))b"
      },
      Shape("many parameters", type: { "multipart/mixed\(some("; a=b", $0)); boundary=a" }) { _ in
        "--a\r\n\r\n"
      },
    ]

  /// Other character codings and quoted-printable (`Recoded`, `EscapedText`).
  static let recoded: [Shape] =
    ["=3D", "=\n", "=\r\n", "=3D3D", "=", "token=3D"].flatMap {
      let line = String(repeating: "a", count: 70) + "=\n"
      return [Shape($0, before: line), Shape($0, before: line, type: "message/rfc822")]
    }
    + [("utf-16le", 0), ("utf-16be", 1)].flatMap { charset, first in
      ["token=", "{", "a1"].map { piece in
        let bytes = piece.utf8.flatMap { first == 0 ? [$0, 0] : [0, $0] }
        return Shape("\(charset) \(piece)", bytes: bytes, type: "text/plain; charset=\(charset)")
      }
    }
    + ["shift_jis", "iso-2022-jp", "windows-1252", "utf-32le", "euc-jp"].map {
      Shape($0, bytes: [0xE4] + Array("token=".utf8) + [0], type: "text/plain; charset=\($0)")
    }

  private static let token = Array("etoken".utf8)

  /// Maps, messages and frames of bytes (`BinaryMaps`, `ProtobufMessage`, `GRPCFrames`), and texts among bytes.
  static let binary: [Shape] = {
    let shapes: [(type: String, pieces: [[UInt8]])] = [
      (
        "application/cbor",
        [
          [0xA1] + token + [0x61, 0x61], [0x81], [0xBF], [0x9F], [0x9F, 0xFF], [0x61, 0x61],
          [0x41, 0], [0x60], [0xC0], [1], [0xA1, 0x60, 0x60],
          [UInt8](repeating: 0x81, count: 60) + [0x61, 0x61],
          Array([[UInt8]](repeating: [0xA1] + token, count: 60).joined()) + [0x61, 0x61],
          [0xA1] + token + [0x68] + Array("a1b2c3d4".utf8),
        ]
      ),
      (
        "application/msgpack",
        [
          [0x81, 0xA1, 0x61, 0xA1, 0x61], [0x91], [0xA1, 0x61], [0xC7, 0, 1], [0xC4, 1, 0], [0xC0],
          [0xDC, 0, 1], [0xA0], [UInt8](repeating: 0x91, count: 60) + [0xA0],
          [0x81, 0xA5] + token.dropFirst() + [0xA8] + Array("a1b2c3d4".utf8),
        ]
      ),
      (
        "application/protobuf",
        [
          [0x0A, 0], [0x0A, 2, 0x0A, 0], [0x0A, 1, 0x61], [8, 1], [0xFF], [13, 0, 0, 0, 0],
          [8] + [UInt8](repeating: 0xFF, count: 9) + [1], [0x0A, 2, 0xFF, 0],
          [0x0A, 16, 0x0A, 5] + token.dropFirst() + [0x12, 7] + Array("a1b2c3d".utf8),
          (0..<40).reduce([8, 1]) { message, _ in [0x0A, UInt8(message.count)] + message },
        ]
      ),
      (
        "application/grpc",
        [
          [0, 0, 0, 0, 0], [0x80, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 2, 0x0A, 0],
          [0x80, 0, 0, 0, 12] + Array("token:a1b2c3".utf8),
        ]
      ),
      (
        "application/grpc-web-text",
        ["AAAAAAA=", "AAAAAAAA", "=", "QQ==", "A=", "gAAAAAA="].map { Array($0.utf8) }
      ),
      (
        "application/octet-stream",
        [
          "token\0a1b2c3d4\0", "token=a1\0", "password\u{1}a1b2c3\u{1}\0", "token=\0", "a\0",
          key + "\0",
        ]
        .map { Array($0.utf8) }
      ),
    ]
    return shapes.flatMap { type, pieces in
      pieces.map { piece in
        let digits = piece.prefix(16).map { String($0, radix: 16) }.joined(separator: " ")
        return Shape("\(type) \(digits)", bytes: piece, type: type)
      }
    }
  }()

  /// What 20 000 and 100 000 bytes are in deflate.
  private static let deflated = [
    "eNrtwzENAAAMAyArtdb5F1EZeyChuVRVVVVVVVVVVVVVVVVVVVVVVVXV9wOqY8O2",
    "eNrtwzENAAAMAyArtdb5F1EbOyChuVRVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVV"
      + "VVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVV9eXMp0rc=",
  ]

  /// Base64 in lines and in words (`EncodedRun`).
  static let runs: [Shape] = [
    "\(some("aGVsbG8gd29y", 76))\n", "\(some("aGVsbG8gd29y", 40))\n",
    "\(some("aGVsbG8gd29y", 60))\r\n    ", "\(some("aG8g", 40))\n\(some("aG8g", 36))\n", "7 ",
    "7365 ", "A", "aaaa/", "/aGVsbG8gd29ybGQh",
    "oaGhoaGhoaGhoaGhoaGhoaGhoaGh ", "gYGBgYGBgYGBgYGBgYGBgYGBgYGB ", "\(deflated[0]) ",
    "\(deflated[1]) ",
    Shape(
      "\((0..<6).reduce("token=a1b2c3d4 ") { text, _ in Data("\(text) ".utf8).base64EncodedString() }) "
    ),
  ]

  /// Texts that are spelled once more and once more again (`EscapedText`, `Redaction+Text`).
  static let spelled: [Shape] = [
    Shape("%2525252525253D", before: "{\"a\":\"", after: "\"}"),
    Shape("&quot;&amp;quot;&amp;amp;quot;&amp;amp;amp;quot;", before: "{\"a\":\"", after: "\"}"),
    Shape(#"\\\"\\\\\\\"\\\\\\\\\\\\\\\"#, before: "{\"a\":\"", after: "\"}"),
    Shape(
      #"%25252525253D&quot;&amp;quot;&amp;amp;quot;&amp;amp;amp;quot;\\\"\\\\\\\"\\\\\\\\\\\\\\\""#,
      before: "{\"a\":\"",
      after: "\"}"
    ),
    "=\n", "=3D", "\\u0041", "&#x", "&#1;", "&amp", "%2B+", "a%3D ", "a%3D%2525", "a://b;c=",
    "a%3D\"\"", "\\x4", "\(some("a", 40))\n", "\(some("a", 40))\n  >",
  ]

  /// Secrets that are repeated, nearly or wholly (`KnownValueSearch`, `Edit.between`).
  static let echoes: [Shape] = [
    Shape("a1b2c3d4e", before: "{\"token\":\"a1b2c3d4e5\",\"b\":\"", after: "\"}"),
    Shape("a1b2%63", before: "{\"token\":\"a1b2c3d4e5\",\"b\":\"", after: "\"}"),
    Shape("a1b2c3d4e5 ", before: "{\"token\":\"a1b2c3d4e5\",\"b\":\"", after: "\"}"),
    Shape(
      "a1b2c3d4e5\\n%41\\u0041&amp;",
      before: "{\"token\":\"a1b2c3d4e5\",\"b\":\"",
      after: "\"}"
    ),
    Shape("REDACTED-redacted1-a", before: "{\"token\":\"redacted1-a2\",\"b\":\"", after: "\"}"),
    Shape("pass-", before: "{\"password\":\"pass\",\"b\":\"", after: "\"}"),
    Shape(
      "password.",
      before: "[{\"password\":\"pass\"},{\"password\":\"password\"},\"",
      after: "\"]"
    ),
    Shape("many secrets and their echoes") { count in
      let secrets = numbered("{\"token\":\"x7Kq", "vLw\"},", count / 2)
      return "[\(secrets)\"\(numbered("x7Kq", "vLw\\n", count / 2))\"]"
    },
    Shape("many cookies") { "{\"cookie\":\"\(numbered("c=x7Kq", "; ", $0))\"}" },
    Shape("a string of many secrets") { "{\"a\":\"\(numbered("token=x7Kq", " \\u0041 ", $0))\"}" },
  ]

  /// The walk through JSON (`Redaction+JSON`).
  static let walked: [Shape] = [
    Shape("a long name of many secrets") { count in
      "{\"\(some("a", count / 2))password\":[\(numbered("\"x7Kq", "\",", count / 2))0]}"
    },
    Shape("a long name of many numbers") { count in
      "{\"\(some("a", count / 2))password\":[\(numbered("", ",", count / 2))0]}"
    },
    Shape("a long name of an object") { count in
      "{\"\(some("a", count / 2))password\":{\(numbered("\"b\":\"x7Kq", "\",", count / 2))\"c\":0}}"
    },
    Shape("a long name beside its value") { count in
      "{\"name\":\"\(some("a", count / 2))\",\(some("\"value\":1,", count / 2))\"a\":0}"
    },
    Shape("a long name in a pair") { count in
      "[[\"\(some("a", count / 2))password\",[\(numbered("\"x7Kq", "\",", count / 2))0]]]"
    },
    Shape("flags") { "[\(numbered("\"--password\",\"x7Kq", "\",", $0))0]" },
    Shape(
      "{\"password\":\(some("[", 200))\"x7Kq9vLw\"\(some("]", 200))},",
      before: "[",
      after: "0]"
    ),
    Shape("\(some("{\"a\":", 1000))\"x7Kq9vLw\"\(some("}", 200)),", before: "[", after: "0]"),
    Shape("\(some("[\"a\",", 1000))\"x7Kq9vLw\"\(some("]", 200)),", before: "[", after: "0]"),
    Shape("members of a key") { "{\"kty\":\"a\",\(numbered("\"d\":\"x7Kq", "\",", $0))\"a\":0}" },
    Shape("members of a schema") { count in
      "{\"password\":{\"type\":\"string\",\(numbered("\"a", "\":\"string\",", count))\"a\":0}}"
    },
    Shape("secret members") { "{\(numbered("\"password", "\":\"x7Kq\",", $0))\"a\":0}" },
    Shape("endings of members") { count in
      "{\(numbered("\"hashvaluehash", "saltvalueencodedrawbase64hex\":\"a1\",", count))\"a\":0}"
    },
    Shape("lines of JSON") { numbered("{\"a\":\"token=x7Kq", "\"}\n", $0) },
    "{\"a\":[{\"token\":\"x7Kq\"\n", "data:{\"a\":\"b\"}\ndata:x\n",
    Shape("JSON in strings of JSON", of: 2048) { count in
      let inner = (0..<6).reduce("token=a1b2c3d4") { text, _ in "{\"a\":\"\(JSON.escaped(text))\"}"
      }
      return "[\(some("\(inner),", count))0]"
    },
  ]

  /// What is put into places other than a body.
  static let elsewhere: [Shape] = [
    "token=", Shape("token=!token=", after: "("), Shape("://a:", of: 512), "%25", "eyJ-",
    "password is ", "a=b; ",
    "a=b, ", Shape("/token", of: 512), "%3D%25", "a1b2c3d4e5f6a7b8.", "\\\"token\\\":\\\"",
    Shape("fm2_", behind: 1400), Shape("&quot;", of: 512), "/", "AUTH \"a ", "&code=a",
    "Bearer a1b2c3d4e5f6a7b8c9 ", "a1=\"b2\",",
  ]

  /// What a lint notes, and what it looks it up in (`RedactionLog`).
  static let linted: [Shape] = [
    Shape(
      "parts of many boundaries",
      type: { _ in "multipart/mixed; boundary=b" },
      of: 1200,
      behind: 8400
    ) {
      count in
      let word = "kJ8sWq2ZpT5vXr9LmB3nHc7YdF"
      return (0..<count / 120).map {
        "--b\r\nContent-Type: multipart/mixed; boundary=c\($0)\r\n\r\n--c\($0)\r\n\r\n\(word)\($0)\r\n"
      }.joined()
    },
    Shape("drawn words") { numbered("kJ8sWq2ZpT5vXr9LmB3nHc7Yd", " ", $0) },
    Shape("many secrets") { numbered("token=x7Kq", "\n", $0) },
    Shape("a long name of many texts") { count in
      "{\"\(some("a", count / 2))\":[\(numbered("\"token=x7Kq", "\",", count / 2))0]}"
    },
  ]

  /// Placeholders, and what looks like one (`CassetteReview`, `PseudonymText`, `RedactedText`).
  static let reviewed: [Shape] = [
    Shape("\"REDACTED-token-1\",", before: "[", after: "0]"), "REDACTED-token-1 ",
    Shape("many placeholders") { "[\(numbered("\"REDACTED-token-", "\",", $0))0]" },
    Shape("many names") { "[\(numbered("\"REDACTED-a", "-1\",", $0))0]" },
    Shape("many in a text") { numbered("REDACTED-token-", " ", $0) },
    Shape("a long name of many") { count in
      "{\"\(some("a", count / 2))\":[\(numbered("\"REDACTED-token-", "\",", count / 2))0]}"
    },
    Shape("a long name of nothing") { count in
      "{\"\(some("a", count / 2))\":[\"REDACTED-token-1\"\(some(",1", count / 2))]}"
    },
    Shape("\"UkVEQUNURUQtdG9rZW4tMSAg\",", before: "[", after: "0]"), "UkVEQUNURUQt",
    Shape("\(some("[", 200))\"REDACTED-a-1\"\(some("]", 200)),", before: "[", after: "0]"),
    Shape("eyJ-.", before: "REDACTED-a-1 "), Shape("-1-", before: "REDACTED-"),
    "eyJ.a.REDACTED-a-1.", "REDACTED-a",
  ]

  /// So many bytes of one piece.
  static func some(_ piece: String, _ count: Int) -> String {
    String(repeating: piece, count: count / piece.utf8.count)
  }

  /// About so many bytes of pieces that differ by a number.
  static func numbered(_ beginning: String, _ end: String, _ count: Int) -> String {
    let bytes = beginning.utf8.count + 8 + end.utf8.count
    return (0..<count / bytes).map { "\(beginning)\(10_000_000 + $0)\(end)" }.joined()
  }
}
