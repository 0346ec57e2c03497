internal import Foundation
internal import WindTunnel

/// A cassette as a recording of an API leaves it, the same for the same size.
struct LoadTape {
  /// What the bodies are.
  enum Bodies: String, CaseIterable {
    /// JSON as structure, text, and a little base64.
    case mixed
    /// Text only, much of it JSON in a spacing that stays text, so that any decoder reads it as
    /// strings.
    case text
  }

  private var state: UInt64 = 1
  private let bodies: Bodies

  init(_ bodies: Bodies) { self.bodies = bodies }

  /// The cassette's text, of so many interactions of about `bytesEach` bytes each.
  static func data(_ count: Int, _ bodies: Bodies, bytesEach: Int = 3000) -> Data {
    var tape = LoadTape(bodies)
    if bytesEach < smallMax { return Cassette((0..<count).map { tape.small($0) }).data() }
    return Cassette((0..<count).map { tape.interaction($0, max(0, bytesEach - 1400)) }).data()
  }

  /// Interactions of fewer bytes have few fields, a body of a line and about 420 bytes.
  private static let smallMax = 1000

  private mutating func small(_ index: Int) -> Interaction {
    let body = Body("{\"id\":\(index),\"name\":\"\(word()) \(word())\"}")
    return Interaction(
      Request("GET", RequestURL(Self.url(index)), headers: ["Accept": "application/json"]),
      Response(
        headers: [
          "Content-Type": "application/json", "Content-Length": String(body.data.count),
        ],
        body: body
      )
    )
  }

  static func url(_ index: Int) -> String {
    "https://api.example.com/v2/shops/\(index % 40)/items/\(index)?fields=id,name&page=\(index % 7)&sort=-created"
  }

  private mutating func next(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }

  private mutating func word() -> String {
    let words = ["amber", "basalt", "cedar", "delta", "ember", "fjord", "grüner", "heath", "ivory"]
    return words[next(words.count)]
  }

  private mutating func hex(_ digits: Int) -> String {
    (0..<digits).map { _ in String(next(16), radix: 16) }.joined()
  }

  private mutating func interaction(_ index: Int, _ bytes: Int) -> Interaction {
    let request = Request(
      index % 9 == 0 ? "POST" : "GET",
      RequestURL(Self.url(index)),
      headers: [
        "Host": "api.example.com", "User-Agent": "Shop/4.2 (Linux; x86_64) URLSession",
        "Accept": "application/json, text/plain;q=0.8", "Accept-Encoding": "gzip, deflate, br",
        "Accept-Language": "en-GB,en;q=0.9", "Authorization": "Bearer REDACTED-authorization-1",
        "X-Request-Id": "\(hex(8))-\(hex(4))-\(hex(12))", "Connection": "keep-alive",
      ],
      body: index % 9 == 0 ? Body(#"{"name":"\#(word())","count":\#(next(99))}"#) : .empty
    )
    let (body, type) = body(index, bytes)
    let response = Response(
      status: index % 50 == 0 ? 404 : 200,
      headers: [
        "Date": "Tue, 04 Nov 2025 10:\(10 + index % 50):00 GMT", "Content-Type": type,
        "Content-Length": String(body.data.count), "Server": "nginx", "Vary": "Accept-Encoding",
        "Cache-Control": "private, max-age=0, must-revalidate", "ETag": "\"\(hex(32))\"",
        "X-Request-Id": "\(hex(8))-\(hex(4))-\(hex(12))", "X-RateLimit-Remaining": "\(next(5000))",
        "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
        "X-Content-Type-Options": "nosniff", "Connection": "keep-alive",
      ],
      body: body
    )
    var interaction = Interaction(request, response)
    interaction.timing = Timing(
      firstByte: .microseconds(20_000 + next(80_000)),
      lastByte: .microseconds(100_000 + next(9_000))
    )
    return interaction
  }

  private mutating func body(_ index: Int, _ bytes: Int) -> (Body, type: String) {
    switch (bodies, index % 10) {
    case (.mixed, 9):
      let bytes = (0..<bytes * 3 / 4).map { _ in UInt8(next(256)) }
      return (Body(Data([0xFF] + bytes)), "image/png")
    case (.mixed, 6...8), (.text, 5...9):
      var text = "<!doctype html>\n"
      while text.utf8.count < bytes {
        text += "<p class=\"\(word())\">The \(word()) of \(word()) stands by the \(word()).</p>\n"
      }
      return (Body(text), "text/html; charset=utf-8")
    case (.mixed, _): return (Body(items(bytes * 2 / 3, #":"#)), "application/json")
    case (.text, _): return (Body(items(bytes * 3 / 4, #" : "#)), "application/json")
    }
  }

  /// A list of objects.
  private mutating func items(_ bytes: Int, _ colon: String) -> String {
    var items: [String] = []
    var count = 0
    repeat {
      let members = [
        "\"id\"\(colon)\(next(1_000_000))", "\"name\"\(colon)\"\(word()) \(word())\"",
        "\"price\"\(colon)\(next(900)).\(10 + next(90))", "\"inStock\"\(colon)\(next(2) == 0)",
        "\"tags\"\(colon)[\"\(word())\",\"\(word())\"]", "\"parent\"\(colon)null",
      ]
      items.append("{\(members.joined(separator: ","))}")
      count += items[items.count - 1].utf8.count + 1
    } while count < bytes
    return "{\"items\"\(colon)[\(items.joined(separator: ","))],\"total\"\(colon)\(items.count)}"
  }
}
