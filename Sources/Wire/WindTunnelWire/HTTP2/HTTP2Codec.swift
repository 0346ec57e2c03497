package import Foundation
package import WindTunnelHTTP

/// HTTP/2 on a server's connection (RFC 9113): one stream for each request, without server push and
/// without priorities.
///
/// In the client's role, ``HTTP2ClientCodec`` reads its frames and opens its streams.
///
/// Frames are read one at a time, when the server requests the next event. Control frames wait
/// until ``appendPending(upTo:to:)`` or a response writes them.
package final class HTTP2Codec: ConnectionCodec {
  enum Stage {
    /// The connection preface of the client is expected (RFC 9113 §3.4).
    case preface
    /// The peer's first SETTINGS frame is expected.
    case settings
    case open
    /// The connection has failed. GOAWAY was written or is pending.
    case failed
  }

  /// The connection preface of a client (RFC 9113 §3.4).
  package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  private var input = ByteQueue()
  private(set) var stage: Stage
  private(set) var hasEnded = false
  /// Whether bytes were written that are not frames. No frames follow them.
  private var hasLeftFraming = false
  /// The end of the request whose last part was returned; `nil` if there is none.
  private var followUp: (stream: Int, event: RequestParser.Event)?
  var reader: HTTP2FrameReader

  /// Creates the codec of a connection.
  ///
  /// - Parameters:
  ///   - role: The role of this end.
  ///   - limits: The limits of a request, as over HTTP/1.1.
  ///   - bounds: The limits of the connection.
  ///   - acceptsWebSockets: Whether a stream can carry a WebSocket (RFC 8441).
  ///   - clock: Returns the time, by which resets are limited.
  package init(
    as role: HTTP2Role = .server,
    limits: Limits,
    bounds: HTTP2Limits = HTTP2Limits(),
    acceptsWebSockets: Bool = false,
    clock: @escaping () -> Moment = Moment.now
  ) {
    reader = HTTP2FrameReader(role, limits, bounds, clock)
    reader.acceptsWebSockets = acceptsWebSockets
    stage = role == .server ? .preface : .settings
    if role == .client { reader.output.control.bytes = Self.preface }
    let own: [(HTTP2Setting, Int)] =
      role == .client
      ? [(.enablePush, 0)]
      : [
        (.maxConcurrentStreams, bounds.concurrentStreamsMax),
        (.enableConnectProtocol, acceptsWebSockets ? 1 : 0),
      ]
    reader.output.control.bytes.appendSettings(
      own + [
        (.initialWindowSize, bounds.streamWindowBytes), (.maxHeaderListSize, limits.headerBytesMax),
      ]
    )
    // RFC 9113 §6.9.2: SETTINGS do not change the connection's flow-control window.
    reader.output.control.bytes.appendWindowUpdate(bounds.connectionWindowBytes - 65_535, on: 0)
  }

  /// Returns the head of a whole request that was received before in the same fields; `nil` if the
  /// fields have to be read. Called with each request, and without fields if it is not whole.
  package var knownHead: (([HPACKField]) -> RequestHead?)? {
    get { reader.knownHead }
    set { reader.knownHead = newValue }
  }

  /// The number of resets by the client or because of its errors.
  package var resets: Int { reader.resets }
  package var servesInOrder: Bool { false }
  package var bufferedBytes: Int { input.count }
  package var isBetweenRequests: Bool {
    input.isEmpty && reader.isBetweenBlocks && reader.output.streams.unfinished == 0
  }

  // MARK: - Requests

  package func feed(_ bytes: UnsafeRawBufferPointer) {
    if case .failed = stage { return }
    input.append(bytes)
  }

  package func feedEnd() { hasEnded = true }

  package func next() -> (stream: Int, event: RequestParser.Event)? {
    if let event = followUp.take() { return event }
    while stage != .failed {
      do throws(HTTP2Fault) {
        guard let found = try step() else { return hasEnded ? cutOff() : nil }
        guard let event = found.event else { continue }
        if found.isLast { followUp = (found.stream, .end) }
        return (found.stream, event)
      } catch {
        if let event = take(error) { return event }
      }
    }
    return nil
  }

  package func takeRemainder() -> Data { Data() }

  /// Skips the end of the request whose head was returned last, if the request is whole.
  package func skipEnd() { followUp = nil }

  package func giveBack(_ count: Int, on stream: Int) { reader.giveBack(count, on: stream) }

  /// Reads one frame; `nil` if it is incomplete.
  func step() throws(HTTP2Fault) -> HTTP2FrameReader.Found? {
    if stage == .preface {
      guard try readPreface() else { return nil }
      stage = .settings
    }
    guard input.count >= HTTP2Frame.headerBytes else {
      // An idle connection keeps little memory.
      if input.isEmpty { input.removeAll() }
      return nil
    }
    let header = input.peek(HTTP2Frame.headerBytes) { HTTP2Frame($0) }
    // RFC 9113 §4.2 allows a stream error for DATA. It would require reading the whole frame, so
    // this is a connection error as well.
    guard header.length <= HTTP2Frame.payloadBytesMax else {
      throw .connection(.frameSizeError, "A frame is longer than 16384 bytes.")
    }
    if stage == .settings {
      guard header.type == .settings, !header.flags.contains(.ack) else {
        throw .violation("The first frame is not SETTINGS (RFC 9113 §3.4).")
      }
      stage = .open
    }
    let length = HTTP2Frame.headerBytes + header.length
    guard input.count >= length else { return nil }
    defer { input.skip(length) }
    return try input.peek(length) { frame throws(HTTP2Fault) in
      try reader.read(HTTP2Frame(frame))
    }
  }

  private func readPreface() throws(HTTP2Fault) -> Bool {
    let count = min(input.count, Self.preface.count)
    guard input.peek(count, { Self.preface.starts(with: $0) }) else {
      throw .violation("The connection does not begin with the HTTP/2 preface.")
    }
    guard count == Self.preface.count else { return false }
    input.skip(count)
    return true
  }

  /// Handles a fault. Returns its event, unless the server does not know the stream.
  private func take(_ fault: HTTP2Fault) -> (stream: Int, event: RequestParser.Event)? {
    switch fault {
    case .connection(let code, let sentence):
      fail(code, sentence)
      return (0, .failed(.bad(sentence)))
    case .refused(let id, let error):
      guard reader.countReset() else { return take(HTTP2FrameReader.tooManyResets) }
      reader.output.refuse(id)
      return (id, .failed(error))
    case .stream(let id, let code, let sentence):
      let isServed = reader.output.streams[id]?.isServed ?? false
      reader.output.reset(id, code)
      guard reader.countReset() else { return take(HTTP2FrameReader.tooManyResets) }
      return isServed ? (id, .failed(.bad(sentence))) : nil
    }
  }

  /// Ends the connection with an error.
  func fail(_ code: StreamError, _ sentence: String) {
    stage = .failed
    input = ByteQueue()
    reader.output.fail(code, sentence)
  }

  /// Ends an incomplete request after the client has closed its side; `nil` if there is none.
  private func cutOff() -> (stream: Int, event: RequestParser.Event)? {
    let isCut = { (stream: HTTP2Stream) in
      let isNeeded = !stream.request.isSkipped && !stream.isDelivered
      return isNeeded && stream.request.isIncomplete
    }
    guard let stream = reader.output.streams.all.first(where: isCut) else { return nil }
    let expected = stream.request.length
    let received = stream.request.received
    reader.output.streams.close(stream.id, .resetByClient)
    let truncation =
      expected.map { .inContent(received: received, expected: $0) }
      ?? ProtocolError.Truncation.inChunks(received: received)
    let sentence = "The connection ended within a request."
    return (stream.id, .failed(ProtocolError(.truncated(truncation), sentence)))
  }

  // MARK: - Responses

  /// Calls a function with the writer, which appends to the output.
  @discardableResult
  func write<Result>(
    to bytes: inout [UInt8],
    _ body: (inout HTTP2Writer) -> Result
  ) -> Result {
    // The writer owns the output during the call, so that nothing is copied.
    let count = bytes.count
    swap(&bytes, &reader.output.output)
    defer {
      swap(&bytes, &reader.output.output)
      if hasLeftFraming { bytes.removeLast(bytes.count - count) }
    }
    return body(&reader.output)
  }

  package func append(_ head: EncodedHead, on stream: Int, to bytes: inout [UInt8]) {
    write(to: &bytes) { $0.append(head.head, framed: head.framing, on: stream) }
  }

  /// Writes a complete final response, whose field block is given.
  package func append(
    block: [UInt8],
    _ content: Data,
    in framing: Framing,
    on stream: Int,
    to bytes: inout [UInt8]
  ) {
    write(to: &bytes) { $0.append(block: block, content, in: framing, on: stream) }
  }

  package func append(
    _ content: Data,
    in framing: Framing,
    on stream: Int,
    to bytes: inout [UInt8]
  ) {
    write(to: &bytes) { $0.append(content, in: framing, on: stream) }
  }

  package func appendRaw(_ bytes: Data, to output: inout [UInt8]) {
    // The server's SETTINGS go first (RFC 9113 §3.4).
    write(to: &output) { $0.flushControl() }
    hasLeftFraming = true
    output.append(contentsOf: bytes)
  }

  package func appendEnd(
    _ trailers: HeaderFields,
    in framing: Framing,
    on stream: Int,
    to bytes: inout [UInt8]
  ) {
    write(to: &bytes) { $0.appendEnd(trailers, in: framing, on: stream) }
  }

  package func appendContinue(on stream: Int, to bytes: inout [UInt8]) {
    let framing = AnswerFraming(status: 100, to: "GET", .http2, length: nil, true)
    write(to: &bytes) {
      $0.append(ResponseHead(status: 100, headers: [:]), framed: framing, on: stream)
    }
  }

  package func appendLast(_ response: Response, on stream: Int?, to bytes: inout [UInt8]) {
    write(to: &bytes) { writer in
      if let stream { writer.append(response, on: stream) }
      writer.appendFinalGoAway(stream == nil ? response.body.text ?? "" : "")
    }
  }

  package func appendGoAway(to bytes: inout [UInt8]) { write(to: &bytes) { $0.appendGoAway() } }

  package func appendReset(_ error: StreamError, on stream: Int, to bytes: inout [UInt8]) -> Bool {
    write(to: &bytes) { writer in
      if writer.streams[stream] != nil { writer.reset(stream, error) }
      writer.flushControl()
    }
    return true
  }

  package func isCongested(_ stream: Int) -> Bool {
    reader.output.streams[stream]?.response.waiting.isEmpty == false
  }

  package func longestWait(sending lastSent: Moment?) -> (stream: Int, since: Moment)? {
    reader.output.longestWait(sending: lastSent, countingTunnels: hasEnded)
  }

  package func isDelivered(_ stream: Int) -> Bool {
    reader.output.streams[stream].map(\.isDelivered) ?? true
  }

  package func appendPending(upTo room: Int, to bytes: inout [UInt8]) -> Bool {
    write(to: &bytes) { $0.appendPending(upTo: room) }
  }
}
