import TestSupport

@testable import WindTunnel

@Suite struct BodyTests {
  private func held(_ response: String) throws -> Body {
    let text = #"{"windtunnel":1,"interactions":[{"request":{"url":"/"},"response":\#(response)}]}"#
    return try #require(try Cassette(text).interactions[0].response?.body)
  }

  @Test(arguments: [
    (#"{"json": { "a" : [ 1.0, "\u0041 b" ] } }"#, #"{"a":[1.0,"\u0041 b"]}"#),
    (#"{"layout": "indent1", "json": [{}, [ ]] }"#, "[\n {},\n []\n]"),
    (#"{"text": "a \u0041\n\ud83d\ude00\ud800" }"#, "a A\n😀\u{FFFD}"),
    (#"{"text": "plain é" }"#, "plain é"), (#"{"text": "" }"#, ""), (#"{"base64": "YWI=" }"#, "ab"),
    (#"{"base64": "" }"#, ""),
  ])
  func `a body that is held in a file is what it would be in memory`(slot: String, text: String)
    throws
  {
    let body = try held(slot)
    // The length first, which keeps nothing.
    expectEqual(body.count, text.utf8.count)
    #expect(body == Body(text) && Body(text) == body)
    expectEqual(body.hashValue, Body(text).hashValue)
    #expect(body.data == Data(text.utf8) && body.data.startIndex == 0)
    expectEqual(body.count, text.utf8.count)
    #expect(try body == held(slot) && body != Body(text + " "))
  }

  @Test func `a copy of a body that is held can be changed and the other stays`() throws {
    let body = try held(#"{"text":"one"}"#)
    var other = body
    other.data.append(UInt8(ascii: "!"))
    #expect(other.text == "one!" && body.text == "one")
    other = body
    other.data = Data("two".utf8)
    #expect(other == Body("two") && body == Body("one"))
  }

  @Test func `a body that many ask for at once is one`() async throws {
    let words = String(repeating: #"{"a":[1,2,"three"]},"#, count: 2000) + "{}"
    let body = try held(#"{"layout":"tab","json":[\#(words)]}"#)
    let expected = try #require(try held(#"{"layout":"tab","json":[\#(words)]}"#).text)
    await withTaskGroup(of: String?.self) { group in
      for _ in 0..<16 { group.addTask { body.text } }
      for await text in group { expectEqual(text, expected) }
    }
  }
}
