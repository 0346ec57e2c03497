internal import Foundation
internal import WindTunnelHTTP

/// The control frames that are not yet written.
struct HTTP2ControlFrames {
  /// The frames. Window updates are not counted, because the client has to send content for each.
  var bytes: [UInt8] = []
  /// The number of frames that the client can cause without content.
  private(set) var count = 0

  /// Adds a frame that counts against the limit of unsent frames.
  mutating func add(_ write: (inout [UInt8]) -> Void) {
    write(&bytes)
    count += 1
  }

  mutating func move(to output: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    output.append(contentsOf: bytes)
    bytes.removeAll(keepingCapacity: bytes.capacity <= 1024)
    count = 0
  }
}

/// The sending side of a connection: flow-control windows, responses and their order.
struct HTTP2Writer {
  private enum GoAway {
    case none
    /// The client was informed that the connection will end. Requests are still served.
    case announced
    /// Streams with a higher identifier are not served.
    case final(Int)
  }

  /// The maximum number of bytes of a stream before the next stream's turn.
  private static let turnBytes = HTTP2Frame.payloadBytesMax

  /// The output of the current call.
  var output: [UInt8] = []
  var control = HTTP2ControlFrames()
  var streams: HTTP2Streams
  private(set) var peer: HTTP2PeerSettings
  /// The number of bytes of content that the client accepts on all streams.
  private var window = 65_535
  /// The streams with waiting content, and the index of the next one.
  private var waiting: [HTTP2Stream] = []
  private var turn = 0
  /// The refused requests, which may receive a response until the next output.
  private var refused: [Int] = []
  private var goAway = GoAway.none
  private let clock: () -> Moment
  /// The time at which waiting content was written last.
  private var lastWrite: Moment?

  init(_ role: HTTP2Role, _ bounds: HTTP2Limits, _ clock: @escaping () -> Moment) {
    streams = HTTP2Streams(role, remembering: bounds.resetStreamsKept)
    peer = HTTP2PeerSettings(of: role == .server ? .client : .server)
    self.clock = clock
  }

  // MARK: - Windows

  /// Applies the parameters of the client. The windows change once, however often a frame changes
  /// them (RFC 9113 §6.9.2).
  mutating func takeSettings(_ payload: Bytes) throws(HTTP2Fault) {
    let window = peer.initialWindow
    for place in stride(from: 0, to: payload.count, by: 6) {
      let number = Int(payload[place]) << 8 | Int(payload[place + 1])
      try peer.take(number, payload.number(at: place + 2))
    }
    let difference = peer.initialWindow - window
    guard difference != 0 else { return }
    for stream in streams.all {
      stream.sendWindow += difference
      guard stream.sendWindow <= HTTP2Frame.numberMax else {
        throw .connection(.flowControlError, "A window is above 2^31-1.")
      }
    }
  }

  /// Enlarges the send window of a stream or of the connection; false if it becomes too large.
  mutating func widen(_ id: Int, by increment: Int) -> Bool {
    if id == 0 {
      window += increment
      return window <= HTTP2Frame.numberMax
    }
    guard let stream = streams[id] else { return true }
    stream.sendWindow += increment
    return stream.sendWindow <= HTTP2Frame.numberMax
  }

  // MARK: - Ends

  /// Ends a stream with an error.
  mutating func reset(_ id: Int, _ error: StreamError) {
    streams.close(id, .resetHere)
    control.add { $0.appendReset(error, on: id) }
  }

  /// Refuses a request. Without a response of the server, the stream is reset at the next output.
  mutating func refuse(_ id: Int) {
    streams[id]?.request.isSkipped = true
    refused.append(id)
  }

  /// Ends the connection with an error.
  mutating func fail(_ error: StreamError, _ sentence: String) {
    let last = streams.lastOfPeer
    streams.removeAll()
    waiting = []
    goAway = .final(last)
    control.add { $0.appendGoAway(error, last: last, sentence) }
  }

  /// Returns whether a stream was opened after the final GOAWAY.
  func isBeyondGoAway(_ id: Int) -> Bool {
    if case .final(let last) = goAway, streams.role == .server { id > last } else { false }
  }

  /// Announces the end of the connection. The second call writes the final GOAWAY (RFC 9113 §6.8).
  mutating func appendGoAway() {
    guard case .none = goAway else { return appendFinalGoAway("") }
    goAway = .announced
    flushControl()
    output.appendGoAway(.noError, last: HTTP2Frame.numberMax)
  }

  /// Writes the final GOAWAY: no further stream is served.
  mutating func appendFinalGoAway(_ sentence: String) {
    flushControl()
    if case .final = goAway { return }
    goAway = .final(streams.lastOfPeer)
    output.appendGoAway(.noError, last: streams.lastOfPeer, sentence)
  }

