import Foundation

@testable import WindTunnel
@testable import WindTunnelRedaction

extension DetectorCostTests {
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
    Shape("web tokens before one dot") { "\(some("-eyJ", $0 / 2))\(some(".a", $0 / 2))" },
    Shape("a web token of three long words") { count in
      [some("-eyJ", count / 3), some("a", count / 3), some("a", count / 3)].joined(separator: ".")
    },
  ]

  /// Values behind a name, in tags and in blocks (`NamedValues`, `CodeText`).
  static let nameds: [Shape] = [
    Shape("names before what ends a sentence") { "\(some("token=", $0 / 2))\(some(".", $0 / 2))" },
    Shape("names before signs") { "\(some("token:", $0 / 2))\(some("!?", $0 / 2))" },
    Shape("names of endings") {
      numbered("hashvaluehash", "saltvalueencodedrawbase64hex=a1\n", $0)
    },
    Shape("names of capitals") { numbered("aB", "aBaBaBaBaBaBaBaBaBaBaBaBaBaBaB=a1\n", $0) },
    Shape("names with accents") { numbered("käöü", "öäüöäüöäüöäüöäü=a1\n", $0) },
    Shape("many secrets") { numbered("token=x7Kq", "\n", $0) },
  ]

  /// Long values under names of each kind (`Judgement`, `Prose`, `TextShape`).
  static let judged: [Shape] = [
    "password", "token", "code", "creditcardnumber", "authorization", "passphrase",
  ]
  .flatMap { name in
    ["a ", "%25", "&#38;", "0", "/", "a.b", "=", "aA1", "a=\\\"b\\\",", "é", "_"].map {
      Shape($0, before: "{\"\(name)\":\"x1", after: "\"}")
    }
  }

  /// Columns and pairs (`Columns`, `Pairs`).
  static let columns: [Shape] = [
    Shape("many secrets of a column") { "password,name\na,b\n\(numbered("x7Kq", ",b\n", $0))" }
  ]

  /// Parts, and what their fields say of them (`Multipart`, `MediaType`).
  static let manyParts: [Shape] = [
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

  /// Secrets that are repeated, nearly or wholly (`KnownValueSearch`, `Edit.between`).
  static let echoes: [Shape] = [
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
    Shape("JSON in strings of JSON", of: 2048) { count in
      let inner = (0..<6).reduce("token=a1b2c3d4") { text, _ in "{\"a\":\"\(JSON.escaped(text))\"}"
      }
      return "[\(some("\(inner),", count))0]"
    },
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
    Shape("many placeholders") { "[\(numbered("\"REDACTED-token-", "\",", $0))0]" },
    Shape("many names") { "[\(numbered("\"REDACTED-a", "-1\",", $0))0]" },
    Shape("many in a text") { numbered("REDACTED-token-", " ", $0) },
    Shape("a long name of many") { count in
      "{\"\(some("a", count / 2))\":[\(numbered("\"REDACTED-token-", "\",", count / 2))0]}"
    },
    Shape("a long name of nothing") { count in
      "{\"\(some("a", count / 2))\":[\"REDACTED-token-1\"\(some(",1", count / 2))]}"
    },
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
