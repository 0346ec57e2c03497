package import Foundation
package import WindTunnelHTTP

/// The protocol of a server's connection, which reads requests from bytes and writes responses as
/// bytes.
///
/// A codec has no channel and no timer: the server applies the limits and the timeouts. A stream
/// number identifies an open request and its response on the connection. Used only on the loop's
/// thread.
package protocol ConnectionCodec: AnyObject {
  /// Whether each response ends before the next request is read.
  var servesInOrder: Bool { get }
  /// The number of bytes that were fed and not read.
  var bufferedBytes: Int { get }
  /// Whether no request has begun, so that the client can close without a loss.
  var isBetweenRequests: Bool { get }

  /// Adds bytes from the client.
  func feed(_ bytes: UnsafeRawBufferPointer)
  /// Notes that the client sends no more.
  func feedEnd()
  /// Returns the next part of a request; `nil` until more bytes are fed.
  ///
  /// A failure ends the connection, unless it concerns one of several streams.
  func next() -> (stream: Int, event: RequestParser.Event)?
  /// Removes and returns the unread bytes, for another protocol.
  func takeRemainder() -> Data

  /// Returns content of a tunnel to the flow-control windows, after its reader has used it.
  func giveBack(_ count: Int, on stream: Int)

  /// Announces that no further request is served.
  func appendGoAway(to bytes: inout [UInt8])
  /// Writes permission to send the content of a request (RFC 9110 §10.1.1).
  func appendContinue(on stream: Int, to bytes: inout [UInt8])
  /// Writes the head of a response.
  func append(_ head: EncodedHead, on stream: Int, to bytes: inout [UInt8])
  /// Writes a part of the content.
  func append(_ content: Data, in framing: Framing, on stream: Int, to bytes: inout [UInt8])
  /// Writes bytes that are not a response, after the pending control frames.
  func appendRaw(_ bytes: Data, to output: inout [UInt8])
  /// Writes the end of the content.
  func appendEnd(
    _ trailers: HeaderFields,
    in framing: Framing,
    on stream: Int,
    to bytes: inout [UInt8]
  )
  /// Writes a complete response, after which the connection ends. Without a stream, it responds to
  /// bytes that are not a request.
  func appendLast(_ response: Response, on stream: Int?, to bytes: inout [UInt8])

  /// Returns whether content of this response waits for the flow-control window or for its turn.
  /// Its producer then stops until the connection has drained.
  func isCongested(_ stream: Int) -> Bool
  /// Writes the protocol's control frames (acknowledgements, window updates, resets, GOAWAY), and
  /// waiting content in fair turns of 16 kB per stream.
  ///
  /// Called after bytes were fed and read, and when the channel has drained.
  ///
  /// - Parameters:
  ///   - room: The maximum number of bytes of content to write.
  ///   - bytes: The output.
  /// - Returns: Whether more content waits that could be sent now.
  func appendPending(upTo room: Int, to bytes: inout [UInt8]) -> Bool
  /// Ends one stream with an error code (RFC 9113 §6.4); false if the protocol can only end the
  /// connection.
  func appendReset(_ error: StreamError, on stream: Int, to bytes: inout [UInt8]) -> Bool
  /// Returns the response that has waited longest for the client. Each byte that the client accepts
  /// restarts the wait, and open tunnels may wait without a limit.
  ///
  /// - Parameter lastSent: The time at which the system accepted bytes last.
  /// - Returns: The stream, and the start of its wait; `nil` if no response waits.
  func longestWait(sending lastSent: Moment?) -> (stream: Int, since: Moment)?
  /// Returns whether the response on this stream was written to the output, including its end.
  func isDelivered(_ stream: Int) -> Bool
}

extension ConnectionCodec {
  // Only streams of HTTP/2 have windows.
  package func longestWait(sending lastSent: Moment?) -> (stream: Int, since: Moment)? { nil }
  package func giveBack(_ count: Int, on stream: Int) {}

  package func appendRaw(_ bytes: Data, to output: inout [UInt8]) {
    bytes.withUnsafeBytes { output.append(contentsOf: $0) }
  }
}

/// The error codes of HTTP/2, for a stream or for the connection (RFC 9113 §7).
package enum StreamError: UInt32, Sendable, Hashable, CaseIterable {
  case noError = 0
  case protocolError = 1
  case internalError = 2
  case flowControlError = 3
  case settingsTimeout = 4
  case streamClosed = 5
  case frameSizeError = 6
  case refusedStream = 7
  case cancel = 8
  case compressionError = 9
  case connectError = 10
  case enhanceYourCalm = 11
  case inadequateSecurity = 12
  case http11Required = 13
}

/// The head of a response with its framing for one request.
package struct EncodedHead {
  package let head: ResponseHead
  /// The reason phrase; `nil` for the recorded or the standard one.
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

  /// Creates the encoder of a response to a request of HTTP/2 that was not read.
  package init(on stream: Int, by codec: any ConnectionCodec) {
    let request = RequestHead(
      method: "GET",
      target: "/",
      version: .http2,
      headers: [:],
      framing: .none,
      keepsAlive: true,
      expectsContinue: false
    )
    self.init(request, on: stream, by: codec)
  }

  /// Whether the connection continues after the response.
  package var keepsAlive: Bool { framing?.keepsAlive ?? false }
  /// Whether a head was framed.
  package var hasHead: Bool { framing != nil }
  /// Whether the response ends with its head.
  package var isWithoutContent: Bool { framing?.framing == Framing.none }

  /// Whether the connection can have other responses at the same time.
  package var sharesConnection: Bool { !codec.servesInOrder }
  /// Whether content waits, so that no more is written until the connection has drained.
  package var isCongested: Bool { codec.isCongested(stream) }

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

  /// Writes content, without framing if there was no head.
  package func append(_ content: Data, to bytes: inout [UInt8]) {
    guard let framing else { return appendRaw(content, to: &bytes) }
    codec.append(content, in: framing.framing, on: stream, to: &bytes)
  }

  /// Writes bytes that are not a response.
  package func appendRaw(_ bytes: Data, to output: inout [UInt8]) {
    codec.appendRaw(bytes, to: &output)
  }

  /// Writes the end of a response that has a head.
  package func appendEnd(_ trailers: HeaderFields, to bytes: inout [UInt8]) {
    guard let framing else { return }
    let trailers = request.accepted(trailers)
    codec.appendEnd(trailers, in: framing.framing, on: stream, to: &bytes)
  }

  /// Writes a whole response.
  package mutating func append(_ response: Response, keepsAlive: Bool, to bytes: inout [UInt8]) {
    frame(response.status, length: response.body.count, keepsAlive: keepsAlive)
    append(response.head, to: &bytes)
    if !isWithoutContent { append(response.body.data, to: &bytes) }
    appendEnd([:], to: &bytes)
  }

  /// Writes a complete response, after which the connection ends.
  package func appendLast(_ response: Response, to bytes: inout [UInt8]) {
    codec.appendLast(response, on: stream, to: &bytes)
  }
}
