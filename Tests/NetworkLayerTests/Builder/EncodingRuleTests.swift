import TestSupport

@testable import WindTunnelNetworkLayer

/// How content is spelled that could be mistaken for something else.
@Suite struct EncodingRuleTests {
  @Test(arguments: [
    ("a b", "a%20b"), ("a+b", "a%2Bb"), ("a&b=c", "a%26b%3Dc"), ("50%", "50%25"), ("ä", "%C3%A4"),
    ("\u{1}", "%01"), ("A-z_0.9~", "A-z_0.9~"), ("", ""),
  ])
  func `of an item whatever could be read otherwise is escaped`(text: String, escaped: String) {
    let query = Query([(name: text, value: text)])
    expectEqual(query.encoded, "\(escaped)=\(escaped)")
    expectEqual(
      RequestBody.form([Headers.Field(text, text)]),
      .data(Data("\(escaped)=\(escaped)".utf8), contentType: "application/x-www-form-urlencoded")
    )
  }

  /// Around the place where one piece that is read of a file ends and the next one begins.
  @Test(arguments: [1 << 18 - 17, 1 << 18 - 16, 1 << 18 - 1, 1 << 18])
  func `a boundary is in no part, wherever a file is read in two`(place: Int) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try (Data(count: place) + Data("--part-boundary-0".utf8)).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let body = try RequestBody.multipart([
      .init("file", file: file, contentType: "application/octet-stream")
    ])
    expectEqual(body.contentType, "multipart/form-data; boundary=part-boundary-1")
  }

  @Test(arguments: [
    (#"{"retcode":5,"retdesc":"gateway","data":{"retcode":0,"retdesc":"service"}}"#, "5 gateway"),
    (#"{"retcode":5,"retdesc":"gateway","data":{"retcode":7,"retdesc":"service"}}"#, "5 gateway"),
    (#"{"retcode":0,"retdesc":"gateway","data":{"retcode":7,"retdesc":"service"}}"#, "7 service"),
    (#"{"retcode":0,"retdesc":"gateway","data":{}}"#, "0 gateway"),
    (#"{"retcode":0,"retdesc":"gateway"}"#, "0 gateway"),
  ])
  func `a gateway's refusal has no service's in it`(text: String, words: String) throws {
    let found = try #require(Envelope(layers: 2).words(in: Data(text.utf8)))
    expectEqual("\(found.code) \(found.message)", words)
  }
}
