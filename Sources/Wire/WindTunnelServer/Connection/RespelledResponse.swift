internal import Foundation
internal import WindTunnel

/// A response in bytes of HTTP/1.1, converted for a stream of HTTP/2.
///
/// Faults in a response's form, and cuts at a byte, are such bytes. A client of HTTP/2 receives the
/// same head and content. Invalid HTTP reaches it as bytes that are not frames.
struct RespelledResponse {
  private var parser = ResponseParser()
  private var encoder: ResponseEncoder
  private var trailers: HeaderFields = [:]
  /// The bytes that were read last.
  private var last = Data()
  /// The state of the response, as far as it was read.
  private(set) var state = State.open

  enum State {
    case open
    case whole
    /// The response is a 101, which other bytes follow.
    case upgraded
    /// The bytes are not HTTP.
    case invalid
  }

  /// Creates a response to a request with this method.
  init(to method: String, by encoder: ResponseEncoder) {
    self.encoder = encoder
    parser.expectAnswer(to: method)
  }

  /// Reads bytes, and writes the response that they contain.
  mutating func read(_ data: Data, to bytes: inout [UInt8]) {
    if case .upgraded = state { return encoder.append(data, to: &bytes) }
    guard case .open = state else { return }
    last = data
    data.withUnsafeBytes { parser.feed($0) }
    write(to: &bytes)
  }

  /// Processes the end of the connection, which completes a response without framing.
  mutating func readEnd(to bytes: inout [UInt8]) {
    if case .upgraded = state { return end(to: &bytes) }
    guard case .open = state else { return }
    parser.feedEnd()
    write(to: &bytes)
  }

  private mutating func write(to bytes: inout [UInt8]) {
    while let event = parser.next() {
      switch event {
      case .head(let start):
        let length: Int? =
          switch start.framing {
          case .none: 0
          case .length(let length): length
          case .chunked, .untilClose: nil
          }
        encoder.frame(start.head.status, length: length, keepsAlive: true)
        encoder.append(start.head, to: &bytes)
        guard start.head.status == 101 else { continue }
        state = .upgraded
        return encoder.append(parser.takeRemainder(), to: &bytes)
      case .content(let data): encoder.append(data, to: &bytes)
      case .trailers(let fields): trailers = fields
      case .end: return end(to: &bytes)
      case .failed(let error):
        state = .invalid
        if case .truncated = error.kind { return }
        encoder.appendRaw(last, to: &bytes)
      }
    }
  }

  private mutating func end(to bytes: inout [UInt8]) {
    encoder.appendEnd(trailers, to: &bytes)
    state = .whole
  }
}
