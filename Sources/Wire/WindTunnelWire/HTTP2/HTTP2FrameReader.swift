internal import Foundation
internal import WindTunnelHTTP

/// Reads the frames of the peer, and applies them to requests, flow-control windows and the
/// connection. In the client's role, the received messages are responses.
struct HTTP2FrameReader {
  /// The result of a frame: a part of a request, or nothing for the server.
  struct Found {
    static let nothing = Found(stream: 0, event: nil)

    var stream: Int
    var event: RequestParser.Event?
    /// Whether the request ends with this event.
    var isLast = false
    /// An event of the client's role, which has no equal for a server.
    var response: HTTP2ClientCodec.Event?
  }

  let limits: Limits
  let bounds: HTTP2Limits
  /// Whether a stream can carry a WebSocket (RFC 8441).
  var acceptsWebSockets = false
  /// Returns the head of a whole request that was received before in the same fields.
  var knownHead: (([HPACKField]) -> RequestHead?)?
  private let clock: () -> Moment
  private var blocks: HTTP2FieldBlocks
  /// The writer of this end's frames.
  var output: HTTP2Writer
  private var window: HTTP2ReceiveWindow
  private var budget: HTTP2ResetBudget
  /// The number of resets so far, including resets of streams that have ended.
  private(set) var resets = 0
  /// The number of consecutive DATA frames without content.
  private var emptyData = 0

  init(
    _ role: HTTP2Role,
    _ limits: Limits,
    _ bounds: HTTP2Limits,
    _ clock: @escaping () -> Moment
  ) {
    (self.limits, self.bounds, self.clock) = (limits, bounds, clock)
    blocks = HTTP2FieldBlocks(limits, bounds)
    output = HTTP2Writer(role, bounds, clock)
    window = HTTP2ReceiveWindow(bounds.connectionWindowBytes)
    budget = HTTP2ResetBudget(bounds, at: clock())
  }

  /// Whether no field block is being received.
  var isBetweenBlocks: Bool { !blocks.isReading }

  static let tooManyResets = HTTP2Fault.excess("Too many streams were reset.")

  /// Counts a reset by the client or because of its error; false if there were too many.
  mutating func countReset() -> Bool {
    resets += 1
    return budget.spend(at: clock())
  }

  /// Reads a frame whose size was checked.
  mutating func read(_ frame: HTTP2Frame) throws(HTTP2Fault) -> Found {
    guard output.control.count <= bounds.unsentFramesMax else {
      throw .excess("Too many acknowledgements and resets are unread.")
    }
    if blocks.isReading || frame.type == .headers {
      guard let block = try blocks.read(frame) else { return .nothing }
      return try read(block)
    }
    switch frame.type {
    case .data: return try readData(frame)
    case .resetStream: return try readReset(frame)
    case .priority: try readPriority(frame)
    case .settings: try readSettings(frame)
    case .ping: try readPing(frame)
    case .windowUpdate: try readWindowUpdate(frame)
    case .goAway:
      try frame.expectConnection()
      try frame.expectSize(frame.length >= 8)
      guard output.streams.role == .client else { return .nothing }
      let last = frame.payload.number(at: 0) & HTTP2Frame.numberMax
      let code = StreamError(received: frame.payload.number(at: 4))
      return Found(stream: 0, response: .goAway(code, last: last))
    case .pushPromise: throw .violation("Neither end of this connection may push.")
    case .continuation, .headers:
      throw .violation("A CONTINUATION frame continues no field block.")
    // RFC 9113 §5.5: unknown frame types are ignored.
    case nil: break
    }
    return .nothing
  }

  // MARK: - Content

  private mutating func readData(_ frame: HTTP2Frame) throws(HTTP2Fault) -> Found {
    try frame.expectStream()
    let id = frame.stream
    let content = try frame.withoutPadding()
    guard window.receive(frame.length) else {
      throw .connection(.flowControlError, "Content exceeds the connection's window.")
    }
    let isEnd = frame.flags.contains(.endStream)
    let (isReceived, isKept) = output.streams[id]?.receive(frame.length) ?? (true, false)
    // Content of a stream that was reset counts as well (RFC 9113 §5.1).
    let used = isKept ? frame.length - content.count : frame.length
    giveBack(used, on: id, isLast: isEnd || !isReceived)
    guard let stream = try open(id) else { return .nothing }
    guard !stream.request.isEnded else {
      throw .stream(id, .streamClosed, "Content follows the end of a request.")
    }
    guard isReceived else {
      throw .stream(id, .flowControlError, "Content exceeds the window of its stream.")
    }
    emptyData = content.isEmpty && !isEnd ? emptyData + 1 : 0
    guard emptyData <= bounds.emptyDataMax else {
      throw .excess("Too many DATA frames have no content.")
    }
    return try take(content, isEnd: isEnd, of: stream)
  }

