package import Foundation
package import WindTunnelHTTP

/// The protocol of a server's connections: reads requests from bytes and writes responses as bytes.
///
/// A codec has no channel and no timer: the server decides what it serves, how fast and up to which
/// limits. A stream is the number of a request, and of its response, among those that are open on
/// the connection. On the loop's thread only.
package protocol ConnectionCodec: AnyObject {
  /// Whether a response ends before the next request is read.
  var servesInOrder: Bool { get }
  /// The number of bytes that were fed and not read.
  var bufferedBytes: Int { get }
  /// Whether no request has begun, so that a client may leave without loss.
  var isBetweenRequests: Bool { get }

  /// Takes bytes from the client.
  func feed(_ bytes: UnsafeRawBufferPointer)
  /// Notes that the client sends no more.
  func feedEnd()
  /// Returns the next part of a request; `nil` until more bytes are fed.
  ///
  /// A failure ends the connection, unless it is that of one of several streams.
  func next() -> (stream: Int, event: RequestParser.Event)?
  /// Removes and returns the unread bytes, for another protocol.
  func takeRemainder() -> Data

  /// Writes that no further request is served.
  func appendGoAway(to bytes: inout [UInt8])
  /// Writes permission to send the content of a request (RFC 9110 §10.1.1).
  func appendContinue(on stream: Int, to bytes: inout [UInt8])
  /// Writes the head of a response.
  func append(_ head: EncodedHead, on stream: Int, to bytes: inout [UInt8])
  /// Writes a part of the content.
  func append(_ content: Data, in framing: Framing, on stream: Int, to bytes: inout [UInt8])
  /// Writes the end of the content.
  func appendEnd(
    _ trailers: HeaderFields,
    in framing: Framing,
    on stream: Int,
    to bytes: inout [UInt8]
  )
  /// Writes a whole response behind which the connection ends; without a stream it answers bytes
  /// that are no request.
  func appendLast(_ response: Response, on stream: Int?, to bytes: inout [UInt8])
}

/// The head of a response with its framing for one request.
package struct EncodedHead {
  package let head: ResponseHead
  /// The text behind the status; `nil`: the recorded one or the usual one.
  package let reason: String?
  package let framing: AnswerFraming
  /// The version of the request.
  package let version: HTTPVersion
}

/// The encoder of one response on a connection.
package struct ResponseEncoder {
  private let codec: any ConnectionCodec
  private let stream: Int
  private let request: RequestHead
  private var framing: AnswerFraming?

  /// Creates the encoder of the response to a request.
  package init(_ request: RequestHead, on stream: Int, by codec: any ConnectionCodec) {
    (self.request, self.stream, self.codec) = (request, stream, codec)
  }

  /// Whether the connection continues behind the response.
  package var keepsAlive: Bool { framing?.keepsAlive ?? false }
  /// Whether the response ends with its head.
  package var isWithoutContent: Bool { framing?.framing == Framing.none }

  /// Decides the framing; the length is `nil` if it is unknown.
  package mutating func frame(_ status: Int, length: Int?, keepsAlive: Bool) {
    framing = AnswerFraming(status: status, to: request, length: length, keepsAlive: keepsAlive)
  }

  /// Writes the head, framed as decided.
  package func append(_ head: ResponseHead, reason: String? = nil, to bytes: inout [UInt8]) {
    guard let framing else { return }
    let head = EncodedHead(head: head, reason: reason, framing: framing, version: request.version)
    codec.append(head, on: stream, to: &bytes)
  }

  /// Writes content; unframed if there was no head.
  package func append(_ content: Data, to bytes: inout [UInt8]) {
    guard let framing else { return bytes.append(contentsOf: content) }
    codec.append(content, in: framing.framing, on: stream, to: &bytes)
  }

  /// Writes the end of a response that has a head.
  package func appendEnd(_ trailers: HeaderFields, to bytes: inout [UInt8]) {
    guard let framing else { return }
    let trailers = request.accepted(trailers)
    codec.appendEnd(trailers, in: framing.framing, on: stream, to: &bytes)
  }

  /// Writes a whole response, framed as decided.
  package func append(_ response: Response, to bytes: inout [UInt8]) {
    append(response.head, to: &bytes)
    if !isWithoutContent { append(response.body.data, to: &bytes) }
    appendEnd([:], to: &bytes)
  }

  /// Writes a response of the server's own, behind which the connection ends.
  package func appendNotice(_ status: Int, _ text: String, to bytes: inout [UInt8]) {
    codec.appendLast(.notice(status, text), on: stream, to: &bytes)
  }
}
