import Foundation
import Mutations

@testable import WindTunnel
@testable import WindTunnelWire

/// Messages for a parser: composed of good and bad parts, and then harmed byte by byte.
struct FuzzedMessage<Head: Sendable & Hashable>: Hashable {
  var head: Head
  var content = Data()
  var trailers: HeaderFields = [:]

  /// The messages that came to their end; interim answers are none.
  static func whole(_ events: [MessageEvent<Head>]) -> [FuzzedMessage] {
    var whole: [FuzzedMessage] = []
    var current: FuzzedMessage?
    for event in events {
      switch event {
      case .head(let head): current = FuzzedMessage(head: head)
      case .content(let data): current?.content += data
      case .trailers(let fields): current?.trailers = fields
      case .end: if let current { whole.append(current) }
      case .failed: current = nil
      }
    }
    return whole
  }

  fileprivate func written(_ line: String, _ fields: HeaderFields, _ framing: Framing) -> [UInt8] {
    var bytes = "\(line)\r\n".octets
    bytes.appendFields(fields)
    switch framing {
    case .chunked:
      bytes.appendChunk(content)
      bytes.appendLastChunk(trailers: trailers)
    case .length, .none, .untilClose: bytes += content
    }
    return bytes
  }
}

extension FuzzedMessage where Head == RequestHead {
  /// The message as this project writes it.
  var written: [UInt8] {
    written("\(head.method) \(head.target) \(head.version.rawValue)", head.headers, head.framing)
  }

  /// One request or two.
  static func request(_ numbers: inout Generator) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0...Int.random(in: 0...1, using: &numbers) {
      if numbers.tosses(1, of: 2) {
        bytes += Array((RequestParserTests.good.randomElement(using: &numbers) ?? "").utf8)
        continue
      }
      let lines = [
        "GET / HTTP/1.1", "POST /a?b=c HTTP/1.1", "HEAD http://a:80/b HTTP/1.1",
        "OPTIONS * HTTP/1.1", "CONNECT a:443 HTTP/1.1", "PUT /x HTTP/1.0", "GET / HTTP/2.0",
        "GET /",
        "\r\nGET / HTTP/1.1", "GET  / HTTP/1.1",
      ]
      let fields = [
        "Host: a", "Host: [::1]:80", "Host:", "Content-Length: 5", "Content-Length: 0",
        "Content-Length: 5, 5", "Transfer-Encoding: chunked", "transfer-encoding:\tCHUNKED ",
        "Transfer-Encoding: gzip", "Connection: close", "Connection: keep-alive, X", "X: 1", "X:",
        "Expect: 100-continue", " folded", "TE: trailers", "X: Zo\u{EB}",
      ]
      bytes += Self.composed(lines, fields, &numbers)
    }
    return numbers.tosses(3, of: 4) ? Self.harmed(bytes, &numbers) : bytes
  }
}

extension FuzzedMessage where Head == ResponseStart {
  /// The message as this project writes it.
  var written: [UInt8] {
    let status = String(head.head.status)
    let padded = String(repeating: "0", count: max(0, 3 - status.count)) + status
    return written(
      "\(head.version.rawValue) \(padded) \(head.reason)",
      head.head.headers,
      head.framing
    )
  }

  static func answer(_ numbers: inout Generator) -> [UInt8] {
    let good = ResponseParserTests.whole.map(\.1).randomElement(using: &numbers) ?? ""
    if numbers.tosses(1, of: 2) { return harmed(Array(good.utf8), &numbers) }
    let lines = [
      "HTTP/1.1 200 OK", "HTTP/1.1 204 ", "HTTP/1.0 200 Fine", "HTTP/1.1 304 Not Modified",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK", "HTTP/1.1 200", "HTTP/2 200",
      "HTTP/1.1 101 Go",
    ]
    let fields = [
      "Content-Length: 5", "Content-Length: 5, 5", "Content-Length: 0",
      "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Connection: close",
      "X: 1", "X:", " folded", "Trailer: X",
    ]
    let bytes = composed(lines, fields, &numbers)
    return numbers.tosses(3, of: 4) ? harmed(bytes, &numbers) : bytes
  }
}

extension FuzzedMessage {
  fileprivate static func composed(
    _ lines: [String],
    _ fields: [String],
    _ numbers: inout Generator
  ) -> [UInt8] {
    var text = (lines.randomElement(using: &numbers) ?? "") + "\r\n"
    if numbers.tosses(3, of: 4) { text += "\(fields[0])\r\n" }
    for _ in 0..<Int.random(in: 0...3, using: &numbers) {
      text += (fields.randomElement(using: &numbers) ?? "") + "\r\n"
    }
    let contents = [
      "", "hello", "5\r\nhello\r\n0\r\n\r\n", "2;a=\"b\"\r\nhi\r\n3\r\nyou\r\n0\r\nX: 1\r\n\r\n",
      "0\r\n\r\n", "5\r\nhello", "-1\r\n", "ffffffffffffffff\r\n",
      "10\r\n0123456789abcdef\r\n0\r\n\r\n",
    ]
    return Array("\(text)\r\n\(contents.randomElement(using: &numbers) ?? "")".utf8)
  }

  /// Bytes with one to four of them changed, come or gone.
  fileprivate static func harmed(_ bytes: [UInt8], _ numbers: inout Generator) -> [UInt8] {
    let spice = Array("\r\n\t :;,0123456789abcxyz\u{0}\u{7F}é".utf8)
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &numbers) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &numbers)
      let byte = spice.randomElement(using: &numbers) ?? 0
      switch Int.random(in: 0..<5, using: &numbers) {
      case 0: bytes[place] = byte
      case 1: bytes.insert(byte, at: place)
      case 2: bytes.remove(at: place)
      case 3:
        let end = min(bytes.count, place + Int.random(in: 1...20, using: &numbers))
        bytes.insert(contentsOf: bytes[place..<end], at: place)
      default: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
      }
    }
    return bytes
  }
}

extension Generator {
  mutating func tosses(_ share: Int, of whole: Int) -> Bool {
    Int.random(in: 0..<whole, using: &self) < share
  }
}