  /// Returns content to the windows of the connection and of the stream.
  mutating func giveBack(_ count: Int, on id: Int, isLast: Bool = false) {
    if let more = window.giveBack(count) { output.control.bytes.appendWindowUpdate(more, on: 0) }
    guard !isLast, let stream = output.streams[id], !stream.request.isEnded,
      let more = stream.receiveWindow.giveBack(count)
    else { return }
    output.control.bytes.appendWindowUpdate(more, on: id)
  }

  private mutating func take(
    _ content: Bytes,
    isEnd: Bool,
    of stream: HTTP2Stream
  ) throws(HTTP2Fault) -> Found {
    guard stream.awaitedHead == nil else {
      throw .stream(stream.id, .protocolError, "Content precedes the head of its response.")
    }
    stream.request.received += content.count
    let received = stream.request.received
    // RFC 9113 §8.1.1.
    if let length = stream.request.length, isEnd ? received != length : received > length {
      throw .stream(stream.id, .protocolError, "The content is not as long as content-length.")
    }
    let isSkipped = stream.request.isSkipped
    guard isSkipped || stream.request.isTunnel || received <= limits.bodyBytesMax else {
      throw .refused(stream.id, .tooLarge(limits))
    }
    if isEnd { output.streams.endRequest(of: stream) }
    if isSkipped { return .nothing }
    if content.isEmpty { return Found(stream: stream.id, event: isEnd ? .end : nil) }
    return Found(stream: stream.id, event: .content(Data(buffer: content)), isLast: isEnd)
  }

  /// Returns the open stream of a frame; `nil` if the frame was in transit when this end reset the
  /// stream (RFC 9113 §5.1).
  func open(_ id: Int) throws(HTTP2Fault) -> HTTP2Stream? {
    if let stream = output.streams[id] { return stream }
    if output.isBeyondGoAway(id) { return nil }
    switch output.streams.end(of: id) {
    case .resetHere: return nil
    case .resetByClient:
      throw .stream(id, .streamClosed, "A frame follows RST_STREAM.")
    case .regular:
      throw .connection(.streamClosed, "A frame follows the end of its stream.")
    case nil:
      throw .violation("A frame names a stream that was never opened.")
    }
  }

  // MARK: - Fields

  private mutating func read(_ block: HTTP2FieldBlocks.Block) throws(HTTP2Fault) -> Found {
    let id = block.stream
    let isServer = output.streams.role == .server
    if isServer, id > output.streams.last { return try begin(block) }
    guard let stream = try open(id) else { return .nothing }
    guard !stream.request.isEnded else {
      let message = isServer ? "request" : "response"
      throw .stream(id, .streamClosed, "Fields follow the end of a \(message).")
    }
    if let head = stream.awaitedHead { return try readHead(block, head, of: stream) }
    guard block.endsStream, !(isServer && block.dependsOnItself) else {
      throw .stream(id, .protocolError, "Trailers do not end their stream (RFC 9113 §8.1).")
    }
    guard !stream.request.isTunnel else {
      throw .stream(id, .protocolError, "A tunnel has no trailers (RFC 9113 §8.5).")
    }
    return try end(stream, block.fields)
  }

  /// Opens a stream with the fields of a request.
  private mutating func begin(_ block: HTTP2FieldBlocks.Block) throws(HTTP2Fault) -> Found {
    let id = block.stream
    if output.isBeyondGoAway(id) { return .nothing }
    output.streams.use(id)
    if block.dependsOnItself {
      throw .stream(id, .protocolError, "A stream depends on itself (RFC 7540 §5.3.1).")
    }
    guard output.streams.count < bounds.concurrentStreamsMax else {
      throw .stream(id, .refusedStream, "Too many streams are open.")
    }
    let stream = HTTP2Stream(
      id,
      receiving: bounds.streamWindowBytes,
      sending: output.peer.initialWindow
    )
    stream.request.isEnded = block.endsStream
    guard let fields = block.fields else {
      output.streams.insert(stream)
      throw .refused(id, .fieldsTooLarge(limits))
    }
    if let head = knownHead?(block.endsStream ? fields : []) {
      output.streams.insert(stream)
      return Found(stream: id, event: .head(head), isLast: true)
    }
    do throws(HTTP2RequestFields.Failure) {
      let request = try HTTP2RequestFields(fields, takesProtocol: acceptsWebSockets)
      stream.request.length = request.contentLength
      stream.request.isHead = request.isHead
      let head = try request.head(isWhole: block.endsStream, limits)
      stream.request.isTunnel = head.opensTunnel
      // CONNECT opens no tunnel here, so its content is skipped.
      stream.request.isSkipped = head.method == "CONNECT"
      output.streams.insert(stream)
      let isLast = block.endsStream || stream.request.isSkipped || stream.request.isTunnel
      return Found(stream: id, event: .head(head), isLast: isLast)
    } catch {
      switch error {
      case .malformed(let sentence): throw .stream(id, .protocolError, sentence)
      case .refused(let error):
        output.streams.insert(stream)
        throw .refused(id, error)
      }
    }
  }

