internal import Foundation
internal import WindTunnel

/// A record of what is said on a WebSocket connection that passes: it reads along, and changes
/// nothing.
///
/// On the loop's thread only.
final class ConversationRecorder {
  private let start = Moment.now()
  private let roundTrip: Duration
  private var client: Side
  private var server: Side
  private var messages: [WebSocketMessage] = []
  private var bytes = 0
  /// The reason why no more is recorded; `nil`: all is.
  private(set) var shortfall: String?

  /// The bytes of one conversation that are kept; what is said behind them only passes.
  static let bytesMax = 256 << 20
  /// The bytes that a message takes beside its content.
  private static let messageBytes = 256

  /// One side, until it has said its last word or broken a rule.
  private struct Side: ~Copyable {
    var reader: WebSocketReader
    var isOver = false

    init(_ role: WebSocketRole, _ terms: WebSocketHandshake.Terms, most: Int) {
      reader = WebSocketReader(from: role, terms.deflate, most: most)
    }
  }

  /// Begins behind a handshake.
  ///
  /// - Parameters:
  ///   - terms: The terms that the handshake has led to.
  ///   - roundTrip: The shortest time in which the server can have answered.
  ///   - limits: The longest message.
  init(_ terms: WebSocketHandshake.Terms, roundTrip: Duration, _ limits: Limits) {
    self.roundTrip = roundTrip
    client = Side(.client, terms, most: limits.messageBytesMax)
    server = Side(.server, terms, most: limits.messageBytesMax)
  }

  /// Takes note of bytes on their way.
  func read(_ bytes: UnsafeRawBufferPointer, from sender: WebSocketMessage.Sender) {
    guard shortfall == nil else { return }
    switch sender {
    case .client: read(bytes, from: .client, &client)
    case .server: read(bytes, from: .server, &server)
    }
  }

  private func read(
    _ bytes: UnsafeRawBufferPointer,
    from sender: WebSocketMessage.Sender,
    _ side: inout Side
  ) {
    guard !side.isOver else { return }
    let offset = offset
    var events: [WebSocketReader.Event] = []
    do throws(WebSocketFailure) {
      try side.reader.read(bytes) { events.append($0) }
    } catch {
      shortfall = "the \(sender.rawValue) broke a rule: \(error)"
    }
    for event in events {
      switch event {
      case .message(let data, let isText, let frames):
        var message = WebSocketMessage(from: sender, Body(data), isText: isText, offset: offset)
        if frames.count > 1 { message.fragments = frames }
        add(message)
      case .close(let close):
        side.isOver = true
        let code = close.code.map { Int($0) } ?? 1005
        add(WebSocketMessage(from: sender, closing: code, close.reason, offset: offset))
      // The connection's own.
      case .ping, .pong: break
      }
    }
  }

  private func add(_ message: WebSocketMessage) {
    bytes += message.body.count + Self.messageBytes + message.fragments.count * 8
    guard bytes <= Self.bytesMax else {
      shortfall = "it has more than \(Self.bytesMax) bytes"
      return
    }
    messages.append(message)
  }

  /// Takes note that a side has ended its connection: without a close frame, if it has sent none.
  func ended(_ sender: WebSocketMessage.Sender) {
    let isOver = sender == .client ? client.isOver : server.isOver
    // Who is cut off ends without a word, too, and that says nothing.
    guard !isOver, shortfall == nil, messages.last?.kind != .close(1006) else {
      return
    }
    if sender == .client { client.isOver = true } else { server.isOver = true }
    add(WebSocketMessage(from: sender, closing: 1006, offset: offset))
  }

  private var offset: Duration { .microseconds((Moment.now() - start) / 1000) }

  /// The messages so far, each of the server's with its cause.
  var conversation: [WebSocketMessage] {
    Conversation(messages, roundTrip: roundTrip).messages
  }
}
