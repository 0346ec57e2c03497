@testable import WindTunnel

/// What HAR 1.2 asks of a file: members that must be there, their types and the form of dates, by
/// the specification (http://www.softwareishard.com/blog/har-12-spec).
struct HARSchema {
  private(set) var problems: [String] = []

  /// What is wrong with a file, each with its place.
  static func problems(in json: JSON) -> [String] {
    var schema = HARSchema()
    schema.check(json, .object(top), "$")
    return schema.problems
  }

  private indirect enum Form: Sendable {
    case text, date, number, whole, signed, flag, version
    case dateOrNull
    case address
    case list(Form)
    case object([String: Form])
    /// The same, and it may be null.
    case objectOrNull([String: Form])
  }

  /// A name that ends with a question mark may be missing.
  private static let pair: [String: Form] = ["name": .text, "value": .text, "comment?": .text]
  private static let cookie: [String: Form] = [
    "name": .text, "value": .text, "path?": .text, "domain?": .text, "expires?": .dateOrNull,
    "httpOnly?": .flag, "secure?": .flag, "comment?": .text,
  ]
  private static let program: [String: Form] = ["name": .text, "version": .text, "comment?": .text]
  private static let param: [String: Form] = [
    "name": .text, "value?": .text, "fileName?": .text, "contentType?": .text, "comment?": .text,
  ]
  private static let request: [String: Form] = [
    "method": .text, "url": .text, "httpVersion": .text, "cookies": .list(.object(cookie)),
    "headers": .list(.object(pair)), "queryString": .list(.object(pair)), "headersSize": .whole,
    "bodySize": .whole, "comment?": .text,
    "postData?": .object([
      "mimeType": .text, "text?": .text, "params?": .list(.object(param)), "comment?": .text,
    ]),
  ]
  private static let response: [String: Form] = [
    "status": .whole, "statusText": .text, "httpVersion": .text,
    "cookies": .list(.object(cookie)), "headers": .list(.object(pair)), "redirectURL": .text,
    "headersSize": .whole, "bodySize": .whole, "comment?": .text,
    "content": .object([
      "size": .whole, "compression?": .signed, "mimeType": .text, "text?": .text,
      "encoding?": .text, "comment?": .text,
    ]),
  ]
  private static let cached: [String: Form] = [
    "expires?": .date, "lastAccess": .date, "eTag": .text, "hitCount": .whole, "comment?": .text,
  ]
  private static let timings: [String: Form] = [
    "send": .number, "wait": .number, "receive": .number, "blocked?": .number, "dns?": .number,
    "connect?": .number, "ssl?": .number, "comment?": .text,
  ]
  private static let entry: [String: Form] = [
    "startedDateTime": .date, "time": .number, "request": .object(request),
    "response": .object(response), "timings": .object(timings), "pageref?": .text,
    "serverIPAddress?": .address, "connection?": .text, "comment?": .text,
    "cache": .object([
      "beforeRequest?": .objectOrNull(cached), "afterRequest?": .objectOrNull(cached),
      "comment?": .text,
    ]),
  ]
  private static let page: [String: Form] = [
    "startedDateTime": .date, "id": .text, "title": .text, "comment?": .text,
    "pageTimings": .object(["onContentLoad?": .number, "onLoad?": .number, "comment?": .text]),
  ]
  private static let top: [String: Form] = [
    "log": .object([
      "version": .version, "creator": .object(program), "browser?": .object(program),
      "pages?": .list(.object(page)), "entries": .list(.object(entry)), "comment?": .text,
    ])
  ]

  private mutating func check(_ json: JSON, _ form: Form, _ place: String) {
    switch (form, json) {
    case (.text, .string), (.flag, .bool), (.dateOrNull, .null), (.objectOrNull, .null): break
    case (.version, .string(let text)) where text.value.wholeMatch(of: /1\.[0-9]/) != nil: break
    case (.date, .string(let text)), (.dateOrNull, .string(let text)):
      let date =
        /\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?(Z|z|[+-]\d{2}:\d{2})/
      if text.value.wholeMatch(of: date) == nil { problems.append("\(place): \(text.value)") }
    case (.address, .string(let text)):
      if text.value.wholeMatch(of: /(\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]*:[0-9A-Fa-f:]+/) == nil {
        problems.append("\(place): \(text.value)")
      }
    case (.signed, .number): if json.intValue == nil { problems.append("\(place): \(json)") }
    case (.number, .number), (.whole, .number):
      let isRight: Bool
      if case .whole = form {
        isRight = (json.intValue ?? -2) >= -1
      } else {
        isRight = (json.doubleValue ?? -2) >= -1
      }
      if !isRight { problems.append("\(place): \(json)") }
    case (.list(let element), .array(let elements)):
      for (index, value) in elements.enumerated() { check(value, element, "\(place)[\(index)]") }
    case (.object(let forms), .object(let members)),
      (.objectOrNull(let forms), .object(let members)):
      check(members, forms, place)
    default: problems.append("\(place): \(json)")
    }
  }

  private mutating func check(_ members: [JSON.Member], _ forms: [String: Form], _ place: String) {
    let names = members.map(\.name.value)
    if Set(names).count != names.count { problems.append("\(place): a name stands twice") }
    for (name, form) in forms.sorted(by: { $0.key < $1.key }) {
      let key = name.hasSuffix("?") ? String(name.dropLast()) : name
      guard let member = members.first(where: { $0.name.value == key }) else {
        if !name.hasSuffix("?") { problems.append("\(place).\(key) is missing") }
        continue
      }
      check(member.value, form, "\(place).\(key)")
    }
  }
}