  // MARK: - Responses

  /// Writes the head of a response or of an interim response.
  mutating func append(_ head: ResponseHead, framed answer: AnswerFraming, on id: Int) {
    guard let stream = streams[id], stream.hasNoResponse else { return }
    flushControl()
    let (status, isTunnel) = (head.status, stream.request.isTunnel)
    if status == 101, isTunnel {
      // RFC 8441 §5: a 200 opens the tunnel, and no key is confirmed.
      var head = head
      head.status = 200
      head.headers.remove("Sec-WebSocket-Accept")
      return append(in: .chunked, on: stream) { $0.appendBlock(head, framed: answer) }
    }
    if status == 101 || isTunnel && 200..<300 ~= status {
      // RFC 9113 §8.6: HTTP/2 has no 101 (Switching Protocols). A request for a tunnel must not
      // receive a 2xx of another meaning (§8.5).
      return end(stream, by: .http11Required)
    }
    if 100..<200 ~= status {
      return appendFields(isLast: false, on: id) { $0.appendBlock(head, framed: answer) }
    }
    if isTunnel { stream.request.isSkipped = true }
    append(in: answer.framing, on: stream) { $0.appendBlock(head, framed: answer) }
  }

  /// Writes a complete response, whose field block is given.
  mutating func append(block: [UInt8], _ content: Data, in framing: Framing, on id: Int) {
    guard let stream = streams[id], stream.hasNoResponse else { return }
    flushControl()
    let room = min(Self.turnBytes, stream.sendWindow, window)
    guard case .length(content.count) = framing, !content.isEmpty, content.count <= room,
      waiting.isEmpty, !stream.request.isHead
    else {
      append(in: framing, on: stream) { $0.append(contentsOf: block) }
      append(content, in: framing, on: id)
      return appendEnd([:], in: framing, on: id)
    }
    // Usually nothing waits, and the stream ends at once.
    appendFields(isLast: false, on: id) { $0.append(contentsOf: block) }
    appendContent(content.count, isLast: true, of: stream) { output in
      content.withUnsafeBytes { output.append(contentsOf: $0) }
    }
    end(stream)
  }

  /// Writes a field block, and END_STREAM if no content follows.
  mutating func append(
    in framing: Framing,
    on stream: HTTP2Stream,
    _ encode: (inout [UInt8]) -> Void
  ) {
    let isWhole = framing == .none || framing == .length(0) || stream.request.isHead
    appendFields(isLast: isWhole, on: stream.id, encode)
    stream.response.state = .open
    if isWhole { end(stream) }
  }

  /// Writes a complete response. If another response has begun, the stream is reset.
  mutating func append(_ response: Response, on id: Int) {
    guard streams[id]?.hasNoResponse != false else { return reset(id, .internalError) }
    let length = response.body.data.count
    let answer = AnswerFraming(status: response.status, to: "GET", .http2, length: length, true)
    append(response.head, framed: answer, on: id)
    append(response.body.data, in: answer.framing, on: id)
    appendEnd([:], in: answer.framing, on: id)
  }

  /// Writes content, or queues it.
  mutating func append(_ content: Data, in framing: Framing, on id: Int) {
    guard let stream = streams[id], stream.takesContent, !content.isEmpty else { return }
    stream.response.count += content.count
    if case .length(stream.response.count) = framing { stream.response.state = .ending(.content) }
    let isAlone = waiting.isEmpty
    if isAlone, content.count <= min(Self.turnBytes, stream.sendWindow, window) {
      flushControl()
      return write(content, of: stream)
    }
    if stream.response.waiting.isEmpty {
      waiting.append(stream)
      stream.response.waitStart = clock()
    }
    stream.response.waiting.append(content)
    guard isAlone else { return }
    flushControl()
    _ = write(stream, upTo: Self.turnBytes)
  }

  /// Ends a response, with its trailers, after the waiting content.
  mutating func appendEnd(_ trailers: HeaderFields, in framing: Framing, on id: Int) {
    guard let stream = streams[id], stream.takesContent || stream.hasNoResponse else { return }
    flushControl()
    // An interim response is none.
    if stream.hasNoResponse { return end(stream, by: .internalError) }
    if case .length = framing {
      stream.response.state = .ending(.reset)
    } else {
      stream.response.state = .ending(trailers.isEmpty ? .content : .trailers(trailers))
    }
    if stream.response.waiting.isEmpty { _ = write(stream, upTo: 0) }
  }