  /// Ends a message with its trailers. The fields are `nil` if they are too large.
  mutating func end(
    _ stream: HTTP2Stream,
    _ fields: [HPACKField]?
  ) throws(HTTP2Fault) -> Found {
    let id = stream.id
    guard let fields else { throw .refused(id, .fieldsTooLarge(limits)) }
    let trailers: HeaderFields
    do throws(HTTP2RequestFields.Failure) {
      trailers = try HTTP2RequestFields.trailers(fields)
    } catch {
      throw .stream(id, .protocolError, "The trailers are malformed (RFC 9113 §8.1).")
    }
    if let length = stream.request.length, length != stream.request.received {
      throw .stream(id, .protocolError, "The content is not as long as content-length.")
    }
    output.streams.endRequest(of: stream)
    if stream.request.isSkipped { return .nothing }
    if trailers.isEmpty { return Found(stream: id, event: .end) }
    return Found(stream: id, event: .trailers(trailers), isLast: true)
  }

  // MARK: - Frames without content

  private func readPriority(_ frame: HTTP2Frame) throws(HTTP2Fault) {
    try frame.expectStream()
    let id = frame.stream
    if frame.length == 5, HTTP2FieldBlocks.dependency(frame.payload) != id { return }
    let code: StreamError = frame.length == 5 ? .protocolError : .frameSizeError
    let sentence = "A PRIORITY frame has the wrong size or depends on itself."
    // RFC 9113 §5.1: RST_STREAM must not be sent on an idle stream.
    throw .on(output.streams.isIdle(id) ? 0 : id, code, sentence)
  }

  private mutating func readReset(_ frame: HTTP2Frame) throws(HTTP2Fault) -> Found {
    try frame.expectStream()
    try frame.expectSize(frame.length == 4)
    let id = frame.stream
    if output.streams.isIdle(id), !output.isBeyondGoAway(id) {
      throw .violation("RST_STREAM names an idle stream.")
    }
    guard let stream = output.streams[id] else {
      resets += 1
      return .nothing
    }
    output.streams.close(id, .resetByClient)
    guard countReset() else { throw Self.tooManyResets }
    let code = StreamError(received: frame.payload.number(at: 0))
    if output.streams.role == .client { return Found(reset: stream, by: code) }
    if !stream.isServed { return .nothing }
    return Found(stream: id, event: .failed(.bad("The client reset the stream: \(code).")))
  }

  private mutating func readSettings(_ frame: HTTP2Frame) throws(HTTP2Fault) {
    try frame.expectConnection()
    if frame.flags.contains(.ack) { return try frame.expectSize(frame.length == 0) }
    try frame.expectSize(frame.length.isMultiple(of: 6))
    guard frame.length / 6 <= bounds.settingsMax else {
      throw .excess("A SETTINGS frame has too many parameters.")
    }
    try output.takeSettings(frame.payload)
    output.control.add { $0.appendFrame(.settings, .ack, length: 0) }
  }

  private mutating func readPing(_ frame: HTTP2Frame) throws(HTTP2Fault) {
    try frame.expectConnection()
    try frame.expectSize(frame.length == 8)
    if frame.flags.contains(.ack) { return }
    output.control.add {
      $0.appendFrame(.ping, .ack, length: 8)
      $0.append(contentsOf: frame.payload)
    }
  }

  private mutating func readWindowUpdate(_ frame: HTTP2Frame) throws(HTTP2Fault) {
    try frame.expectSize(frame.length == 4)
    let id = frame.stream
    let increment = frame.payload.number(at: 0) & HTTP2Frame.numberMax
    if id != 0, output.streams[id] == nil {
      if output.streams.isIdle(id), !output.isBeyondGoAway(id) {
        throw .violation("WINDOW_UPDATE names an idle stream.")
      }
      // The frame may have been in transit when the stream ended.
      return
    }
    guard increment > 0 else { throw .on(id, .protocolError, "A window update adds nothing.") }
    guard output.widen(id, by: increment) else {
      throw .on(id, .flowControlError, "A window is above 2^31-1.")
    }
  }
}
