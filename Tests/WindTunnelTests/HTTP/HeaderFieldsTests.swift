import TestSupport

@testable import WindTunnel

@Suite struct HeaderFieldsTests {
  let fields: HeaderFields = ["Set-Cookie": "a=1", "Accept": "x", "set-cookie": "b=2"]

  @Test func `a repeated header keeps both values in order`() {
    expectEqual(fields.values("SET-COOKIE"), ["a=1", "b=2"])
    expectEqual(fields.values(.setCookie), ["a=1", "b=2"])
    expectEqual([fields[.setCookie], fields[HeaderName("ACCEPT")]], ["a=1", "x"])
    expectEqual(fields["set-Cookie"], "a=1")
    expectEqual(fields.map(\.name), ["Set-Cookie", "Accept", "set-cookie"])
  }

  @Test func `setting replaces every field of a name at the place of the first`() {
    var fields = fields
    fields["set-cookie"] = "c=3"
    expectEqual(fields, ["set-cookie": "c=3", "Accept": "x"])
    fields[.host] = "a"
    expectEqual(fields.map(\.name), ["set-cookie", "Accept", "Host"])
  }

  @Test func `setting nil removes, and removing what is not there does nothing`() {
    var fields = fields
    fields["SET-COOKIE"] = nil
    fields.remove("Absent")
    expectEqual(fields, ["Accept": "x"])
    expectNil(fields["Absent"])
  }

  @Test(
    arguments: [
      (["Connection": "keep-alive, Close"], true), (["Connection": "close"], true),
      (["connection": "x", "Connection": "\tclose "], true), (["Connection": "closed"], false),
      (["Connection": ""], false), (["Connection": ", ,"], false), ([:], false),
    ] as [(HeaderFields, Bool)]
  )
  func `a token is found in any field of a list and only whole`(fields: HeaderFields, found: Bool) {
    expectEqual(fields.contains(token: "close", in: "Connection"), found)
  }

  @Test(arguments: [
    ("", ""), (" ", ""), ("\t a \t", "a"), ("a b", "a b"), (" é\u{301} ", "é\u{301}"),
    ("\u{A0}a", "\u{A0}a"),
  ])
  func `only spaces and tabs are trimmed`(text: String, trimmed: String) {
    expectEqual(String(text.trimmingOptionalWhitespace()), trimmed)
  }

  @Test func `only ASCII letters are one in both cases`() {
    #expect("Content-TYPE".equalsIgnoringASCIICase("content-type"))
    #expect(!"É".equalsIgnoringASCIICase("é"))
    #expect(!"[".equalsIgnoringASCIICase("{"))
  }
}
