import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer
@testable import WindTunnelWire

/// The cassette that `Scripts/development/record-httpbin` recorded from a real server, played to a client that
/// sees every byte.
@Suite(.timeLimit(.minutes(5))) struct HTTPBinTests {
  private static let file = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Cassettes/examples/httpbin.json")

  private let cassette: Cassette

  init() throws { cassette = try Cassette(contentsOf: Self.file) }

  /// Sends requests to a server that plays the cassette, and takes all that comes.
  private func play(_ requests: [Request]) async throws -> (bytes: [UInt8], host: String) {
    let deck = Deck(cassette, matcher: .pathAndQuery, then: .repeat)
    let server = try await ReplayServer(deck, .patient)
    let host = "127.0.0.1:\(server.port)"
    let text = requests.indices.flatMap { index in
      Self.written(requests[index], to: host, isLast: index == requests.count - 1)
    }
    let client = try RawClient(.loopback(port: server.port))
    // A large answer may have to be read before the last request is taken.
    async let sent = client.send(text)
    let (bytes, end) = await client.receiveAll()
    #expect(await sent && end == .finished)
    client.close()
    await server.stop()
    return (bytes, host)
  }

  /// A request as the recorded client sent it; the last of a connection says so.
  private static func written(_ request: Request, to host: String, isLast: Bool) -> [UInt8] {
    var headers = request.headers
    headers.append("Host", host)
    if isLast { headers.append("Connection", "close") }
    if !request.body.data.isEmpty, headers["Content-Length"] == nil {
      headers.append("Content-Length", String(request.body.data.count))
    }
    var bytes: [UInt8] = []
    bytes.appendHead(method: request.method, target: request.url.target, headers: headers)
    return bytes + request.body.data
  }

  /// The answer on the wire to the byte, as far as the connection it comes over leaves it alone.
  private static func expected(_ interaction: Interaction, from host: String, isLast: Bool) throws
    -> [UInt8]
  {
    let response = try #require(interaction.response)
    var headers = response.headers
    if let location = headers["Location"] {
      // A redirect to the origin leads back to whoever plays it, under the name it was asked by.
      let origin = "https://httpbin.example.test/"
      headers["Location"] = location.replacing(origin, with: "http://\(host)/")
    }
    if isLast { headers.append("Connection", "close") }
    var bytes: [UInt8] = []
    bytes.appendHead(ResponseHead(status: response.status, headers: headers))
    guard headers["Transfer-Encoding"] != nil else { return bytes + response.body.data }
    // A stream goes out in the pieces that it came in.
    var rest = response.body.data[...]
    for piece in interaction.timing?.chunks ?? [] {
      bytes.appendChunk(rest.prefix(piece.bytes))
      rest = rest.dropFirst(piece.bytes)
    }
    if !rest.isEmpty { bytes.appendChunk(rest) }
    bytes.appendLastChunk()
    return bytes
  }

  private var isWhole: (Interaction) -> Bool {
    { if case .response = $0.result { true } else { false } }
  }

  @Test func `every recorded answer is played to the byte, all on one connection`() async throws {
    let whole = cassette.interactions.filter(isWhole)
    #expect(whole.count >= 49)
    let (bytes, host) = try await play(whole.map(\.request))
    var rest = bytes[...]
    for (index, interaction) in whole.enumerated() {
      let isLast = index == whole.count - 1
      let answer = try Self.expected(interaction, from: host, isLast: isLast)
      let request = interaction.request
      #expect(rest.starts(with: answer), "\(request.method) \(request.url)")
      rest = rest.dropFirst(answer.count)
    }
    #expect(rest.isEmpty)
  }

  @Test func `an answer that broke off when it was recorded breaks off there again`() async throws {
    let cut = cassette.interactions.filter { !isWhole($0) }
    #expect(!cut.isEmpty)
    for interaction in cut {
      let (bytes, _) = try await play([interaction.request])
      var parser = ResponseParser()
      parser.expectAnswer(to: interaction.request.method)
      let events = parser.events(of: bytes, by: max(bytes.count, 1))
      let response = try #require(interaction.response)
      expectEqual(events.first?.headOrNil?.head.status, response.status)
      let announced = try #require(response.headers["Content-Length"].flatMap(Int.init))
      #expect(announced > response.body.data.count)
      let place = ProtocolError.Truncation.inContent(
        received: response.body.data.count,
        expected: announced
      )
      expectEqual(events.last?.failure?.kind, .truncated(place))
    }
  }

  @Test(arguments: [
    ("GET", "/get?page=3&name=%C3%A9t%C3%A9&empty=", "/get?page=2", "query \"page\""),
    ("PUT", "/robots.txt", "/robots.txt", "method: recorded GET, asked PUT"),
    ("GET", "/image/jpeg", "/image/png", "path: recorded /image/png, asked /image/jpeg"),
    // Its response is in a coding that no recording keeps, and it was not recorded.
    ("GET", "/brotli", "/", "path: recorded /"),
  ])
  func `what was not recorded is refused with the nearest recording and the first difference`(
    method: String,
    target: String,
    nearest: String,
    difference: String
  ) async throws {
    let (bytes, _) = try await play([Request(method, RequestURL(target))])
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 501 "))
    #expect(text.contains("\(method) https://httpbin.example.test\(target) is not on the cassette"))
    #expect(text.contains("\nNearest: #"))
    #expect(text.contains("https://httpbin.example.test\(nearest)"))
    #expect(text.contains("differs in \(difference)"), "\(text)")
  }

  @Test func `the cassette names no machine and no credential`() throws {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    #expect(!text.contains("127.0.0.1") && !text.contains("localhost"))
    #expect(!text.contains("wt-invented") && !text.contains("wt%20invented"))
    #expect(text.contains("REDACTED-authorization-1") && text.contains("REDACTED-hue-1"))
    #expect(text.utf8.count < 300_000)
  }
}
