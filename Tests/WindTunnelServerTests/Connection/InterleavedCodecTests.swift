import Origins
import TestSupport

@_spi(WindTunnel) @testable import WindTunnel
@testable import WindTunnelServer
@testable import WindTunnelWire

/// A protocol with several requests at once needs a codec and nothing else.
@Suite(.timeLimit(.minutes(5))) struct InterleavedCodecTests {
  private static let slow: Scenario = [
    .on("GET /slow", .always, .delay(.exactly(.milliseconds(100))))
  ]

  /// Serves connections by the codec of these tests.
  private static func serve(
    _ deck: Deck,
    _ live: LiveConnections,
    _ options: ReplayServer.Options = .patient,
    on loop: EventLoop
  ) async throws -> RawClient {
    let address = try await loop.run { reactor in
      let context = PortContext(deck: deck, owner: .fixed(.deck), options: options, port: 1)
      let handler = ReplayHandler(context: context)
      return try Listener(on: reactor) { socket in
        ServedConnection.begin(
          socket,
          handler,
          in: context,
          live,
          at: nil,
          speaking: LineCodec(),
          on: reactor
        )?.open()
      }.address
    }
    return try RawClient(address)
  }

  /// The connections of a loop, of which one is counted by its listener.
  private static func live() -> LiveConnections {
    let limit = ConnectionLimit()
    _ = limit.enter()
    return LiveConnections(limit)
  }

  private static func deck(_ scenario: Scenario = slow) -> Deck {
    Deck(
      Cassette(
        ["/slow", "/fast"].map {
          Interaction(
            Request("GET", RequestURL("http://api.example.test\($0)")),
            Response(body: Body("\($0)"))
          )
        }
      ),
      scenario: scenario
    )
  }

  @Test func `two requests of one connection are answered out of order`() async throws {
    let loop = try EventLoop()
    let deck = Self.deck()
    let client = try await Self.serve(deck, Self.live(), on: loop)
    await client.send("1 head /slow\n2 head /fast\n2 end\n1 end\n")
    await expectEqual(
      client.receive(until: "1 end\n"),
      "2 200\n2 = /fast\n2 end\n1 200\n1 = /slow\n1 end\n"
    )
    // The connection goes on.
    await client.send("3 head /none\n3 end\n")
    let next = await client.receive(until: "3 end\n")
    #expect(next.hasPrefix("3 "))
    client.close()
    await loop.stop()
    expectEqual(deck.attempts("GET /slow"), 1)
    expectEqual(deck.attempts("GET /fast"), 1)
    expectEqual(deck.arrivals.carriedCount, 0)
  }

  @Test func `a server that stops finishes the responses of all streams`() async throws {
    let loop = try EventLoop()
    let live = Self.live()
    let client = try await Self.serve(
      Self.deck([.always(.always, .delay(.exactly(.milliseconds(300))))]),
      live,
      on: loop
    )
    await client.send("1 head /slow\n1 end\n2 head /fast\n2 end\n3 head /fast\n")
    try await loop.run { reactor in
      _ = reactor.schedule(after: 100_000_000) { live.drain(on: $0) }
    }
    let (bytes, end) = await client.receiveAll()
    let text = String(decoding: bytes, as: UTF8.self)
    expectEqual(end, RawClient.End.finished)
    #expect(text.contains("1 end\n") && text.contains("2 end\n") && !text.contains("3 "))
    #expect(text.contains("- bye\n"))
    await loop.stop()
  }

  @Test func `a request that its client cancels ends alone`() async throws {
    let loop = try EventLoop()
    let deck = Self.deck()
    let client = try await Self.serve(deck, Self.live(), on: loop)
    await client.send("1 head /slow\n1 end\n3 head /slow\n1 cancel\n3 cancel\n")
    await client.send("2 head /fast\n2 end\n")
    await expectEqual(client.receive(until: "2 end\n"), "2 200\n2 = /fast\n2 end\n")
    client.close()
    await loop.stop()
    expectEqual(deck.attempts("GET /slow"), 1)
    expectEqual(deck.arrivals.carriedCount, 0)
  }

  @Test func `a request that is not whole in time ends its connection`() async throws {
    let loop = try EventLoop()
    var options = ReplayServer.Options.patient
    options.limits.requestSeconds = 0.05
    let client = try await Self.serve(Self.deck(), Self.live(), options, on: loop)
    await client.send("1 head /slow\n2 head /fast\n2 end\n")
    let text = String(decoding: await client.receiveAll().0, as: UTF8.self)
    #expect(text.hasPrefix("2 200\n2 = /fast\n2 end\n- 408"))
    await loop.stop()
  }
}

/// A protocol of lines with a stream's number in front of each: `1 head /path`, `1 end`,
/// `1 cancel`.
private final class LineCodec: ConnectionCodec {
  private var input = ""
  private var open: Set<Int> = []

  var servesInOrder: Bool { false }
  var bufferedBytes: Int { input.utf8.count }
  var isBetweenRequests: Bool { input.isEmpty && open.isEmpty }

  func feed(_ bytes: UnsafeRawBufferPointer) { input += String(decoding: bytes, as: UTF8.self) }

  func feedEnd() {}

  func next() -> (stream: Int, event: RequestParser.Event)? {
    guard let end = input.firstIndex(of: "\n") else { return nil }
    let words = input[..<end].split(separator: " ")
    input.removeSubrange(...end)
    guard words.count > 1, let stream = Int(words[0]) else { return (0, .failed(.bad("No line."))) }
    guard words.count == 3 else {
      open.remove(stream)
      return (stream, words[1] == "end" ? .end : .failed(.bad("It is cancelled.")))
    }
    open.insert(stream)
    let head = RequestHead(
      method: "GET",
      target: String(words[2]),
      version: .http11,
      headers: ["Host": "api.example.test"],
      framing: .none,
      keepsAlive: true,
      expectsContinue: false
    )
    return (stream, .head(head))
  }

  func takeRemainder() -> Data { Data() }

  func appendGoAway(to bytes: inout [UInt8]) { bytes += "- bye\n".utf8 }

  func appendContinue(on stream: Int, to bytes: inout [UInt8]) {}

  func append(_ head: EncodedHead, on stream: Int, to bytes: inout [UInt8]) {
    bytes += "\(stream) \(head.head.status)\n".utf8
  }

  func append(_ content: Data, in framing: Framing, on stream: Int, to bytes: inout [UInt8]) {
    bytes += "\(stream) = ".utf8 + content + "\n".utf8
  }

  func appendEnd(
    _ trailers: HeaderFields,
    in framing: Framing,
    on stream: Int,
    to bytes: inout [UInt8]
  ) {
    bytes += "\(stream) end\n".utf8
  }

  func appendLast(_ response: Response, on stream: Int?, to bytes: inout [UInt8]) {
    bytes += "- \(response.status)\n".utf8
  }

  func isCongested(_ stream: Int) -> Bool { false }

  func appendPending(upTo room: Int, to bytes: inout [UInt8]) -> Bool { false }

  func appendReset(_ error: StreamError, on stream: Int, to bytes: inout [UInt8]) -> Bool {
    bytes += "\(stream) reset \(error)\n".utf8
    return true
  }

  func isDelivered(_ stream: Int) -> Bool { true }
}
