/// The rules of what may stand in a HAR 1.2, where an original is put back into one: some exporters
/// write what no other tool reads.
///
/// A number that is written as a text becomes one, and a text that is written as anything else.
/// What must be there and is not becomes an empty text. What then has a wrong type still goes, in
/// some objects under a name that is anybody's. Names that the specification does not have are
/// that, too.
enum HARSanitizer {
  /// Returns the value of a name as it may stand there; `nil` if it may not.
  static func value(_ json: JSON, of name: String) -> JSON? {
    if name.hasPrefix("_") { return json }
    switch json {
    case .null: return kept(json, if: ["expires", "beforeRequest", "afterRequest"].contains(name))
    case .bool where kinds[name] == .text: return .text(json.said)
    case .bool: return kept(json, if: kinds[name] == .flag || !isKnown(name))
    case .number(let digits): return number(digits, of: name)
    case .string(let text): return string(text, of: name)
    // Whatever stands there is what was sent.
    case .array where ["text", "value"].contains(name),
      .object where ["text", "value"].contains(name):
      return .text(json.said)
    case .array(let elements):
      guard let element = lists[name] else { return kept(json, if: !isKnown(name)) }
      let said = elements.filter { $0 != .null && $0 != .object([]) }
      let single = element == "pair" ? said.flatMap(pairs) : said
      let sound = single.compactMap { object($0, of: element) }
      // A list of fields without one of them would say something else.
      return kept(.array(sound), if: sound.count == single.count || name != "headers")
    case .object:
      return kinds[name] == .object ? object(json, of: name) : kept(json, if: !isKnown(name))
    }
  }

  /// Returns a field whose value is a list of texts, which is read as one field, or as so many
  /// cookies; one exporter writes them so.
  private static func pairs(_ json: JSON) -> [JSON] {
    guard case .object(let members) = json, case .array(let list)? = json["value"] else {
      return [json]
    }
    let isCookie = json["name"]?.spelled?.equalsIgnoringASCIICase("Set-Cookie") == true
    let texts = list.map { $0 == .null ? "" : $0.said }
    return (isCookie ? texts : [texts.joined(separator: ", ")]).map { value in
      .object(members.map { $0.name.value == "value" ? JSON.Member($0.name, .text(value)) : $0 })
    }
  }

  /// Returns a value or none; `nil` beside a value of JSON would be JSON's null.
  private static func kept(_ json: JSON, if isSound: Bool) -> JSON? {
    isSound ? .some(json) : .none
  }

  /// Returns an object without what may not stand in it.
  static func object(_ json: JSON, of name: String) -> JSON? {
    guard case .object(let members) = json else { return nil }
    var sound = members.compactMap { member in
      value(member.value, of: member.name.value).map { JSON.Member(member.name, $0) }
    }
    if keeping.contains(name) { sound += kept(from: members, beside: sound) }
    let isEmpty = sound.isEmpty
    for (key, value) in missing[name] ?? []
    where !isEmpty && !sound.contains(where: { $0.name.value == key }) {
      sound.append(JSON.Member(JSON.Text(key), value))
    }
    let names = Set(sound.map(\.name.value))
    // Some readers want a text or its fields wherever anything was sent.
    if name == "postData", names.isDisjoint(with: ["text", "params"]) {
      guard names.contains("mimeType") else { return nil }
      sound.append(JSON.Member("text", ""))
    }
    let needed = (missing[name] ?? []).map(\.0) + (required[name] ?? [])
    return needed.allSatisfy(names.contains) ? .object(sound) : nil
  }

  /// Objects that keep what may not stand in them under a name that is anybody's: `_afterRequest`.
  private static let keeping: Set<String> = [
    "log", "creator", "browser", "page", "pageTimings", "entry", "cache", "pair", "cookie", "param",
    "content", "postData",
  ]

  /// Left out by some, and written where anything else of the object is there.
  private static let missing: [String: [(String, JSON)]] = [
    "creator": [("name", ""), ("version", "")], "browser": [("name", ""), ("version", "")],
    "page": [("id", ""), ("title", ""), ("pageTimings", .object([]))],
    "pair": [("name", ""), ("value", "")], "cookie": [("name", ""), ("value", "")],
    "param": [("name", "")],
  ]

  private static func kept(from members: [JSON.Member], beside sound: [JSON.Member]) -> [JSON
    .Member]
  {
    members.compactMap { member in
      let (name, written) = (member.name.value, sound.first { $0.name == member.name }?.value)
      let isLost = written == nil && member.value != .null && member.value.stringValue != ""
      // A port stands in no address.
      let isShort =
        name == "serverIPAddress"
        && written?.stringValue?.count ?? .max
          < (member.value.stringValue?.filter { !"[]".contains($0) }.count ?? 0)
      let isOtherDate = kinds[name] == .date && written.map { !$0.says(member.value) } ?? false
      guard isLost || isShort || isOtherDate,
        !members.contains(where: { $0.name.value == "_\(name)" })
      else { return nil }
      return JSON.Member(JSON.Text("_\(name)"), member.value)
    }
  }

