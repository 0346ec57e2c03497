import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// Faults as a raw socket sees them: every byte, and whether the end was a FIN or a reset.
@Suite(.timeLimit(.minutes(5))) struct FaultWireTests {
  private static let request = "GET /n HTTP/1.1\r\nHost: a\r\n\r\n"
  private static let body = #"{"a":[1,2,3,{"b":"c"}]}"#

  private static func deck(_ fault: Fault) -> Deck {
    Deck([.get("/n") { _ in .text(Body(body)) }], scenario: [.on("GET /n", .always, fault)])
  }

  /// Kinds whose answer ends its connection by itself.
  static let ending = FaultKind.all.filter { kind in
    if case .connection = kind.fault { return false }
    let outcome = deck(kind.fault).decide(Request("GET", "/n"))
    switch Delivery(outcome, on: .onTheWire).steps.last {
    case .close?, .reset?: return true
    default: return false
    }
  }

  @Test(arguments: ending)
  func `bytes and end are those that were decided`(kind: FaultKind) async throws {
    let deck = Self.deck(kind.fault)
    let wanted = Delivery(deck.decide(Request("GET", "/n")), on: .onTheWire)
    let raw = wanted.steps.reduce(Data()) { data, step in
      guard case .bytes(.data(let more)) = step else { return data }
      return data + more
    }
    try await ReplayServer.serving(deck) { server in
      let (bytes, end) = try await server.client().all(after: Self.request)
      expectEqual(end, (wanted.steps.last == .reset ? .reset : .finished))
      if wanted.needs.contains(.rawBytes) {
        expectEqual(Data(bytes), raw)
      } else {
        expectEqual(Data(Self.content(of: bytes).suffix(raw.count)), raw)
      }
    }
  }

  /// The content of a message, out of its chunks (RFC 9112 §7.1) where it comes in some.
  private static func content(of bytes: [UInt8]) -> [UInt8] {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.contains("Transfer-Encoding: chunked"), let head = text.range(of: "\r\n\r\n")
    else { return bytes }
    var content: [UInt8] = []
    var rest = Array(text[head.upperBound...].utf8)[...]
    while let line = rest.firstIndex(of: UInt8(ascii: "\r")),
      let size = Int(String(decoding: rest[..<line], as: UTF8.self), radix: 16)
    {
      content += rest[line...].dropFirst(2).prefix(size)
      rest = rest[line...].dropFirst(2 + size + 2)
    }
    return content
  }

  @Test func `there are kinds to look at`() { #expect(Self.ending.count > 30) }

  @Test(arguments: ["half-close-after-request", "half-close-in-body"])
  func `a server that has ended one way takes what the client still sends`(name: String)
    async throws
  {
    let deck = Self.deck(try #require(FaultKind.named(name)).fault)
    try await ReplayServer.serving(deck) { server in
      let client = try server.client()
      await client.send(Self.request)
      let (_, end) = await client.receiveAll()
      expectEqual(end, .finished)
      // More than the buffers between them hold: somebody reads it.
      #expect(await client.send([UInt8](repeating: 120, count: 32 << 20)))
      await expectEqual(client.finish().1, .finished)
    }
  }

  @Test(arguments: [(IdleEnd.CloseMethod.close, RawClient.End.finished), (.reset, .reset)])
  func `a connection that is kept ends when it was idle for so long`(
    ending: IdleEnd.CloseMethod,
    end: RawClient.End
  ) async throws {
    let fault = Fault.idle(IdleEnd(ending, .idle(.milliseconds(20))))
    try await ReplayServer.serving(Self.deck(fault)) { server in
      let (bytes, seen) = try await server.client().all(after: Self.request)
      expectEqual(String(decoding: bytes, as: UTF8.self).content, Self.body)
      expectEqual(seen, end)
    }
  }

  @Test func `a request that comes first is answered, and the time begins anew`() async throws {
    let fault = Fault.idle(IdleEnd(.close, .idle(.seconds(3600))))
    try await ReplayServer.serving(Self.deck(fault)) { server in
      let client = try server.client()
      for _ in 1...3 {
        await client.send(Self.request)
        let answer = await client.receive(atLeast: 100)
        #expect(String(decoding: answer, as: UTF8.self).contains("200 OK"))
      }
      client.close()
    }
  }

  @Test(arguments: [(IdleEnd.CloseMethod.close, RawClient.End.finished), (.reset, .reset)])
  func `a connection that is kept ends at the next request's first byte`(
    ending: IdleEnd.CloseMethod,
    end: RawClient.End
  ) async throws {
    let deck = Self.deck(.idle(IdleEnd(ending, .nextRequest)))
    try await ReplayServer.serving(deck) { server in
      let client = try server.client()
      await client.send(Self.request)
      let answer = await client.receive(atLeast: 60)
      #expect(String(decoding: answer, as: UTF8.self).contains("200 OK"))
      await client.send("G")
      await expectEqual(client.receiveAll().1, end)
      client.close()
      // Two requests in one go: the second is none.
      let (bytes, seen) = try await server.client().all(after: Self.request + Self.request)
      expectEqual(String(decoding: bytes, as: UTF8.self).count(of: "200 OK"), 1)
      expectEqual(seen, end)
      expectEqual(deck.journal.all.count { $0.take != .connection }, 2)
    }
  }
}
