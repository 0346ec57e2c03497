import TestSupport

@testable import WindTunnelCassettes

/// Bodies: bytes, JSON, forms, multiparts and what their type says.
@Suite struct BodyMatrixTests {
  /// Bytes, JSON and forms.
  static func texts() throws -> [MatcherCase] {
    let rows: [(String, String, String, String, Bool)] =
      try TestData.rows("Matching/bodies.json", count: 93)
    return rows.map { kind, path, recorded, asked, answers in
      let rule: BodyRule =
        switch kind {
        case "bytes": .bytes
        case "forms": .form(ignoring: "csrf", "_*")
        default: BodyRule(.json, ignoring: path.isEmpty ? [] : [JSONPath(stringLiteral: path)])
        }
      let request = kind == "forms" ? form : { post($0) }
      return MatcherCase(.body(rule), request(recorded), request(asked), answers)
    }
  }

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

  @Test(arguments: try texts() + multiparts + byType)
  func `a body is the same by the rule for bodies`(row: MatcherCase) { row.expectAnswer() }

  @Test func `a matrix worth its name`() throws {
    #expect(try (Self.texts() + Self.multiparts + Self.byType).count >= 100)
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