  /// Writes a field block, after a dynamic table size update if one is due.
  private mutating func appendFields(isLast: Bool, on id: Int, _ encode: (inout [UInt8]) -> Void) {
    let shrinksTable = exchange(&peer.hasShrunkTable, with: false)
    output.appendHeaders(endsStream: isLast, on: id) { block in
      if shrinksTable { block.appendHPACKEmptyTable() }
      encode(&block)
    }
  }

  /// Ends a stream with an error, after its last frame.
  private mutating func end(_ stream: HTTP2Stream, by error: StreamError) {
    streams.close(stream.id, .resetHere)
    output.appendReset(error, on: stream.id)
  }

  /// Notes that a response was written. If the rest of the request is skipped, RST_STREAM ends the
  /// request (RFC 9113 §8.1).
  private mutating func end(_ stream: HTTP2Stream) {
    if stream.request.isSkipped, !stream.request.isEnded {
      return end(stream, by: .noError)
    }
    streams.endResponse(of: stream)
  }

  // MARK: - Output

  mutating func flushControl() { control.move(to: &output) }

  /// Writes control frames, and waiting content in fair turns.
  mutating func appendPending(upTo room: Int) -> Bool {
    for id in refused where streams[id]?.hasNoResponse == true { reset(id, .enhanceYourCalm) }
    refused = []
    guard room > 0 else { return canWrite }
    flushControl()
    var room = room
    var blocked = 0
    while room > 0, blocked < waiting.count {
      if turn >= waiting.count { turn = 0 }
      let stream = waiting[turn]
      // Nothing waits if the stream was closed.
      let most = min(room, Self.turnBytes, stream.response.waiting.count, stream.sendWindow, window)
      let written = most > 0 ? write(stream, upTo: most) : 0
      room -= written
      if stream.response.waiting.isEmpty {
        waiting.remove(at: turn)
        blocked = 0
      } else {
        turn += 1
        blocked = written > 0 ? 0 : blocked + 1
      }
    }
    return room <= 0 && canWrite
  }

  /// Returns the stream whose content has waited longest, with the start of its wait. Open tunnels
  /// are counted only if no window can be enlarged any more.
  func longestWait(
    sending lastSent: Moment?,
    countingTunnels countsTunnels: Bool
  ) -> (stream: Int, since: Moment)? {
    let waits = waiting.lazy
      .filter { !$0.response.waiting.isEmpty && (countsTunnels || !$0.isOpenTunnel) }
      .map { stream in
        let start = stream.response.waitStart
        // A stream waits for its turn or for the connection's window while others progress.
        if stream.sendWindow <= 0 { return (stream: stream.id, since: start) }
        return (stream.id, max(start, (window <= 0 ? lastWrite : lastSent) ?? start))
      }
    return waits.min { $0.since < $1.since }
  }

  /// Whether waiting content fits into the windows.
  private var canWrite: Bool {
    window > 0 && waiting.contains { $0.sendWindow > 0 && !$0.response.waiting.isEmpty }
  }

  /// Writes one frame of waiting content, and the end of the response after the last one.
  ///
  /// - Returns: The number of bytes of content.
  private mutating func write(_ stream: HTTP2Stream, upTo most: Int) -> Int {
    let waits = stream.response.waiting.count
    let length = max(0, min(most, waits, stream.sendWindow, window))
    if length > 0 {
      stream.response.waitStart = clock()
      lastWrite = stream.response.waitStart
    }
    let end = length == waits ? stream.response.end : nil
    appendContent(length, isLast: end?.isContent == true, of: stream) { output in
      stream.response.waiting.move(length, to: &output)
    }
    finish(stream, end)
    return length
  }

  /// Writes content that does not have to wait.
  private mutating func write(_ content: Data, of stream: HTTP2Stream) {
    let end = stream.response.end
    appendContent(content.count, isLast: end?.isContent == true, of: stream) { output in
      content.withUnsafeBytes { output.append(contentsOf: $0) }
    }
    finish(stream, end)
  }

  /// Writes a DATA frame. Without content, it is written only if it ends the stream.
  private mutating func appendContent(
    _ length: Int,
    isLast: Bool,
    of stream: HTTP2Stream,
    _ move: (inout [UInt8]) -> Void
  ) {
    guard length > 0 || isLast else { return }
    output.appendFrame(.data, isLast ? .endStream : [], on: stream.id, length: length)
    move(&output)
    stream.sendWindow -= length
    window -= length
  }

  /// Ends a response after its content was written.
  private mutating func finish(_ stream: HTTP2Stream, _ end: HTTP2Stream.Response.ResponseEnd?) {
    switch end {
    case nil: break
    case .content: self.end(stream)
    case .trailers(let trailers):
      appendFields(isLast: true, on: stream.id) { $0.appendBlock(trailers) }
      self.end(stream)
    case .reset: self.end(stream, by: .internalError)
    }
  }
}
