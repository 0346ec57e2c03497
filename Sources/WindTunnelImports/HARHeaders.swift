extension HAREntryReader {
  /// The fields that a message may carry; HTTP/2's pseudo-fields (RFC 9113 §8.3) are none of them.
  mutating func headers(_ json: JSON?) -> HeaderFields {
    let pairs: [(name: String, value: JSON)]
    switch json {
    case .array(let list):
      pairs = list.map { ($0["name"]?.spelled ?? "", $0["value"] ?? .null) }
    case .object(let members): pairs = members.map { ($0.name.value, $0.value) }
    default: pairs = []
    }
    var fields = HeaderFields()
    var refused = 0
    for pair in pairs {
      let name = String(pair.name.trimmingOptionalWhitespace())
      if name.hasPrefix(":") { continue }
      guard name.isToken else {
        refused += 1
        continue
      }
      for value in Self.values(pair.value, of: name) { fields.append(name, value) }
    }
    // Neither name nor value is shown: what is no field may be anything.
    if refused > 0 { warn("\(refused) header fields without a proper name are left out") }
    return fields
  }

  /// The values of the fields that one JSON value stands for.
  private static func values(_ json: JSON, of name: String) -> [String] {
    guard case .array(let list) = json else {
      return lines(json == .null ? "" : json.said)
    }
    let values = list.flatMap { lines($0 == .null ? "" : $0.said) }
    // Several lines may become one with commas (RFC 9110 §5.3); Set-Cookie may not (RFC 6265 §3).
    return name.equalsIgnoringASCIICase("Set-Cookie") ? values : [values.joined(separator: ", ")]
  }

  /// Chrome joins repeated fields by line feeds. No other control character may stand in a field
  /// (RFC 9110 §5.5): it would be another field on the wire.
  private static func lines(_ value: String) -> [String] {
    let lines = value.unicodeScalars.split(omittingEmptySubsequences: false) {
      $0 == "\n" || $0 == "\r"
    }
    let values = lines.map { line in
      let clean = line.map { ($0.value < 0x20 && $0 != "\t") || $0.value == 0x7F ? " " : $0 }
      let text = String(String.UnicodeScalarView(clean))
      return String(text.trimmingOptionalWhitespace())
    }
    let filled = values.filter { !$0.isEmpty }
    return filled.isEmpty ? [""] : filled
  }
}

extension String {
  /// Whether this is a token (RFC 9110 §5.6.2), as methods and names of fields are.
  var isToken: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}
