import TestSupport

@testable import WindTunnelHTTP

/// A client of a WebSocket at a raw connection: it sees each frame as it came.
actor WebSocketPeer {
  /// The things that a server says.
  enum Said: Hashable, CustomStringConvertible {
    case text(String, frames: Int)
    case binary([UInt8], frames: Int)
    case pong(String)
    case ping(String)
    case close(Int, String)
    case end(RawClient.End)

    var description: String {
      switch self {
      case .text(let text, let frames): "text \(text)" + (frames == 1 ? "" : " in \(frames)")
      case .binary(let bytes, let frames): "binary \(bytes)" + (frames == 1 ? "" : " in \(frames)")
      case .pong(let text): "pong \(text)"
      case .ping(let text): "ping \(text)"
      case .close(let code, let reason): "close \(code) \(reason)"
      case .end(let end): "\(end)"
      }
    }
  }

  private let client: RawClient
  private var reader: WebSocketReader
  private let writer: WebSocketWriter
  private var said: [Said] = []
  private var hasLeft = false
  let head: String

  /// Opens a connection: asks for a WebSocket, with further fields, and takes the answer.
  init(
    _ client: RawClient,
    _ target: String,
    _ fields: HeaderFields = [:],
    deflate: PerMessageDeflate? = nil
  ) async throws {
    self.client = client
    await client.send(Self.wish(target, fields))
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      let more = await client.receive(exactly: 1)
      if more.isEmpty { break }
      head += more
    }
    self.head = String(decoding: head, as: UTF8.self)
    reader = WebSocketReader(from: .server, deflate)
    writer = WebSocketWriter(as: .client, deflate)
  }

  static func wish(_ target: String, _ fields: HeaderFields = [:]) -> String {
    let own: HeaderFields = [
      "Host": "x", "Connection": "Upgrade", "Upgrade": "websocket",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13",
    ]
    return "GET \(target) HTTP/1.1\r\n"
      + (Array(own) + Array(fields)).map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
  }

  func say(_ text: String, in fragments: [Int] = []) async {
    await send(writer.message(Data(text.utf8), isText: true, fragments: fragments))
  }

  func say(_ bytes: [UInt8]) async { await send(writer.message(Data(bytes), isText: false)) }

  func say(_ frame: WebSocketFrame) async { await send(writer.frame(frame)) }

  func close(_ code: UInt16?, _ reason: String = "") async {
    await say(WebSocketClose(code, reason).frame)
  }

  func send(_ bytes: Data) async { await client.send(Array(bytes)) }

  /// Ends the connection without a word, if it has not ended.
  func leave() {
    if !hasLeft { client.close() }
    hasLeft = true
  }

  /// Waits for so many things that the server says; fewer come where the connection ends.
  func hear(_ count: Int) async -> [Said] {
    while said.count < count, !isEnded {
      let bytes = await client.receive(atLeast: 1)
      if bytes.isEmpty {
        let (_, end) = await client.receiveAll()
        said.append(.end(end))
        break
      }
      take(bytes)
    }
    defer { said.removeFirst(min(count, said.count)) }
    return Array(said.prefix(count))
  }

  /// Waits for the end, and returns all that was said before it.
  func hearAll() async -> [Said] {
    defer { leave() }
    return await hear(.max)
  }

  private var isEnded: Bool { if case .end? = said.last { true } else { false } }

  private func take(_ bytes: [UInt8]) {
    for event in reader.events(of: bytes) {
      switch event {
      case .message(let data, true, let frames):
        said.append(.text(String(decoding: data, as: UTF8.self), frames: frames.count))
      case .message(let data, false, let frames):
        said.append(.binary(Array(data), frames: frames.count))
      case .ping(let data): said.append(.ping(String(decoding: data, as: UTF8.self)))
      case .pong(let data): said.append(.pong(String(decoding: data, as: UTF8.self)))
      case .close(let close):
        said.append(.close(close.code.map { Int($0) } ?? 1005, close.reason))
      }
    }
  }
}
