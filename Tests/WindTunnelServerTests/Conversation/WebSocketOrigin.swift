import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// A server of WebSockets that answers each message by a function, frame by frame. It compresses
/// where that is wanted and it is asked for.
struct WebSocketOrigin {
  let address: SocketAddress
  let asked = Events<String>()

  init(
    compresses: Bool = false,
    answering: @escaping @Sendable (WebSocketReader.Event, WebSocketWriter) -> [Data]
  ) async throws {
    let asked = asked
    address = try await EventLoop.serve { script in
      var (head, conversation): (String, Conversation?) = ("", nil)
      script.received = { channel, bytes in
        if let conversation { return conversation.read(bytes, on: channel) }
        head += String(decoding: bytes, as: UTF8.self)
        guard head.hasSuffix("\r\n\r\n") else { return }
        asked(head)
        let isAgreed = compresses && head.contains("Sec-WebSocket-Extensions: permessage-deflate")
        conversation = Conversation(isAgreed ? PerMessageDeflate() : nil, answering)
        let fields = isAgreed ? "Sec-WebSocket-Extensions: permessage-deflate\r\n" : ""
        channel.write(
          Array(
            ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nX-Served: yes\r\n\(fields)\r\n")
              .utf8
          )
        )
      }
      script.ended = { $0.close() }
    }
  }

  /// One connection's state, on the loop's thread.
  private final class Conversation {
    private var reader: WebSocketReader
    private let writer: WebSocketWriter
    private let answering: (WebSocketReader.Event, WebSocketWriter) -> [Data]

    init(
      _ terms: PerMessageDeflate?,
      _ answering: @escaping (WebSocketReader.Event, WebSocketWriter) -> [Data]
    ) {
      reader = WebSocketReader(from: .client, terms)
      writer = WebSocketWriter(as: .server, terms)
      self.answering = answering
    }

    func read(_ bytes: [UInt8], on channel: Channel) {
      for event in reader.events(of: bytes) {
        for data in answering(event, writer) { channel.write(data) }
        if case .close = event { channel.close() }
      }
    }
  }

  /// Sends back what comes, as messages in the opposite order of frames.
  static func echo(_ event: WebSocketReader.Event, _ writer: WebSocketWriter) -> [Data] {
    switch event {
    case .message(let data, let isText, let frames):
      [writer.message(data, isText: isText, fragments: frames.reversed())]
    case .ping(let data): [writer.frame(WebSocketFrame(.pong, data))]
    case .pong: []
    case .close(let close): [writer.frame(close.frame)]
    }
  }

  /// Records what clients do in a scenario, and returns what stands on the cassette of it.
  func recording(
    in scenario: Scenario = .calm,
    _ body: (ReplayServer) async throws -> Void
  ) async throws -> [Interaction] {
    let deck = Deck(Cassette(), scenario: scenario, mode: .rewrite)
    var options = try ReplayServer.Options.before(RequestURL("http://127.0.0.1:\(address.port)"))
    options.recordedOrigin = "http://api.example.test"
    try await ReplayServer.serving(deck, options) { try await body($0) }
    expectEqual(deck.arrivals.carriedCount, 0)
    let cassette = deck.recorded().cassette
    // It comes back from its file as it went in.
    try expectEqual(Cassette(data: cassette.data(), source: "a.json"), cassette)
    return cassette.interactions
  }
}

extension WebSocketReader {
  /// Reads bytes of a peer that is to break no rule.
  mutating func events(of bytes: [UInt8]) -> [Event] {
    var events: [Event] = []
    do {
      try bytes.withUnsafeBytes { try read($0) { events.append($0) } }
    } catch {
      Issue.record("the peer broke a rule: \(error)")
    }
    return events
  }
}
