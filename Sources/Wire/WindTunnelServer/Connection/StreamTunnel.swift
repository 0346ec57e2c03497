internal import Foundation

/// A stream of HTTP/2 that carries a WebSocket after its response (RFC 8441 §5).
///
/// As on a connection of HTTP/1.1, the written bytes begin with the response. Until the response
/// opens the tunnel, the client's bytes wait here, within the window of the stream.
///
/// Used only on the loop's thread.
final class StreamTunnel: ByteCarrier {
  var delegate: (any ChannelDelegate)?
  let channel: Channel
  /// The protocol of the tunnel; `nil` until the response.
  var successor: (any ConnectionSuccessor)?
  let stream: Int
  private weak var requests: ServedRequests?
  private let codec: any ConnectionCodec
  /// The time for which the client may keep its side open after the end of this one.
  private let lingerSeconds: Double
  private var response: RespelledResponse
  /// The bytes that the delegate has not received.
  private var input = Data()
  private(set) var isReadingPaused = true
  private(set) var inputEnded = false
  /// Whether the client has ended its side of the stream.
  private var hasReceivedEnd = false
  private var ending: Channel.CloseMethod?
  private var isClosed = false
  /// Whether the delegate waits for the client.
  private var wantsDrained = false

  init(_ stream: Int, of requests: ServedRequests, on channel: Channel) {
    (self.stream, self.requests, self.channel) = (stream, requests, channel)
    (codec, lingerSeconds) = (requests.codec, requests.context.limits.lingerSeconds)
    response = RespelledResponse(to: "GET", by: ResponseEncoder(on: stream, by: codec))
  }

  var isOpen: Bool { !isClosed && ending == nil && channel.phase == .open }
  var isCongested: Bool { channel.isCongested || codec.isCongested(stream) }
  /// Whether the tunnel has a protocol that has not ended.
  var isConversing: Bool { successor != nil && ending == nil }

  // MARK: To the client

  func write(_ bytes: UnsafeRawBufferPointer) {
    guard isOpen else { return }
    channel.write { response.read(Data(bytes), to: &$0) }
    // The bytes may wait for their turn alone.
    if codec.isCongested(stream) { channel.notifyWhenDrained() }
  }

  func notifyWhenDrained() {
    wantsDrained = true
    channel.notifyWhenDrained()
  }

  /// Informs the delegate if the client has read enough. Returns whether the delegate may have
  /// written more.
  func drained() -> Bool {
    if ending == .reset, !codec.isCongested(stream) { resetNow(.cancel) }
    guard wantsDrained, !isCongested, !isClosed else { return false }
    wantsDrained = false
    delegate?.channelDrained(channel)
    return true
  }

  func finishWriting() { channel.write { response.readEnd(to: &$0) } }

  func close() {
    guard isOpen else { return }
    // The codec resets the stream of a refused handshake, so its client sends no end.
    if case .upgraded = response.state {} else { hasReceivedEnd = true }
    finishWriting()
    ending = .close
    requests?.noteWritten(stream)
    linger()
  }

  /// Ends the stream with CANCEL after the written bytes, as a reset ends a connection (RFC 8441
  /// §5).
  func reset() {
    guard isOpen else { return }
    ending = .reset
    linger()
    if codec.isCongested(stream) { notifyWhenDrained() } else { resetNow(.cancel) }
  }

  func abandon() { resetNow(.cancel) }

  /// Discards the client's bytes until it ends its side, up to the limit of a connection.
  private func linger() {
    giveBack()
    if hasReceivedEnd, ending == .close { return closeLater() }
    channel.reactor.schedule(after: Int64(nanosecondsOf: lingerSeconds)) { [weak self] _ in
      guard let self, !isClosed else { return }
      if ending == .close, !codec.isDelivered(stream) { return linger() }
      resetNow(ending == .close ? .noError : .cancel)
    }
  }

  private func resetNow(_ error: StreamError) {
    guard !isClosed else { return }
    channel.write { _ = codec.appendReset(error, on: stream, to: &$0) }
    closeLater()
  }

  /// Closes the tunnel behind the current event, as a channel does.
  private func closeLater() {
    channel.reactor.schedule(after: 0) { [weak self] _ in self?.closed(nil) }
  }

  // MARK: From the client

  func pauseReading(_ pauses: Bool) {
    isReadingPaused = pauses
    guard !pauses, !input.isEmpty || hasReceivedEnd else { return }
    channel.reactor.schedule(after: 0) { [weak self] _ in
      self?.deliver()
      self?.requests?.flush()
    }
  }

  func receive(_ data: Data) {
    input.append(data)
    if ending == nil { deliver() } else { giveBack() }
  }

  /// Processes the end of the client's direction of the stream or of the connection.
  func receiveEnd() {
    hasReceivedEnd = true
    if ending == .close { closed(nil) } else { deliver() }
  }

  private func deliver() {
    guard !isReadingPaused, ending == nil, !isClosed else { return }
    let data = giveBack()
    if !data.isEmpty { data.withUnsafeBytes { delegate?.channel(channel, received: $0) } }
    guard hasReceivedEnd, input.isEmpty, !inputEnded else { return }
    inputEnded = true
    delegate?.channelReachedEnd(channel)
  }

  /// Removes and returns the bytes that wait, and lets the client send the same number.
  @discardableResult private func giveBack() -> Data {
    defer { input = Data() }
    if !input.isEmpty { codec.giveBack(input.count, on: stream) }
    return input
  }

  /// Closes the tunnel, with the error of a stream or connection that was reset.
  func closed(_ error: SocketError?) {
    guard !isClosed else { return }
    isClosed = true
    giveBack()
    let delegate = delegate
    self.delegate = nil
    delegate?.channelClosed(channel, error)
    successor = nil
    requests?.removeTunnel(stream)
  }
}
