import Foundation

@testable import WindTunnelHTTP
@testable import WindTunnelWire

/// A client of HTTP/2 on a real socket, which spells the frames that it receives: `1 200`, `1 =ok`,
/// `1 end`, `1 reset cancel` and `goaway 1 noError`.
final class FrameClient: @unchecked Sendable {
  static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

  let raw: RawClient
  private var unread: [UInt8] = []
  private var decoder = HPACKDecoder(listBytesMax: .max, fieldsMax: .max)
  /// The content of the streams so far.
  private(set) var content: [Int: [UInt8]] = [:]

  /// Connects, and sends the preface and the settings. The server has read each piece when `seen`
  /// returns.
  init(
    to server: SocketAddress,
    window: Int = 65_535,
    preface pieces: [String] = [preface],
    seen: () async throws -> Void = {}
  ) async throws {
    raw = try RawClient(server)
    for piece in pieces {
      await raw.send(piece)
      try await seen()
    }
    await send { $0.appendSettings([(.initialWindowSize, window)]) }
  }

  func send(_ write: (inout [UInt8]) -> Void) async {
    var bytes: [UInt8] = []
    write(&bytes)
    await raw.send(bytes)
  }

  /// Sends the head of a request, which is whole unless content follows.
  func ask(_ path: String, on stream: Int, with fields: [String: String] = [:], more: Bool = false)
    async
  {
    await send { $0.appendRequest(path, on: stream, with: fields, more: more) }
  }

  /// Sends the handshake of a WebSocket (RFC 8441 §5.1).
  func connect(
    _ path: String,
    on stream: Int,
    version: String = "13",
    isWhole: Bool = false
  ) async {
    let fields = [
      (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":path", path),
      (":authority", "x"), ("sec-websocket-version", version),
    ]
    await send { bytes in
      bytes.appendHeaders(endsStream: isWhole, on: stream) { block in
        for (name, value) in fields { block.appendHPACK(name: name, value: value) }
      }
    }
  }

  func send(_ content: [UInt8], on stream: Int, isLast: Bool = false) async {
    await send { bytes in
      for place in stride(from: 0, to: content.count, by: HTTP2Frame.payloadBytesMax) {
        let part = content[place...].prefix(HTTP2Frame.payloadBytesMax)
        bytes.appendFrame(.data, on: stream, length: part.count)
        bytes += part
      }
      if isLast { bytes.appendFrame(.data, .endStream, on: stream, length: 0) }
    }
  }

  /// Returns the words of the frames up to one that is spelled so, or to the end.
  func receive(until last: String...) async -> [String] {
    var words: [String] = []
    while !words.contains(where: last.contains) {
      let more = await raw.receive(atLeast: 1)
      if more.isEmpty { return words + ["end of connection"] }
      words += spell(more)
    }
    return words
  }

  /// Returns the words of all frames, the bytes that are no whole frame, and the end.
  func receiveAll() async -> (words: [String], rest: [UInt8], end: RawClient.End) {
    let (bytes, end) = await raw.receiveAll()
    let words = spell(bytes)
    return (words, unread, end)
  }

  private func spell(_ bytes: [UInt8]) -> [String] {
    unread += bytes
    var words: [String] = []
    while unread.count >= HTTP2Frame.headerBytes {
      let header = unread.withUnsafeBufferPointer { HTTP2Frame($0) }
      let end = HTTP2Frame.headerBytes + header.length
      guard unread.count >= end else { break }
      words += spell(header, Array(unread[HTTP2Frame.headerBytes..<end]))
      unread.removeFirst(end)
    }
    return words
  }

  private func spell(_ header: HTTP2Frame, _ payload: [UInt8]) -> [String] {
    let stream = header.stream
    let end = header.flags.contains(.endStream) ? ["\(stream) end"] : []
    func number(at place: Int) -> Int { payload.withUnsafeBufferPointer { $0.number(at: place) } }
    func error(at place: Int) -> String {
      StreamError(rawValue: UInt32(number(at: place))).map { "\($0)" } ?? "?"
    }
    switch header.type {
    case .headers:
      let fields = payload.withUnsafeBytes { try? decoder.decode($0) } ?? []
      let first = fields.first?.name == ":status" ? fields.first?.value : nil
      // The fields of interim responses are shown as well.
      let hints = first?.first == "1" ? fields.dropFirst() : []
      let words = [first ?? fields.map(\.name).joined()] + hints.map { "\($0.name)=\($0.value)" }
      return ["\(stream) \(words.joined(separator: " "))"] + end
    case .data:
      content[stream, default: []] += payload
      let text = String(decoding: payload, as: UTF8.self)
      return (payload.isEmpty ? [] : ["\(stream) =\(text)"]) + end
    case .resetStream: return ["\(stream) reset \(error(at: 0))"]
    case .goAway: return ["goaway \(number(at: 0)) \(error(at: 4))"]
    default: return []
    }
  }
}

extension [UInt8] {
  /// Appends the head of a request, which is whole unless content follows.
  mutating func appendRequest(
    _ path: String,
    on stream: Int,
    with fields: [String: String] = [:],
    more: Bool = false
  ) {
    appendHeaders(endsStream: !more, on: stream) { block in
      block.appendHPACK(name: ":method", value: more ? "POST" : "GET")
      block.appendHPACK(name: ":scheme", value: "http")
      block.appendHPACK(name: ":authority", value: "api.example.test")
      block.appendHPACK(name: ":path", value: path)
      for (name, value) in fields { block.appendHPACK(name: name, value: value) }
    }
  }
}
