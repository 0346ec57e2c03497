package import Foundation
package import WindTunnelHTTP

/// HTTP/1.1 on a server's connection: one stream, whose requests are served in order.
package final class HTTP1Codec: ConnectionCodec {
  /// The number of the only stream.
  package static let stream = 0

  private var parser: RequestParser

  package init(limits: Limits) { parser = RequestParser(limits: limits) }

  package var servesInOrder: Bool { true }
  package var bufferedBytes: Int { parser.bufferedBytes }
  package var isBetweenRequests: Bool { parser.isBetweenRequests }
  /// Whether no bytes have arrived since the last request, so that the next bytes begin a request.
  package var isFresh: Bool { parser.isFresh }

  package func feed(_ bytes: UnsafeRawBufferPointer) { parser.feed(bytes) }

  package func feedEnd() { parser.feedEnd() }

  package func next() -> (stream: Int, event: RequestParser.Event)? {
    parser.next().map { (Self.stream, $0) }
  }

  package func takeRemainder() -> Data { parser.takeRemainder() }

  // HTTP/1.1 has no message for this. The client sees the end of the connection.
  package func appendGoAway(to bytes: inout [UInt8]) {}

  package func appendContinue(on stream: Int, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
  }

  package func append(_ head: EncodedHead, on stream: Int, to bytes: inout [UInt8]) {
    bytes.appendHead(head.head, reason: head.reason, framed: head.framing, for: head.version)
  }

  package func append(
    _ content: Data,
    in framing: Framing,
    on stream: Int,
    to bytes: inout [UInt8]
  ) {
    if framing == .chunked { return bytes.appendChunk(content) }
    content.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  package func appendEnd(
    _ trailers: HeaderFields,
    in framing: Framing,
    on stream: Int,
    to bytes: inout [UInt8]
  ) {
    if framing == .chunked { bytes.appendLastChunk(trailers: trailers) }
  }

  package func appendLast(_ response: Response, on stream: Int?, to bytes: inout [UInt8]) {
    bytes.appendLast(response)
  }

  // Nothing waits here, because the channel has its own queue.
  package func isCongested(_ stream: Int) -> Bool { false }

  package func appendPending(upTo room: Int, to bytes: inout [UInt8]) -> Bool { false }

  package func appendReset(
    _ error: StreamError,
    on stream: Int,
    to bytes: inout [UInt8]
  ) -> Bool { false }

  package func isDelivered(_ stream: Int) -> Bool { true }
}
