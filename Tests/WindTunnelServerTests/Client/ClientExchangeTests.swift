import Origins
import TestSupport
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelServer
@testable import WindTunnelWire

/// One table of origins for each caller of a client exchange.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct ClientExchangeTests {
  /// An origin that sends the same bytes for each request and then ends the connection.
  struct Row: Decodable, Sendable, CustomTestStringConvertible {
    enum End: String, Decodable { case close, reset, cut, stays, silence }

    var name: String
    var wire: String
    var times: Int?
    var end: End
    var isSecure: Bool?
    /// The results of four clients of their own, in the order of ``Caller``; then that of one.
    var before: [String]
    var chosen: String

    var testDescription: String { name }
    var seconds: Double { end == .silence ? 0.5 : 3600 }
    /// A refused handshake has no other result than its response.
    var handshake: String { String(chosen.prefix { $0 != "," }) }

    func serve(on loop: EventLoop, _ asked: Locked<Int>) async throws -> SocketAddress {
      let play: @Sendable (Script) -> Void = { script in
        var text = ""
        script.received = { channel, bytes in
          text += String(decoding: bytes, as: UTF8.self)
          guard text.hasSuffix("\r\n\r\n") else { return }
          asked.withLock { $0 += 1 }
          for _ in 0..<(times ?? 1) { channel.write(Array(wire.utf8)) }
          switch end {
          case .close: channel.close()
          case .reset: channel.reset()
          case .cut: channel.notifyWhenDrained()
          case .stays, .silence: break
          }
        }
        script.drained = { $0.socket.finishWriting() }
        script.ended = { $0.close() }
      }
      guard isSecure == true else { return try await loop.serve(play) }
      return try await TLSChannelTests.serve(on: loop, play)
    }
  }

  enum Caller: CaseIterable, Sendable { case upstream, client, verifier, handshake }
  static let rows = Result { try TestData.rows("client-exchanges.json", count: 21) as [Row] }

  @Test(arguments: try rows.get().filter { TLSKit.isThere || $0.isSecure != true }, Caller.allCases)
  func `an origin is the same to everybody`(row: Row, caller: Caller) async throws {
    let (loop, asked) = (try EventLoop.ofTheTest(), Locked(0))
    let address = try await row.serve(on: loop, asked)
    let url = RequestURL("\(row.isSecure == true ? "https" : "http")://\(address)/a")
    let file = try row.isSecure == true ? TLSKit.authorityFile() : nil
    defer { file?.remove() }
    let stand = Stand(row: row, url: url, trust: file.map { .certificates($0.url) } ?? .system)
    let seen =
      switch caller {
      case .upstream: try await stand.recorded()
      case .client: try await stand.received()
      case .verifier: try await stand.verified()
      case .handshake: try await stand.refused()
      }
    expectEqual(seen, caller == .handshake ? row.handshake : row.chosen)
    expectEqual(asked.withLock { $0 }, 1)
    #expect(row.before.count == 4 && row.before.contains(row.chosen))
  }

  @Test func `interim responses are passed on, and the first too many is passed on with the rest`()
    async throws
  {
    let interim = "HTTP/1.1 103 Early Hints\r\n\r\n"
    let rest = interim + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
    let all = String(repeating: interim, count: ClientExchange.interimResponsesMax) + rest
    let origin = try await Origin { _ in ([all], .close) }
    var options = try ReplayServer.Options.before(origin.url)
    options.passesMalformed = true
    let deck = Deck(Cassette(), mode: .rewrite)
    let seen = try await ReplayServer.serving(deck, options) { server in
      try await server.answer(to: closing("GET /a"))
    }
    expectEqual(seen, all)
  }
}

private struct Stand {
  let row: ClientExchangeTests.Row
  let url: RequestURL
  let trust: Trust

  private func words(_ response: Response?, _ symptom: Symptom? = nil) -> String {
    [response.map { "\($0.status) \($0.body.text ?? "-")" }, symptom?.rawValue]
      .compactMap { $0 }.joined(separator: ", ")
  }

  func recorded() async throws -> String {
    let deck = Deck(Cassette(), mode: .rewrite)
    var options = ReplayServer.Options.patient
    options.limits.responseSeconds = row.seconds
    options.upstream = try Upstream(RequestURL(url.origin ?? ""), trusting: trust)
    try await ReplayServer.serving(deck, options) { server async throws in
      let (bytes, end) = try await server.client().all(after: closing("GET /a"))
      let text = String(decoding: bytes, as: UTF8.self)
      let status = row.chosen.first?.isNumber == true ? String(row.chosen.prefix(3)) : "502"
      let last = text.replacing(/^(HTTP\/1.1 10[03] .*?\r\n\r\n)*/.dotMatchesNewlines(), with: "")
      #expect(last.hasPrefix("HTTP/1.1 \(status) "))
      expectEqual(end, row.chosen.hasSuffix(", connectionLost") ? .reset : .finished)
      let isCut = row.chosen.contains(", ")
      #expect(!isCut || text.content.contains("hello") && !text.hasSuffix("0\r\n\r\n"))
    }
    let kept = try #require(deck.recorded().cassette.interactions.first)
    return words(kept.response, kept.failure?.symptom)
  }

  func received() async throws -> String {
    let (client, seen) = (try HTTPClient(trusting: trust), Events<HTTPExchange.Event>())
    let question = HTTPClient.Question(Request("GET", url), silenceSeconds: row.seconds)
    _ = client.send(question) { seen($0) }
    var (head, content) = (nil as ResponseHead?, Data())
    for await event in seen.stream {
      let response = head.map { Response($0, Body(content)) }
      switch event {
      case .head(let start): head = start
      case .content(let piece): content += piece
      case .end: return words(response)
      case .failed(let failure): return words(response, failure.symptom)
      case .sent, .unreadable: return "\(event)"
      }
    }
    return "nothing"
  }

  func verified() async throws -> String {
    var verifier = Verifier(try Upstream(RequestURL(url.origin ?? ""), trusting: trust))
    verifier.timeout = .seconds(row.seconds)
    let parts = row.chosen.components(separatedBy: ", ")
    let (status, body) = (Int(parts[0].prefix(3)) ?? 599, String(parts[0].dropFirst(4)))
    let known = Response(status: status, body: Body(body))
    let drift = try await verifier.verify(Cassette([Interaction(Request("GET", url), known)]))
    let cut = parts.count > 1 ? "status \(status), then \(parts[1])" : row.chosen
    let verdict = drift.entries.first?.verdict
    if case .drifted(let seen) = verdict, seen.map(\.live) == [cut] { return row.chosen }
    return verdict == .same ? words(known) : String(describing: verdict)
  }

  func refused() async throws -> String {
    let (client, seen) = (try HTTPClient(trusting: trust), Events<WebSocketLine.Event>())
    _ = client.open(Request("GET", url), compresses: false, within: row.seconds) { seen($0) }
    switch try await seen.next() {
    case .refused(let response): return words(response)
    case .failed(let failure): return words(nil, failure.symptom)
    case let event: return "\(event)"
    }
  }
}