  /// The members that an object must have, beside those that are added to it.
  private static let required = [
    "page": ["startedDateTime"], "beforeRequest": ["lastAccess", "eTag", "hitCount"],
    "afterRequest": ["lastAccess", "eTag", "hitCount"],
  ]
  private static let lists = [
    "pages": "page", "headers": "pair", "queryString": "pair", "cookies": "cookie",
    "params": "param",
  ]

  /// What the value of a name is.
  private enum Kind { case object, flag, whole, time, date, text, address }

  private static let kinds: [String: Kind] = {
    let words: KeyValuePairs<Kind, String> = [
      .object: """
      creator browser pageTimings request response cache timings content postData beforeRequest
      afterRequest
      """,
      .flag: "httpOnly secure",
      .whole: "size compression bodySize headersSize status hitCount",
      .time: "time blocked dns connect ssl send wait receive onContentLoad onLoad",
      .date: "startedDateTime expires lastAccess",
      .text: """
      version name value comment id title pageref connection method url httpVersion statusText
      redirectURL mimeType text encoding path domain fileName contentType eTag
      """,
      .address: "serverIPAddress",
    ]
    return words.reduce(into: [:]) { kinds, row in
      for word in row.value.split(whereSeparator: \.isWhitespace) { kinds[String(word)] = row.key }
    }
  }()

  private static func isKnown(_ name: String) -> Bool { kinds[name] != nil || lists[name] != nil }

  /// Four numbers, or an IPv6 address without the brackets that some put around it and the port
  /// that others put behind it.
  private static func address(_ text: String) -> String? {
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
    let inner = isBracketed ? String(text.dropFirst().dropLast()) : text
    let parts = inner.split(omittingEmptySubsequences: false) { $0 == "." }
    let isPort = { (digits: Substring) in UInt16(digits) != nil }
    if parts.count == 4 || parts.count == 5 && isPort(parts[4]) {
      let ends = parts[3].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let four = parts[..<3] + [ends[0]]
      let isAddress = four.allSatisfy { UInt8($0) != nil }
      return isAddress && ends.dropFirst().allSatisfy(isPort) ? four.joined(separator: ".") : nil
    }
    guard parts.count <= 2, parts.dropFirst().allSatisfy(isPort) else { return nil }
    let six = parts[0]
    return six.contains(":") && six.allSatisfy { $0.isHexDigit || $0 == ":" } ? String(six) : nil
  }

  // Numbers and texts, of which exporters write one for the other.

  /// Returns a number as it may stand under a name; `nil` if it may not.
  private static func number(_ digits: String, of name: String) -> JSON? {
    let json = JSON.number(digits)
    switch kinds[name] {
    case .date: return DateText.sinceEpoch(json).map { .text(DateText.text($0)) }
    case .text: return .text(digits)
    case .flag: return ["0": false, "1": true][digits].map { .bool($0) }
    case .whole:
      // What compression costs, where it is negative.
      return whole(digits).flatMap { $0 >= -1 || name == "compression" ? .number($0) : nil }
    case .time: return kept(json, if: (json.measure ?? -2) >= -1)
    case .object, .address, nil: return kept(json, if: !isKnown(name))
    }
  }

  /// Returns a whole number, which may be spelled with a fraction of zero.
  private static func whole(_ digits: String) -> Int? {
    Int(digits) ?? Double(digits).flatMap { $0.magnitude < 1e15 ? Int(exactly: $0) : nil }
  }

  /// Returns a text as it may stand under a name; `nil` if it may not.
  private static func string(_ text: JSON.Text, of name: String) -> JSON? {
    let word = text.value.lowercased()
    switch kinds[name] {
    case .date: return date(text)
    case .address: return address(text.value).map { .text($0) }
    case .flag: return ["false": false, "true": true][word].map { .bool($0) }
    case .whole, .time:
      guard !word.isEmpty, word.utf8.allSatisfy({ "0123456789+-.e".utf8.contains($0) }),
        let number = Double(word), case .number(let digits) = JSON.exactly(number)
      else { return nil }
      return self.number(digits, of: name)
    case .text: return .string(text)
    case .object, nil: return kept(.string(text), if: !isKnown(name))
    }
  }

  /// Returns a date as the specification wants it, with a zone and of a day that there is; another
  /// spelling of one becomes that.
  private static func date(_ text: JSON.Text) -> JSON? {
    if isDate(text.value) { return .string(text) }
    return DateText.sinceEpoch(.string(text)).map { .text(DateText.text($0)) }
  }

  /// RFC 3339 §5.6 without leap seconds, which few readers know, and in capital letters.
  private static func isDate(_ text: String) -> Bool {
    let form =
      /([0-9]{4})-([0-9]{2})-([0-9]{2})T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}(?:\.[0-9]+)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])/
    guard let match = text.wholeMatch(of: form)?.output, let year = Int(match.1),
      let month = Int(match.2), let day = Int(match.3), year >= 1, 1...12 ~= month
    else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return 1...days[month - 1] ~= day
  }
}
