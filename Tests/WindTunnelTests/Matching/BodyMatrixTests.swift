import Foundation
import TestSupport
import Testing

@testable import WindTunnelCassettes

/// Bodies: bytes, JSON, forms, multiparts and what their type says.
@Suite struct BodyMatrixTests {
  private static func rows(
    _ rule: BodyRule,
    _ request: (String) -> Request,
    _ table: [(String, String, Bool)]
  ) -> [MatcherCase] {
    table.map { MatcherCase(.body(rule), request($0.0), request($0.1), $0.2) }
  }

  static let bytes = rows(
    .bytes,
    { post($0) },
    [
      ("a", "a", true), ("a", "b", false), ("", "", true), ("a", "", false),
      (#"{"a":1}"#, #"{ "a":1}"#, false), (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, false),
      ("\u{E9}", "e\u{301}", false),
    ]
  )

  static let json = rows(
    .json(),
    { post($0) },
    [
      (#"{"a":1,"b":2}"#, #"{ "b" : 2,\n "a": 1 }"#.replacing(#"\n"#, with: "\n"), true),
      (#"{"a":{"c":1,"b":2}}"#, #"{"a":{"b":2,"c":1}}"#, true), ("[1,2]", "[2,1]", false),
      ("[]", "{}", false), ("null", "null", true), ("null", #""null""#, false),
      ("0", "false", false),
      (#"{"a":null}"#, "{}", false), (#""a""#, #""A""#, false), (#""""#, "null", false),
      ("1", "1.0", true), ("1", "1e0", true), ("1", "10e-1", true), ("1", "0.1e1", true),
      ("1E2", "100", true), ("1e+2", "1e2", true), ("0", "-0", true), ("0", "0.0e99", true),
      ("-1.50", "-15e-1", true), ("1", "2", false), ("1", #""1""#, false), ("1", "-1", false),
      ("9007199254740993", "9007199254740992", false), ("0.1", "0.10000000000000001", false),
      ("1e400", "1e401", false), ("1e400", "10e399", true),
      ("1e99999999999999999999", "1E99999999999999999999", true),
      ("1e99999999999999999999", "1e99999999999999999998", false),
      ("0e99999999999999999999", "0", true),
      ("123456789012345678901234567890", "123456789012345678901234567890.0", true),
      (#""\u00e9""#, #""é""#, true), (#""\/""#, #""/""#, true), (#""\ud83d\ude00""#, #""😀""#, true),
      (#""e\u0301""#, #""é""#, false), (#""\ud800""#, #""\ud801""#, false),
      (#""\ud800""#, #""\uD800""#, true), (#""\u0000""#, #""""#, false),
      (#""\t""#, #""\u0009""#, true),
      (#"{"\u0061":1}"#, #"{"a":1}"#, true), (#"{"é":1}"#, #"{"e\u0301":1}"#, false),
      (#"{"a":1,"a":2}"#, #"{"a":1,"a":2}"#, true), (#"{"a":1,"a":2}"#, #"{"a":2}"#, false),
      (#"{"a":1,"a":2}"#, #"{"a":2,"a":1}"#, false),
      (#"{"a":1,"b":3,"a":2}"#, #"{"b":3,"a":1,"a":2}"#, true),
      ("{", "{", true), ("{", "[", false), ("{", "{ ", false), ("\u{FEFF}[1]", "[1]", true),
    ]
  )

  static let ignoring = [
    (
      "$.meta.timestamp", #"{"meta":{"timestamp":1,"id":2}}"#, #"{"meta":{"timestamp":9,"id":2}}"#,
      true
    ),
    ("$.meta.timestamp", #"{"meta":{"timestamp":1}}"#, #"{"meta":{}}"#, true),
    ("$.meta.timestamp", #"{"meta":{"timestamp":1}}"#, "{}", false),
    ("$.meta.timestamp", #"{"meta":{"id":2}}"#, #"{"meta":{"id":3}}"#, false),
    ("$.meta", #"{"meta":{"id":2},"a":1}"#, #"{"a":1}"#, true),
    (
      "$.items[*].id", #"{"items":[{"id":1,"n":1},{"id":2,"n":2}]}"#,
      #"{"items":[{"id":8,"n":1},{"n":2}]}"#, true
    ),
    ("$.items[*].id", #"{"items":[{"id":1}]}"#, #"{"items":[{"id":1},{"id":2}]}"#, false),
    ("$.items[*].id", #"{"items":[{"n":1}]}"#, #"{"items":[{"n":2}]}"#, false),
    ("$.items[0]", "{\"items\":[1,2]}", "{\"items\":[9,2]}", true),
    ("$.items[0]", "{\"items\":[1,2]}", "{\"items\":[1,9]}", false),
    ("$[1].a", #"[0,{"a":1}]"#, #"[0,{"a":2}]"#, true),
    ("$..requestId", #"{"requestId":1,"a":[{"requestId":2,"b":1}]}"#, #"{"a":[{"b":1}]}"#, true),
    ("$..requestId", #"{"a":[{"requestId":2,"b":1}]}"#, #"{"a":[{"b":2}]}"#, false),
    ("$..['a b']", #"[{"a b":1}]"#, "[{}]", true), ("$['a.b']", #"{"a.b":1}"#, "{}", true),
    ("$['a.b']", #"{"a":{"b":1}}"#, "{}", false), ("$.*", #"{"a":1}"#, #"{"b":2}"#, true),
    ("$.*.id", #"{"a":{"id":1}}"#, #"{"a":{"id":2}}"#, true), ("$", "1", "[2]", true),
    ("$.größe", #"{"größe":1}"#, "{}", true), ("$['it\\'s']", #"{"it's":1}"#, "{}", true),
    ("$..a.b", #"{"a":{"a":{"b":1}}}"#, #"{"a":{"a":{"b":2}}}"#, true),
  ].map {
    MatcherCase(
      .body(BodyRule(.json, ignoring: [JSONPath(stringLiteral: $0.0)])),
      post($0.1),
      post($0.2),
      $0.3
    )
  }

  static let forms = rows(
    .form(ignoring: "csrf", "_*"),
    form,
    [
      ("a=1&b=2", "b=2&a=1", true), ("a=1&a=2", "a=2&a=1", false), ("a=b+c", "a=b%20c", true),
      ("a=%c3%a9", "a=é", true), ("a", "a=", true), ("a=1", "a=2", false),
      ("a=1", "a=1&b=2", false),
      ("a=1&csrf=x", "csrf=y&a=1", true), ("a=1&csrf=x", "a=1", true), ("_t=1&a=1", "a=1", true),
      ("a=1&&b=2", "a=1&b=2", true), ("a=b=c", "a=b%3Dc", true), ("a=%zz", "a=%zz", true),
      ("a=1&b=2", "a=1%26b=2", false), ("ab=c", "a=bc", false), ("a=%00", "a=", false),
    ]
  )

  static let multiparts: [MatcherCase] = {
    let matcher = Matcher.body(.multipart(ignoring: "nonce"))
    let two = multipart(["a": "1", "b": "2"], boundary: "X")
    let quoted = post(
      "preamble\r\n--q q\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--q q--",
      "multipart/form-data; boundary=\"q q\""
    )
    return [
      (two, multipart(["a": "1", "b": "2"], boundary: "Y"), true),
      (two, multipart(["b": "2", "a": "1"], boundary: "Y"), false),
      (two, multipart(["a": "1", "b": "3"], boundary: "Y"), false),
      (two, multipart(["a": "1"], boundary: "Y"), false),
      (two, multipart(["a": "1", "nonce": "7", "b": "2"], boundary: "Y"), true),
      (multipart(["a": "1"], boundary: "X"), quoted, true),
      (multipart(["a": ""], boundary: "X"), multipart(["a": ""], boundary: "Y"), true),
      (
        multipart(["a": "\r\n\r\n--X"], boundary: "Z"),
        multipart(["a": "\r\n\r\n--X"], boundary: "Y"), true
      ),
      (
        post("--X", "multipart/form-data; boundary=X"),
        post("--X", "multipart/form-data; boundary=X"), true
      ),
      (
        post("--X", "multipart/form-data; boundary=X"),
        post("--Y", "multipart/form-data; boundary=Y"), false
      ),
      (post("a", "multipart/form-data"), post("a", "multipart/form-data"), true),
    ].map { MatcherCase(matcher, $0.0, $0.1, $0.2) }
  }()

  static let byType: [MatcherCase] = {
    let matcher = Matcher.body(BodyRule(.byType, ignoring: ["$.t"], fields: ["t"]))
    return [
      (post(#"{"a":1,"t":1}"#), post(#"{"t":2,"a":1.0}"#), true),
      (
        post("[1]", "application/problem+json; charset=utf-8"),
        post("[1.0]", "application/problem+json"), true
      ),
      (post("[1]", "text/plain"), post("[1.0]", "text/plain"), false),
      (form("a=1&t=1"), form("t=2&a=1"), true), (form("a=1"), post("a=1", "text/plain"), false),
      (multipart(["a": "1"], boundary: "X"), multipart(["t": "0", "a": "1"], boundary: "Y"), true),
    ].map { MatcherCase(matcher, $0.0, $0.1, $0.2) }
  }()

  @Test(arguments: bytes + json + ignoring + forms + multiparts + byType)
  func `a body is the same by the rule for bodies`(row: MatcherCase) { row.expectAnswer() }

  @Test func `a matrix worth its name`() {
    let bodies = Self.bytes + Self.json + Self.ignoring + Self.forms + Self.multiparts + Self.byType
    #expect(bodies.count >= 100)
  }

  @Test func `a compressed body is opened before it is read`() throws {
    let zipped = try #require(Data(base64Encoded: "H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA"))
    var request = post("")
    request.body = Body(zipped)
    request.headers["Content-Encoding"] = "gzip"
    let opened = Inflate.open(zipped, coding: "gzip").map { Body($0).text }
    let row = MatcherCase(.body(.json()), request, post(opened.flatMap { $0 } ?? ""), true)
    expectEqual(row.isFound, (opened != nil))
  }
}
