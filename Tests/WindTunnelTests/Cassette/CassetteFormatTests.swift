import Mutations
import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

@Suite struct CassetteFormatTests {
  static let everySlot = TestData.text("every-slot.json")

  @Test(arguments: [
    // Of five bytes one; two; none of what a string of JSON spells in two bytes; the shortest.
    ("\u{1b}four", "text"), ("\u{1b}\u{1b}for", "base64"), ("\t\n\r\"\\", "text"),
    ("\u{1}", "base64"), (String(repeating: "\u{1}", count: 1000), "base64"),
    ("\u{1b}[31mred\u{1b}[0m", "text"),
  ])
  func `a body that is full of control characters is no text`(body: String, kind: String) throws {
    let cassette = Cassette([
      Interaction(Request("POST", "/", body: Body(body)), Response(body: Body(body)))
    ])
    let text = String(decoding: cassette.data(), as: UTF8.self)
    expectEqual(text.components(separatedBy: "\"\(kind)\": ").count, 3, "\(text)")
    // Two bodies, and 250 bytes around them; six bytes a byte would be twelve.
    #expect(text.utf8.count < body.utf8.count * 4 + 300)
    try expectEqual(Cassette(text), cassette)
  }

  @Test func `a body of control characters that was written as text reads as before`() throws {
    let text =
      #"{"windtunnel":1,"interactions":[{"request":{"url":"/"},"response":{"text":"\u0001\u001b"}}]}"#
    try expectEqual(Cassette(text).interactions.first?.response?.body, Body("\u{1}\u{1b}"))
  }

  @Test func `a cassette with every slot is read and written as this text`() throws {
    let cassette = try Cassette(Self.everySlot)
    expectEqual(String(decoding: cassette.data(), as: UTF8.self), Self.everySlot)
    let first = cassette.interactions[0]
    expectEqual(first.request.body.text, #"{"name":"Ada"}"#)
    expectEqual(
      first.response?.body.text,
      "{\n  \"id\": 7,\n  \"tags\": [\n    1.50,\n    \"\\u00e9\"\n  ]\n}\n"
    )
    expectEqual(first.failure, Failure(.truncated, text: "ended early"))
    var id = WebSocketMessage(
      from: .client,
      Body(#"{"id":1}"#),
      isText: true,
      offset: .milliseconds(2)
    )
    id.fragments = [4, 4]
    var bye = WebSocketMessage(from: .server, closing: 1001, "bye", offset: .microseconds(3500))
    bye.cause = 4
    expectEqual(
      first.messages,
      [
        WebSocketMessage(from: .client, Body("hi"), isText: true, offset: .zero),
        WebSocketMessage(
          from: .server,
          Body(Data([0, 255])),
          isText: false,
          offset: .microseconds(1500)
        ),
        id,
        WebSocketMessage(from: .client, closing: 1005, offset: .milliseconds(3)),
        bye,
      ]
    )
    expectEqual(cassette.interactions[1].result, .failure(Failure(.hostNotFound)))
  }

  @Test func `a line written by hand is enough`() throws {
    let cassette = try Cassette(
      #"{"windtunnel":1,"interactions":[{"request":{"url":"/users/{id}"},"response":{"json":{"id": 7}}}]}"#
    )
    expectEqual(
      cassette.interactions,
      [
        Interaction(
          Request("GET", "/users/{id}"),
          Response(
            headers: ["Content-Type": "application/json", "Content-Length": "8"],
            body: Body(#"{"id":7}"#)
          )
        )
      ]
    )
  }

  @Test func `headers may be an object`() throws {
    let cassette = try Cassette(
      #"{"windtunnel":1,"interactions":[{"request":{"url":"/","headers":{"A":"1","a":"2"}},"response":{}}]}"#
    )
    expectEqual(cassette.interactions[0].request.headers, ["A": "1", "a": "2"])
  }

  @Test(arguments: [
    (#"{"a":1}"#, #""json": {"a":1}"#), (#"{ "a": 1 }"#, #""text": "#), ("7", #""text": "7""#),
    ("[1, 2]", #""layout": "spaced", "json": [1, 2]"#), ("é\n", #""text": "é\n""#),
    ("\0", "base64"),
    ("{\"a\":1}\n\n", #""text": "#), ("\u{FEFF}{}", #""text": "#),
    (String(repeating: "[", count: 300), #""text": "#),
  ])
  func `a body is structure only if the very same bytes come back`(body: String, slot: String)
    throws
  {
    let cassette = Cassette([Interaction(Request("GET", "/"), Response(body: Body(body)))])
    let text = String(decoding: cassette.data(), as: UTF8.self)
    #expect(text.filter { $0 != " " && $0 != "\n" }.contains(slot.filter { $0 != " " }))
    try expectEqual(Cassette(data: cassette.data(), source: "a"), cassette)
  }

  @Test func `the deepest structure that is written is read again`() throws {
    for depth in 240...256 {
      let body = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let cassette = Cassette([Interaction(Request("GET", "/"), Response(body: Body(body)))])
      try expectEqual(Cassette(data: cassette.data(), source: "a"), cassette, "\(depth) levels")
    }
  }

  @Test func `what is not UTF-8 is base64`() throws {
    let cassette = Cassette([
      Interaction(Request("GET", "/"), Response(body: Body(Data([0xFF, 0xFE]))))
    ])
    #expect(String(decoding: cassette.data(), as: UTF8.self).contains(#""base64": "//4=""#))
    try expectEqual(Cassette(data: cassette.data(), source: "a"), cassette)
  }

  @Test(arguments: 0..<60)
  func `what is written is read as it was`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    let cassette = generator.cassette()
    try expectEqual(Cassette(data: cassette.data(), source: "a"), cassette, "seed \(seed)")
    try expectEqual(Cassette(data: cassette.data(), source: "a").data(), cassette.data())
  }

  @Test(arguments: 0..<30)
  func `no mutation of a cassette crashes, and what is accepted stays itself`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    for _ in 0..<60 {
      let text = generator.mutated(Array(Self.everySlot.utf8))
      // A refused text is what other tests are about.
      guard let cassette = try? Cassette(data: Data(text), source: "a") else { continue }
      try expectEqual(Cassette(data: cassette.data(), source: "a"), cassette, "seed \(seed)")
    }
  }
}
