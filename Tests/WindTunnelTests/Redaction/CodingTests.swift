import TestSupport

@testable import WindTunnel

/// Bodies in codings as clients open them, and the fields that vouch for a body.
@Suite struct CodingTests {
  private static let old = #"{"password":"Zk7QpX2mLw9RtY4vBn8s"}"#
  private static let new = #"{"password":"REDACTED-password-1"}"#

  /// The rows of a table, which has at least so many.
  private static func table(_ name: String, rowsMin: Int) throws -> [[String?]] {
    let rows = try JSONDecoder().decode([[String?]].self, from: Data(TestData.text(name).utf8))
    #expect(rows.count >= rowsMin)
    return rows
  }

  /// Returns the fields and the body of what is kept, or the number of what is left out.
  private static func kept(_ headers: HeaderFields, _ body: Data) -> String {
    var redaction = Redaction(continuing: [])
    let response = Response(headers: headers, body: Body(body))
    let kept = redaction.redact([Interaction(Request("GET", "https://a.test/a"), response)])
    guard let response = kept.first?.response else { return "\(redaction.leftOut.count) left out" }
    return response.headers.map { "\($0.name): \($0.value)\n" }.joined()
      + String(decoding: response.body.data, as: UTF8.self)
  }

  @Test func `a body is opened as clients open it, and what is in it is taken out`() throws {
    let length = Self.new.utf8.count
    for row in try Self.table("codings.json", rowsMin: 20).map({ $0.map { $0 ?? "" } }) {
      let (coding, isOpen) = (row[1], row[3] != "closed")
      let body = try #require(Data(base64Encoded: row[2]))
      let opened = Inflate.opened(body, coding: coding)
      expectEqual(opened?.content, isOpen ? Data(Self.old.utf8) : nil, "\(row)")
      expectEqual(opened?.surplus, isOpen ? Data(base64Encoded: row[4]) : nil, "\(row)")
      expectEqual(opened?.isAsLabelled, isOpen ? row[3] == "open" : nil, "\(row)")
      let headers: HeaderFields = ["Content-Length": "\(body.count)", "Content-Encoding": coding]
      let kept = isOpen ? "Content-Length: \(length)\n\(Self.new)" : "1 left out"
      expectEqual(Self.kept(headers, body), kept, "\(row)")
    }
  }

  @Test func `a secret behind a harmless body in gzip is taken out with the coding`() throws {
    let gzip = try #require(GzipForm([6, 8, 0, 0, 3])).coded(Data("{}".utf8))
    let headers: HeaderFields = ["Content-Encoding": "gzip"]
    expectEqual(Self.kept(headers, gzip + Data("\npassword=Zk7QpX2mLw9RtY4vBn8s".utf8)), "{}")
    #expect(Self.kept(headers, gzip + Data("\nnothing".utf8)).hasSuffix("\nnothing"))
  }

  @Test(
    arguments: try TestData.rows("Redaction/quoted.json", count: 8) as [(String, String, String)]
  )
  func `text in quoted-printable, or like it, keeps all bytes but those of secrets`(
    type: String,
    text: String,
    kept: String
  ) {
    expectEqual(keptText(text, type), kept)
  }

  @Test func `a digest in a trailer follows a body as one in a header does`() {
    var redaction = Redaction(continuing: [])
    var response = Response(headers: [:], body: Body(Self.old))
    let digest = { (text: String) in
      Data(BodyDigest.sha256.hash(Data(text.utf8))).base64EncodedString()
    }
    response.head.trailers = ["X-Sum": digest(Self.old), "X-Amz-Checksum-Foo": "AAAAAA=="]
    let kept = redaction.redact([Interaction(Request("GET", "https://a.test/a"), response)])
    expectEqual(kept[0].response?.body, Body(Self.new))
    expectEqual(kept[0].response?.trailers, ["X-Sum": digest(Self.new)])
  }

  @Test func `a digest header of a redacted body is updated or removed, whatever its name`() throws
  {
    for row in try Self.table("vouchers.json", rowsMin: 25) {
      let (name, before) = (try #require(row[0]), try #require(row[1]))
      let headers = HeaderFields([HeaderField(name, before)])
      let field = row[2].map { "\(name): \($0)\n" } ?? ""
      expectEqual(Self.kept(headers, Data(Self.old.utf8)), field + Self.new, "\(row)")
      // Where nothing is replaced, nothing goes.
      expectEqual(Self.kept(headers, Data("{}".utf8)), "\(name): \(before)\n{}")
      let interaction = Interaction(Request("GET", "/a"), Response(headers: headers))
      expectEqual(CassetteLint(Cassette([interaction])).leaks, [])
    }
  }

  /// The text of a cassette with a body, which reads as what was written.
  private static func text(_ headers: HeaderFields, _ body: Data) throws -> String {
    let response = Response(headers: headers, body: Body(body))
    let cassette = Cassette([Interaction(Request("GET", "https://a.test/a"), response)])
    let read = try Cassette(data: cassette.data(), source: "a.json")
    expectEqual(read, cassette)
    expectEqual(read.data(), cassette.data())
    return String(decoding: cassette.data(), as: UTF8.self)
  }

  private static let forms = [
    [6, 8, 0, 0, 3], [9, 8, 1_700_000_000, 2, 255], [1, 8, 0, 4, 3], [1, 9, 0, 0, 3],
    [4, 8, 0, 0, 9],
  ]
  private static let long = String(repeating: #"{"name":"Ada","n":17} "#, count: 900)

  @Test(arguments: forms, [#"{"a":1}"#, "plain text\n", long])
  func `a text in gzip is readable, and gives its bytes again`(form: [Int], content: String) throws
  {
    let body = try #require(GzipForm(form)).coded(Data(content.utf8))
    expectEqual(Inflate.open(body, coding: "gzip"), Data(content.utf8))
    let text = try Self.text(["Content-Encoding": "gzip", "ETag": "W/\"1\""], body)
    #expect(text.contains("\"gzip\": [") && !text.contains("base64"), "\(text.prefix(400))")
  }

  @Test func `bytes that zlib does not give back, or are vouched for, stand as they are`() throws {
    let gzip = try #require(GzipForm([6, 8, 0, 0, 3]))
    // {"a":1} in a stored block, which no level makes of it; and no text.
    let stored = try #require(Data(base64Encoded: "H4sIAAAAAAAAAwEHAPj/eyJhIjoxfa+sG1YHAAAA"))
    expectEqual(Inflate.open(stored, coding: "gzip"), Data(#"{"a":1}"#.utf8))
    var rows: [(HeaderFields, Data)] = [([:], stored), ([:], gzip.coded(Data([0xFF, 0, 1])))]
    for (name, value) in [
      "ETag": "\"1\"", "Content-MD5": "AAAA", "x-amz-checksum-crc32": "AAAAAA==",
      "Content-Range": "bytes 0-26/27", "Content-Encoding": "identity",
    ] as KeyValuePairs {
      rows.append(([name: value], gzip.coded(Data(#"{"a":1}"#.utf8))))
    }
    for (headers, body) in rows {
      let text = try Self.text(
        HeaderFields([HeaderField("Content-Encoding", "gzip")] + headers),
        body
      )
      #expect(text.contains("\"base64\"") && !text.contains("\"gzip\": ["), "\(text)")
    }
  }
}
