/// What may stand in a HAR 1.2, where an original is put back into one: some exporters write what no
/// other tool reads.
///
/// A member of a wrong type says nothing and goes, and so does one whose value lacks what it must
/// have. Names that the specification does not have are anybody's.
enum HARSound {
  /// The value of a name as it may stand there; `nil` if it may not.
  static func value(_ json: JSON, of name: String) -> JSON? {
    if name.hasPrefix("_") { return json }
    switch json {
    case .null: return kept(json, if: nullable.contains(name))
    case .bool: return kept(json, if: flags.contains(name) || !isKnown(name))
    case .number(let digits):
      if dates.contains(name) { return HARDate.sinceEpoch(json).map { .text(HARDate.text($0)) } }
      // What compression costs, where it is negative.
      if name == "compression" { return kept(json, if: Int(digits) != nil) }
      if wholes.contains(name) { return kept(json, if: (Int(digits) ?? -2) >= -1) }
      guard times.contains(name) else { return kept(json, if: !isKnown(name)) }
      return kept(json, if: (Double(digits) ?? -2) >= -1)
    case .string(let text):
      if dates.contains(name) {
        if isDate(text.value) { return .some(json) }
        return HARDate.sinceEpoch(text.value).map { .text(HARDate.text($0)) }
      }
      if name == "serverIPAddress" { return address(text.value).map { .text($0) } }
      if flags.contains(name), ["true", "false"].contains(text.value.lowercased()) {
        return .bool(text.value.lowercased() == "true")
      }
      return kept(json, if: texts.contains(name) || !isKnown(name))
    case .array(let elements):
      guard let element = lists[name] else { return kept(json, if: !isKnown(name)) }
      let sound = elements.map { whole in
        (element == "pair" ? pairs(whole) : [whole]).compactMap { object($0, of: element) }
      }
      // A list of fields without one of them would say something else.
      let isWhole = sound.allSatisfy { !$0.isEmpty }
      return kept(.array(sound.flatMap(\.self)), if: isWhole || name == "pages")
    case .object:
      return objects.contains(name) ? object(json, of: name) : kept(json, if: !isKnown(name))
    }
  }

  /// A field whose value is a list of texts, as so many fields; one exporter writes them so.
  private static func pairs(_ json: JSON) -> [JSON] {
    guard case .object(let members) = json, case .array(let values)? = json["value"],
      !values.isEmpty
    else { return [json] }
    return values.map { value in
      .object(members.map { $0.name.value == "value" ? JSON.Member($0.name, value) : $0 })
    }
  }

  /// A value or none; `nil` beside a value of JSON would be JSON's null.
  private static func kept(_ json: JSON, if isSound: Bool) -> JSON? {
    isSound ? .some(json) : .none
  }

  /// An object without what may not stand in it.
  static func object(_ json: JSON, of name: String) -> JSON? {
    guard case .object(let members) = json else { return nil }
    var sound = members.compactMap { member in
      value(member.value, of: member.name.value).map { JSON.Member(member.name, $0) }
    }
    if keeping.contains(name) { sound += kept(from: members, beside: sound) }
    if name == "page" {
      // Left out by some, and all that is missing of a page with a name.
      for (key, value) in [("title", ""), ("pageTimings", .object([]))] as [(String, JSON)]
      where !sound.contains(where: { $0.name.value == key }) {
        sound.append(JSON.Member(JSON.Text(key), value))
      }
    }
    let names = Set(sound.map(\.name.value))
    // Some readers want a text or its fields wherever anything was sent.
    if name == "postData", names.isDisjoint(with: ["text", "params"]) {
      guard names.contains("mimeType") else { return nil }
      sound.append(JSON.Member("text", ""))
    }
    return names.isSuperset(of: required[name] ?? []) ? .object(sound) : nil
  }

  /// Objects that keep what may not stand in them under a name that is anybody's: `_afterRequest`.
  private static let keeping: Set<String> = ["entry", "cache"]

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
      guard isLost || isShort, !members.contains(where: { $0.name.value == "_\(name)" }) else {
        return nil
      }
      return JSON.Member(JSON.Text("_\(name)"), member.value)
    }
  }

  private static let required: [String: Set<String>] = [
    "creator": ["name", "version"], "browser": ["name", "version"],
    "page": ["startedDateTime", "id", "title", "pageTimings"], "pair": ["name", "value"],
    "cookie": ["name", "value"], "param": ["name"],
    "beforeRequest": ["lastAccess", "eTag", "hitCount"],
    "afterRequest": ["lastAccess", "eTag", "hitCount"],
  ]
  private static let lists = [
    "pages": "page", "headers": "pair", "queryString": "pair", "cookies": "cookie",
    "params": "param",
  ]
  private static let objects: Set<String> = [
    "creator", "browser", "pageTimings", "request", "response", "cache", "timings", "content",
    "postData", "beforeRequest", "afterRequest",
  ]
  private static let flags: Set<String> = ["httpOnly", "secure"]
  private static let wholes: Set<String> = [
    "size", "compression", "bodySize", "headersSize", "status", "hitCount",
  ]
  private static let times: Set<String> = [
    "time", "blocked", "dns", "connect", "ssl", "send", "wait", "receive", "onContentLoad",
    "onLoad",
  ]
  private static let dates: Set<String> = ["startedDateTime", "expires", "lastAccess"]
  private static let texts: Set<String> = [
    "version", "name", "value", "comment", "id", "title", "pageref", "connection", "method", "url",
    "httpVersion", "statusText", "redirectURL", "mimeType", "text", "encoding", "path", "domain",
    "fileName", "contentType", "eTag",
  ]
  private static let nullable: Set<String> = ["expires", "beforeRequest", "afterRequest"]

  private static func isKnown(_ name: String) -> Bool {
    objects.contains(name) || flags.contains(name) || wholes.contains(name)
      || times.contains(name) || dates.contains(name) || texts.contains(name)
      || lists[name] != nil || name == "serverIPAddress"
  }

  /// ISO 8601 as the specification wants it, with a zone.
  private static func isDate(_ text: String) -> Bool {
    let form = /\d{4}-\d{2}-\d{2}[Tt][0-9:]{8}(\.\d+)?(Z|z|[+-]\d{2}:\d{2})/
    return text.wholeMatch(of: form) != nil && HARDate.sinceEpoch(text) != nil
  }

  /// Four numbers, or an IPv6 address without the brackets that some put around it and the port that
  /// others put behind it.
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
}
