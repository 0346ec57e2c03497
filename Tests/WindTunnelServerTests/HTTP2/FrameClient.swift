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

  /// Connects, and sends the preface and the settings.
  init(
    to server: SocketAddress,
    window: Int = 65_535,
    preface pieces: [String] = [preface]
  ) async throws {
    raw = try RawClient(server)
    for piece in pieces {
      await raw.send(piece)
      if pieces.count > 1 { try await Task.sleep(for: .milliseconds(20)) }
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
    await send { bytes in
      bytes.appendHeaders(endsStream: !more, on: stream) { block in
        block.appendHPACK(name: ":method", value: more ? "POST" : "GET")
        block.appendHPACK(name: ":scheme", value: "http")
        block.appendHPACK(name: ":authority", value: "api.example.test")
        block.appendHPACK(name: ":path", value: path)
        for (name, value) in fields { block.appendHPACK(name: name, value: value) }
      }
    }
  }

  /// Returns the words of the frames up to one that is spelled so, or to the end.
  func receive(until last: String) async -> [String] {
    var words: [String] = []
    while !words.contains(last) {
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
      return ["\(stream) \(first ?? fields.map(\.name).joined())"] + end
    case .data:
      let text = String(decoding: payload, as: UTF8.self)
      return (payload.isEmpty ? [] : ["\(stream) =\(text)"]) + end
    case .resetStream: return ["\(stream) reset \(error(at: 0))"]
    case .goAway: return ["goaway \(number(at: 0)) \(error(at: 4))"]
    default: return []
    }
  }
}
