import TestSupport

@testable import WindTunnel
@testable import WindTunnelCassettes
@testable import WindTunnelRedaction

/// Octets of heads as text, and the parts of a response head that are rare.
@Suite struct HeadTextTests {
  static let rows: [([UInt8], String)] = [
    (Array("café ☃ 😀".utf8), "café ☃ 😀"), ([0x63, 0x61, 0x66, 0xE9], "caf\u{EFE9}"),
    ([0xE9, 0xC3, 0xA9], "\u{EFE9}é"), ([0xE2, 0x98], "\u{EFE2}\u{EF98}"),
    ([0xED, 0xA0, 0x80], "\u{EFED}\u{EFA0}\u{EF80}"), ([0xC0, 0xAF], "\u{EFC0}\u{EFAF}"),
    // The UTF-8 of a scalar of a stray octet, and that of the scalars around these.
    ([0xEE, 0xBE, 0x80], "\u{EFEE}\u{EFBE}\u{EF80}"), ([0xEE, 0xBD, 0xBF], "\u{EF7F}"),
    ([0xEF, 0x80, 0x80], "\u{F000}"), ([0xEE, 0xBE], "\u{EFEE}\u{EFBE}"),
  ]

  @Test(arguments: rows)
  func `valid UTF-8 is text, and each other octet is a scalar`(octets: [UInt8], text: String) {
    expectEqual(octets.withUnsafeBufferPointer { String(octets: $0) }, text)
    var bytes: [UInt8] = []
    bytes.appendField("A", text)
    expectEqual(Array(bytes.dropFirst(3).dropLast(2)), octets)
  }

  @Test func `a stray octet is an escape in a cassette, and is visible`() throws {
    let request = Request("GET", RequestURL("https://a.test/caf\u{EFE9}?q=\u{EFFF}"))
    var response = Response(status: 500, headers: ["X": "caf\u{EFE9}, café"])
    response.head.customReasonPhrase = "\u{EFCE}\u{EFC4}"
    var empty = Response(status: 200)
    empty.head.keep(reason: "")
    let cassette = Cassette([Interaction(request, response), Interaction(request, empty)])
    let file = String(decoding: cassette.data(), as: UTF8.self)
    #expect(file.contains(#""url": "https://a.test/caf\uefe9?q=\uefff""#), "\(file)")
    #expect(file.contains(#"["X", "caf\uefe9, café"]"#), "\(file)")
    #expect(file.contains(#""reason": "\uefce\uefc4""#), "\(file)")
    try expectEqual(Cassette(data: cassette.data(), source: "a.json"), cassette)
    var bytes: [UInt8] = []
    bytes.appendHead(cassette.interactions[1].response?.head ?? ResponseHead(status: 500))
    expectEqual(String(decoding: bytes, as: UTF8.self), "HTTP/1.1 200 \r\n\r\n")
    expectEqual("caf\u{EFE9}".visibleInLine, #"caf\xE9"#)
    expectEqual("caf\u{EFE9}, café".readingLatin1, "café, café")
    let asked = Request("GET", RequestURL("https://a.test/caf\u{EFE8}?q=%ff"))
    let lines = Explanation(asked, cassette, matcher: .url).description.split(separator: "\n")
    expectEqual(lines[0], #"GET https://a.test/caf\xE8?q=%ff is not on the cassette."#)
    #expect(lines[1].hasSuffix(#", differs in path: recorded /caf\xE9, asked /caf\xE8."#))
  }

  private func exchange(_ trailers: HeaderFields) -> Interaction {
    var response = Response(headers: ["Transfer-Encoding": "chunked"], body: Body("ok"))
    response.head.trailers = trailers
    return Interaction(Request("GET", "https://a.test/"), response)
  }

  @Test func `a secret in a trailer is redacted, and what differs is told`() {
    let secret = "q7Xk2mPz9sLw4TnB8vRc"
    let old = exchange(["X-Sum": "7", "X-Api-Key": secret])
    let safe = redacted(old)
    let fields = safe.first?.response?.trailers ?? [:]
    #expect(fields["X-Sum"] == "7" && fields["X-Api-Key"]?.hasPrefix("REDACTED-") == true)
    expectEqual(safe.first?.response?.headers, ["Transfer-Encoding": "chunked"])
    #expect(!CassetteLint(Cassette([old])).leaks.isEmpty)
    expectEqual(
      PartDifference.of(exchange(["X-Sum": "7"]), exchange(["X-Sum": "8"])),
      [PartDifference("response.trailers.X-Sum", from: "\"7\"", to: "\"8\"")]
    )
    #expect(exchange(["X-Sum": "7"]).steady != exchange(["X-Sum": "8"]).steady)
    expectEqual(exchange(["Date": "a"]).steady, exchange(["Date": "b"]).steady)
  }
}
