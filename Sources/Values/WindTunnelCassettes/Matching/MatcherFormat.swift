// The rules by which a command compares requests, version 1: the value of `--match FILE`.
//
//   { "match": 1,
//     "method": true,                                    whether methods must be equal
//     "origin": "required" | "breaksTies",               use of scheme, host and port
//     "scheme": true, "host": true, "port": false,       which of them are compared
//     "path": { "exact": true },                         paths are compared byte by byte
//     "paths": ["/users/{id}"],                          templates of equal paths
//     "query": { "exact": true },                        so are query parameters
//     "ignoreQuery": ["page", "utm_*"],
//     "headers": ["Accept"],                             compared fields; no others are
//     "body": "ignored" | "bytes" | "json" | "form" | "multipart" | "byType",
//     "ignoreBody": ["$.meta.timestamp", "$.items[*].id", "csrf"],
//     "keep": ["session", "$.card.code"],                values that are not secret
//     "correlate": ["$.header.message"],                 values that correlate messages
//     "order": true,                                     record --prove: the order of requests
//                                                        and output lines is compared
//     "ignoreOutput": ["3 passed in *"] }                record --prove: ignored lines
//
// Every key except the first is optional; the default is the command's own rule. In "ignoreBody", a
// text that begins with "$" is a JSON path; any other is the name of a form field or a multipart
// part. It is not a separate kind of file, but a flag's value that is too long for a line. It
// contains no recordings, network conditions or results.

public import Foundation

extension Matcher {
  /// The maximum size of a file of rules in bytes; a larger file is rejected without reading it.
  public static let fileBytesMax = 1 << 20

  /// Reads a file of rules, version 1, which override the rules of another matcher.
  public init(contentsOf file: URL, over base: Matcher) throws {
    let data = try FileError.reading(file, bytesMax: Self.fileBytesMax)
    try self.init(data: data, source: file.lastPathComponent, over: base)
  }

  /// Reads rules from bytes, which override the rules of another matcher.
  public init(data: Data, source: String, over base: Matcher) throws(FormatError) {
    self = base
    var top = try ObjectReader(JSON(parsing: data, source: source), source: source, path: "")
    try CassetteFormat.checkVersion(&top, key: "match", noun: "match file")
    comparesMethod = try top.bool("method") ?? comparesMethod
    authority = try top.choice("origin", Authority.self) ?? authority
    for (name, part) in Self.originNames {
      guard let isCompared = try top.bool(name) else { continue }
      if isCompared { origin.insert(part) } else { origin.remove(part) }
    }
    isPathExact = try Self.exact("path", in: &top) ?? isPathExact
    paths =
      try top.texts("paths", "a path such as \"/users/{id}\"") { text in
        text.hasPrefix("/") ? PathTemplate(text) : nil
      } ?? paths
    isQueryExact = try Self.exact("query", in: &top) ?? isQueryExact
    let name = "the name of a query parameter such as \"page\" or \"utm_*\""
    ignoredQuery = try top.texts("ignoreQuery", name) { NamePattern($0) } ?? ignoredQuery
    headers =
      try top.texts("headers", "a field name such as \"Accept\" (RFC 9110 §5.1)") {
        $0.isHTTPToken ? $0 : nil
      } ?? headers
    try readBody(&top)
    kept =
      try top.texts("keep", "the name of a value, or a JSON path such as \"$.card.code\"") { text in
        text.hasPrefix("$") && JSONPath(text) == nil || text.isEmpty ? nil : text
      } ?? kept
    correlated =
      try top.texts("correlate", "a JSON path such as \"$.header.message\"") { JSONPath($0) }
      ?? correlated
    comparesOrder = try top.bool("order") ?? comparesOrder
    ignoredOutput =
      try top.texts("ignoreOutput", "a line such as \"3 passed in *\"") { LinePattern($0) }
      ?? ignoredOutput
    try top.refuseUnknownKeys()
  }

  private static let originNames: [(String, OriginParts)] = [
    ("scheme", .scheme), ("host", .host), ("port", .port),
  ]

  /// Reads the object `{ "exact": true }` of a part; `nil` if it is missing.
  private static func exact(
    _ part: String,
    in top: inout ObjectReader
  ) throws(FormatError) -> Bool? {
    guard var rules = try top.object(part) else { return nil }
    let isExact = try rules.bool("exact")
    try rules.refuseUnknownKeys()
    return isExact
  }

  private mutating func readBody(_ top: inout ObjectReader) throws(FormatError) {
    body.reading = try top.choice("body", BodyRule.Reading.self) ?? body.reading
    let what = "a JSON path such as \"$.items[*].id\" or the name of a field"
    let ignored = try top.texts("ignoreBody", what) { text in
      text.hasPrefix("$") && JSONPath(text) == nil ? nil : text
    }
    guard let ignored else { return }
    guard body.reading != .ignored, body.reading != .bytes else {
      throw top.error(
        "ignoreBody",
        "nothing inside a body can be ignored if \"body\" is \"\(body.reading.rawValue)\"",
        fix: "Add \"body\": \"json\", \"form\", \"multipart\" or \"byType\"."
      )
    }
    body.ignoredPaths = ignored.compactMap { JSONPath($0) }
    body.ignoredFields = ignored.filter { !$0.hasPrefix("$") }.map { NamePattern($0) }
  }

  /// Returns the rules in the format of a file, without rules that are equal in another matcher.
  ///
  /// Filters are functions and cannot be written.
  public func json(over base: Matcher) -> JSON {
    let others = zip(members, base.members).filter { $0.value != $1.value }.map(\.0)
    return .object(
      JSON.members(["match": .number(CassetteFormat.version)])
        + others.filter { $0.name != "ignoreBody" || $0.value != [] }
    )
  }

  /// The members for all rules.
  private var members: [JSON.Member] {
    let ignored = body.ignoredPaths.map(\.description) + body.ignoredFields.map(\.description)
    let parts = Self.originNames.map { name, part in
      JSON.Member(JSON.Text(name), .bool(origin.contains(part)))
    }
    return JSON.members(["method": .bool(comparesMethod), "origin": .text(authority.rawValue)])
      + parts
      + JSON.members([
        "path": ["exact": .bool(isPathExact)], "paths": .texts(paths.map(\.description)),
        "query": ["exact": .bool(isQueryExact)],
        "ignoreQuery": .texts(ignoredQuery.map(\.description)), "headers": .texts(headers),
        "body": .text(body.reading.rawValue), "ignoreBody": .texts(ignored), "keep": .texts(kept),
        "correlate": .texts(correlated.map(\.description)), "order": .bool(comparesOrder),
        "ignoreOutput": .texts(ignoredOutput.map(\.text)),
      ])
  }
}

extension ObjectReader {
  /// Returns a list of parsed texts; `nil` if it is missing.
  fileprivate mutating func texts<Value>(
    _ name: String,
    _ what: String,
    _ read: (String) -> Value?
  ) throws(FormatError) -> [Value]? {
    guard let elements = try array(name) else { return nil }
    var values: [Value] = []
    for (index, element) in elements.enumerated() {
      guard let text = element.stringValue, !text.isEmpty, let value = read(text) else {
        throw error("\(name)[\(index)]", "\(element) is not \(what)")
      }
      values.append(value)
    }
    return values
  }
}
