internal import Foundation
internal import WindTunnel

/// How the cases are made. The mark `§` in an address, a field or a text stands for the secret, which
/// a pattern draws: `dop_{h64}` is `dop_` and 64 hexadecimal digits.
extension HardSecret {
  /// The letters that a pattern's group names.
  private static let alphabets: [Character: String] = [
    "m": Lot.mixed, "h": Lot.hexadecimal, "H": "0123456789ABCDEF", "d": Lot.digits,
    "a": Lot.small + Lot.digits, "A": Lot.capitals + Lot.digits, "u": Lot.mixed + "-_",
    "b": Lot.mixed + "+/", "l": Lot.small + Lot.capitals, "s": Lot.small, "c": Lot.capitals,
    "q": Lot.capitals + "234567", "x": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "o": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
  ]

  /// The text of a pattern, and what of it is looked for: all of it, or its longest drawn group where
  /// there are several or much of it is the mark of its kind.
  static func drawn(_ pattern: String, _ seed: UInt64) -> (text: String, needle: String) {
    let parts = pattern.split(separator: "{", omittingEmptySubsequences: false)
    var text = String(parts[0])
    var groups: [String] = []
    for part in parts.dropFirst() {
      let halves = part.split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
      let letters = alphabets[halves[0].first ?? "m"] ?? Lot.mixed
      let count = Int(halves[0].dropFirst()) ?? 0
      let group = Lot.draw(seed + UInt64(groups.count), count, of: letters)
      groups.append(group)
      text += group + (halves.count > 1 ? String(halves[1]) : "")
    }
    guard groups.count > 1 || (groups.count == 1 && parts[0].count >= 8) else {
      return (text, text)
    }
    return (text, groups.max { $0.count < $1.count } ?? text)
  }

  /// Puts a secret where its mark stands, and what stands between `⟦` and `⟧` into base64, between
  /// `⟪` and `⟫` into base64 of a form; `¶` is what scanners of this source look for.
  static func filled(_ text: String, _ secret: String) -> String {
    var text = text.replacing("§", with: secret).replacing("¶", with: "PRIVATE KEY")
    while let start = text.firstIndex(where: { $0 == "⟦" || $0 == "⟪" }),
      let end = text[start...].firstIndex(where: { $0 == "⟧" || $0 == "⟫" })
    {
      var coded = Coder.base64(String(text[text.index(after: start)..<end]))
      if text[start] == "⟪" {
        coded = coded.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? coded
      }
      text.replaceSubrange(start...end, with: coded)
    }
    return text
  }

  private static func address(_ url: String) -> String {
    url.hasPrefix("/") ? "https://api.example.test" + url : url
  }

  /// An answer of text, of which a request of the same address asked.
  static func told(
    _ seed: UInt64,
    _ title: String,
    _ url: String,
    _ type: String,
    _ text: String,
    _ pattern: String = "{m24}",
    _ headers: KeyValuePairs<String, String> = [:],
    status: Int = 200
  ) -> HardSecret {
    one(seed, title, "GET", url, headers, pattern, status: status, answer: (type, text))
  }

  /// A text that was sent.
  static func sent(
    _ seed: UInt64,
    _ title: String,
    _ url: String,
    _ type: String,
    _ text: String,
    _ pattern: String = "{m24}",
    _ headers: KeyValuePairs<String, String> = [:],
    answer: String = #"{"status":"ok"}"#
  ) -> HardSecret {
    one(
      seed,
      title,
      "POST",
      url,
      headers,
      pattern,
      body: (type, text),
      answer: ("application/json", answer)
    )
  }

  /// A request whose address or field holds it, and the answer.
  static func asked(
    _ seed: UInt64,
    _ title: String,
    _ url: String,
    _ headers: KeyValuePairs<String, String> = [:],
    _ pattern: String = "{m24}",
    answer: String = #"{"items":[],"total":0}"#,
    type: String = "application/json",
    answerHeaders: KeyValuePairs<String, String> = [:],
    status: Int = 200
  ) -> HardSecret {
    one(
      seed,
      title,
      "GET",
      url,
      headers,
      pattern,
      status: status,
      answerHeaders: answerHeaders,
      answer: (type, answer)
    )
  }

  /// Bytes that hide it, in an answer; or in what was sent. Where letters of the text can be read as
  /// the secret's, these are looked for, too.
  static func coded(
    _ seed: UInt64,
    _ title: String,
    _ url: String,
    _ type: String,
    _ pattern: String = "{m24}",
    _ headers: KeyValuePairs<String, String> = [:],
    isSent: Bool = false,
    status: Int = 200,
    answerHeaders: HeaderFields = [:],
    _ bytes: (String) -> [UInt8]
  ) -> HardSecret {
    let (secret, needle) = drawn(pattern, seed)
    var fields = fields(headers, secret)
    if isSent { fields.append("Content-Type", type) }
    let body = Body(Data(bytes(secret)))
    let interaction = Lot.exchange(
      isSent ? "POST" : "GET",
      address(filled(url, secret)),
      fields,
      isSent ? body : .empty,
      status: isSent ? 204 : status,
      answer: isSent ? .empty : body,
      type: isSent ? nil : type,
      answerHeaders: answerHeaders
    )
    let seen = Coder.spellings(secret, in: String(decoding: body.data, as: UTF8.self))
    return HardSecret("", title, [needle] + seen, [interaction])
  }

  private static func one(
    _ seed: UInt64,
    _ title: String,
    _ method: String,
    _ url: String,
    _ headers: KeyValuePairs<String, String>,
    _ pattern: String,
    body: (type: String, text: String)? = nil,
    status: Int = 200,
    answerHeaders: KeyValuePairs<String, String> = [:],
    answer: (type: String, text: String)
  ) -> HardSecret {
    let (secret, needle) = drawn(pattern, seed)
    var fields = fields(headers, secret)
    if let body { fields.append("Content-Type", body.type) }
    let interaction = Lot.exchange(
      method,
      address(filled(url, secret)),
      fields,
      Body(filled(body?.text ?? "", secret)),
      status: status,
      answer: Body(filled(answer.text, secret)),
      type: answer.type,
      answerHeaders: Self.fields(answerHeaders, secret)
    )
    return HardSecret("", title, [needle], [interaction])
  }

  private static func fields(
    _ headers: KeyValuePairs<String, String>,
    _ secret: String
  ) -> HeaderFields {
    var fields: HeaderFields = [:]
    for (name, value) in headers { fields.append(name, filled(value, secret)) }
    return fields
  }

  /// Cases of one kind.
  static func of(_ kind: String, _ cases: [HardSecret]) -> [HardSecret] {
    cases.map { HardSecret(kind, $0.title, $0.secrets, $0.interactions) }
  }
}
