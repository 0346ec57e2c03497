package import Foundation

/// One connection on a loop: received bytes, a queue of output bytes, and four ways to end.
///
/// All output of one round is sent in one piece at its end. A delegate that produces much output
/// must stop while ``isCongested`` and request a callback.
package final class Channel {
  package enum Phase: Sendable, Hashable {
    case connecting
    case open
    /// The queue is still sent; input is discarded.
    case ending(CloseMethod)
    /// The FIN was sent; input is discarded until the peer's FIN.
    case lingering
    case closed
  }

  package enum CloseMethod: Sendable, Hashable { case close, reset }

  package let reactor: Reactor
  package let socket: Socket
  private let limits: Limits
  /// The address of an outgoing connection; `nil` for an accepted connection.
  package let target: SocketAddress?
  /// Kept until the channel is closed.
  package var delegate: (any ChannelDelegate)?
  /// An object that is kept alive until the channel is closed.
  package var held: AnyObject?
  package private(set) var phase: Phase
  /// Whether the peer has finished sending (FIN).
  package private(set) var inputEnded = false
  /// Whether the FIN was sent.
  private var outputEnded = false

  /// The TLS layer; `nil` for plain bytes.
  private var tls: TLSLayer?
  /// The bytes for the socket that the system has not accepted.
  private var output = ByteQueue()
  private var finishesWhenFlushed = false
  /// Whether output is held back, including its end.
  package var isOutputHeld = false {
    didSet { if !isOutputHeld { scheduleFlush() } }
  }
  package private(set) var isReadingPaused = false
  private var isAwaitingReset = false
  /// The number of bytes that the system has accepted.
  private(set) var sentBytes = 0
  /// The loop round in which it last accepted bytes; `nil` if it never did.
  package private(set) var lastSent: Moment?
  /// The number of bytes received after the end began.
  private var discardedBytes = 0
  private var endTimer: Reactor.Timer?

  private var watch: Watch?
  private var wantsDrained = false
  /// Whether the system accepts no more bytes for now.
  private var isBlocked = false
  private var isFlushScheduled = false
  private var isInEvent = false

  /// Takes over a connected socket.
  package init(
    _ socket: Socket,
    on reactor: Reactor,
    limits: Limits = .standard,
    delegate: any ChannelDelegate
  ) throws(SocketError) {
    (self.socket, self.reactor, self.limits, self.delegate) = (socket, reactor, limits, delegate)
    target = nil
    phase = .open
    socket.sendAtOnce()
    try begin(.readable)
  }

  /// Starts a connection, optionally with TLS. The delegate is informed when it is connected or
  /// closed.
  package init(
    connectingTo address: SocketAddress,
    on reactor: Reactor,
    limits: Limits = .upstream,
    tls engine: TLSEngine? = nil,
    delegate: any ChannelDelegate
  ) throws(SocketError) {
    socket = try Socket.connecting(to: address)
    target = address
    (self.reactor, self.limits, self.delegate) = (reactor, limits, delegate)
    phase = .connecting
    tls = engine.map { TLSLayer($0) }
    socket.sendAtOnce()
    try begin(.writable)
  }

  private func begin(_ interest: Readiness) throws(SocketError) {
    do throws(SocketError) {
      watch = try Watch(socket.descriptor, interest, self, on: reactor)
    } catch {
      socket.close()
      (phase, delegate) = (.closed, nil)
      throw error
    }
  }

  // MARK: Output

  /// The number of bytes that the system has not accepted.
  package var queuedBytes: Int { output.count + (tls?.unsealedBytes ?? 0) }
  /// Whether the delegate should stop producing output.
  package var isCongested: Bool { queuedBytes > limits.queuedBytesMax }

  /// Lets a serialiser append bytes to the queue; not called after an end.
  package func write(with body: (inout [UInt8]) -> Void) {
    guard phase == .open || phase == .connecting, !outputEnded, !finishesWhenFlushed else { return }
    if let tls { tls.write(body) } else { output.write(body) }
    scheduleFlush()
  }

  // Not generic: a generic function is not specialised for another module.

  package func write(_ bytes: [UInt8]) { write { $0.append(contentsOf: bytes) } }

  package func write(_ bytes: UnsafeRawBufferPointer) { write { $0.append(contentsOf: bytes) } }

  /// Writes contiguous bytes, for example of a memory-mapped file.
  package func write(_ data: Data) {
    write { bytes in data.withUnsafeBytes { bytes.append(contentsOf: $0) } }
  }

  /// Writes external bytes: directly to the system if the queue is empty.
  package func pass(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    guard let rest = writeNow(bytes) else { return }
    if !rest.isEmpty { write(rest) }
  }

  /// Writes bytes to the system if the queue is empty, and returns the rest; `nil` after an end.
  private func writeNow(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard phase == .open, !outputEnded, !finishesWhenFlushed else { return nil }
    guard output.isEmpty, !isBlocked, !isSecure else { return bytes }
    switch socket.write(bytes) {
    case .bytes(let count):
      sent(count)
      return UnsafeRawBufferPointer(rebasing: bytes[count...])
    case .wouldBlock, .end: return bytes
    case .failed(let error):
      writingFailed(error)
      return nil
    }
  }

  /// Requests one ``ChannelDelegate/channelDrained(_:)``; it is never called within this call.
  package func notifyWhenDrained() {
    wantsDrained = true
    scheduleFlush()
  }

  private func scheduleFlush() {
    guard !isInEvent, !isFlushScheduled, phase != .connecting else { return }
    isFlushScheduled = true
    reactor.flushLater(self)
  }

  private func flush() {
    guard phase != .connecting, phase != .closed, !isOutputHeld else { return }
    while true {
      if let tls { seal(with: tls) }
      if output.isEmpty { break }
      switch output.send(to: socket) {
      case .bytes(let count): sent(count)
      case .failed(let error): return writingFailed(error)
      case .wouldBlock, .end:
        isBlocked = true
        return updateInterest()
      }
    }
    if isBlocked {
      isBlocked = false
      updateInterest()
    }
    if let tls, waitsForHandshake(tls) { return }
    if finishesWhenFlushed { finishNow() }
    if wantsDrained {
      wantsDrained = false
      delegate?.channelDrained(self)
    }
    advanceEnding()
    // The delegate wrote more. It is sent after the output of the other channels.
    if queuedBytes > 0, !isInEvent { scheduleFlush() }
  }

  /// Records the number of bytes that the system accepted.
  private func sent(_ count: Int) {
    sentBytes += count
    lastSent = reactor.now
  }

  private func finishNow() {
    finishesWhenFlushed = false
    if !outputEnded { socket.finishWriting() }
    outputEnded = true
  }
}

extension Channel: RoundWriter {
  func flushRound() {
    isFlushScheduled = false
    flush()
  }
}

// MARK: - Input

extension Channel: ReadinessHandler {
  package func isReady(_ readiness: Readiness) {
    if phase == .connecting { return finishConnecting() }
    isInEvent = true
    if readiness.contains(.writable) { flush() }
    let isReading = watch?.interest.contains(.readable) ?? false
    if isReading, !readiness.isDisjoint(with: [.readable, .hangup]) {
      readInput()
    } else if readiness.contains(.hangup), phase != .closed {
      hangUp()
    }
    isInEvent = false
    flush()
  }

  package func loopEnds() {
    delegate = nil
    closed(nil)
  }

  private func finishConnecting() {
    let code = socket.pendingError
    guard code == 0 else { return closed(SocketError(.connect, code, target)) }
    phase = .open
    updateInterest()
    if let tls { return beginTLS(tls) }
    delegate?.channelConnected(self)
    scheduleFlush()
  }

  private func hangUp() {
    let code = socket.pendingError
    if code != 0 { return closed(SocketError(.read, code, socket.peerAddress)) }
    // Both sides have finished, and the remaining input is read when reading resumes. Without
    // muting, the system would report this event repeatedly.
    watch?.mute()
  }

  /// Reports a failed write, but first reads the input: the peer may have sent an early response
  /// and closed.
  private func writingFailed(_ error: SocketError) {
    output.removeAll()
    takeInput()
    if phase != .closed { closed(error) }
  }

  private func updateInterest() {
    var interest: Readiness = isBlocked || phase == .connecting ? .writable : []
    let isReading =
      phase == .open ? !isReadingPaused || tls?.isEstablished == false : phase != .connecting
    if isReading, !inputEnded { interest.insert(.readable) }
    watch?.set(interest)
  }

  /// Reads input that has been received but not read yet.
  package func takeInput() {
    if phase == .open, !inputEnded, !isReadingPaused { readInput() }
  }

  private func readInput() {
    // A peer that sends continuously must leave time for other channels.
    for _ in 0..<4 {
      switch socket.read(into: reactor.scratch) {
      case .bytes(let count):
        if phase != .open { discardedBytes += count }
        if let tls {
          receive(UnsafeRawBufferPointer(rebasing: reactor.scratch[..<count]), by: tls)
        } else if phase == .open {
          delegate?.channel(
            self,
            received: UnsafeRawBufferPointer(rebasing: reactor.scratch[..<count])
          )
        }
        if count < reactor.scratch.count || phase == .closed || isReadingPaused { return }
      case .wouldBlock: return
      case .failed(let error): return closed(error)
      case .end:
        inputEnded = true
        updateInterest()
        if phase == .lingering { return closed(nil) }
        if let tls { return transportEnded(tls) }
        if phase == .open { delegate?.channelReachedEnd(self) }
        return
      }
    }
  }
}

// MARK: - Ends

// The ways to end a connection. A written byte is lost only if the peer neither reads nor sends for
// `Limits.lingerSeconds`.
extension Channel {
  /// Sends the FIN after the queued bytes, and continues reading.
  package func finishWriting() {
    guard phase == .open else { return }
    finishesWhenFlushed = true
    scheduleFlush()
  }

  /// Closes in good order: sends the queued bytes and the FIN, and discards the peer's input until
  /// it ends.
  ///
  /// Closing with unread input would make the system send a reset, which overtakes the response.
  package func close() { end(by: .close) }

  /// Closes with a reset that reaches the peer after all written bytes.
  ///
  /// A reset discards the bytes that the system has not sent, so it waits for them. Without that,
  /// 186 of 200 bytes were lost in a measurement.
  package func reset() { end(by: .reset) }

  /// Closes the descriptor at once. The peer receives a FIN or, with unread input, a reset.
  package func abandon() { closed(nil) }

  /// Pauses or resumes reading. During a pause, the peer's bytes fill the system's buffers and then
  /// block the peer.
  package func pauseReading(_ pauses: Bool = true) {
    guard isReadingPaused != pauses else { return }
    isReadingPaused = pauses
    updateInterest()
  }

  package func resumeReading() { pauseReading(false) }

  private func end(by ending: CloseMethod) {
    switch phase {
    case .closed, .lingering, .ending: return
    case .connecting: return closed(nil)
    case .open:
      enter(.ending(ending))
      watch(Lingering(taken: safeBytes, heard: discardedBytes, at: .now(), limits))
      scheduleFlush()
    }
  }

  /// Continues the requested end after the queue has been emptied.
  private func advanceEnding() {
    // A delegate may write and close within `channelDrained`.
    guard queuedBytes == 0 else { return }
    switch phase {
    case .ending(.close):
      finishNow()
      if inputEnded { return closed(nil) }
      enter(.lingering)
    case .ending(.reset): resetWhenSent(after: 100_000)
    case .connecting, .open, .lingering, .closed: return
    }
  }

  /// Waits until the peer's system has received everything. No event reports that, so it is polled
  /// at growing intervals.
  ///
  /// Usually the first poll succeeds.
  private func resetWhenSent(after nanoseconds: Int64) {
    guard phase == .ending(.reset), !isAwaitingReset else { return }
    guard let unsent = socket.unsentBytes, unsent > 0 else { return resetNow() }
    isAwaitingReset = true
    reactor.schedule(after: nanoseconds) { [self] _ in
      isAwaitingReset = false
      resetWhenSent(after: min(nanoseconds * 2, 5_000_000))
    }
  }

  private func resetNow() {
    socket.resetOnClose()
    closed(nil)
  }

  private func watch(_ lingering: Lingering) {
    endTimer = reactor.schedule(after: Int64(nanosecondsOf: limits.lingerSeconds)) { [self] _ in
      guard phase != .closed else { return }
      var lingering = lingering
      if isOutputHeld || !lingering.isOver(taken: safeBytes, heard: discardedBytes, at: .now()) {
        watch(lingering)
      } else if phase == .ending(.reset) {
        resetNow()
      } else {
        closed(nil)
      }
    }
  }

  /// The number of bytes that the peer's system has acknowledged.
  private var safeBytes: Int { sentBytes - (socket.unsentBytes ?? 0) }

  private func enter(_ next: Phase) {
    phase = next
    updateInterest()
  }

  /// Closes the descriptor and informs the delegate.
  private func closed(_ error: SocketError?) {
    guard phase != .closed else { return }
    // After an end of this side, an error of the peer is not reported.
    let isOwnEnd = phase != .open && phase != .connecting
    phase = .closed
    if let endTimer { reactor.cancel(endTimer) }
    output.removeAll()
    watch.take()?.end()
    socket.close()
    let delegate = delegate
    (self.delegate, held) = (nil, nil)
    if let timer = tls?.timer { reactor.cancel(timer) }
    delegate?.channelClosed(self, tls?.error ?? (isOwnEnd ? nil : error))
  }

  // MARK: - TLS

  // TLS between a channel's delegate, which sends and receives plain bytes, and its output queue,
  // which contains encrypted bytes. Code between that queue and the socket only sees encrypted
  // bytes.
  /// Whether the connection is encrypted.
  package var isSecure: Bool { tls != nil }

  /// The protocol that was selected by ALPN; `nil` without TLS, or if the client offered none.
  package var applicationProtocol: String? { tls?.engine.applicationProtocol }

  /// Whether the input ended without close_notify, so that a part may be missing.
  var isInputTruncated: Bool { tls?.isInputTruncated ?? false }

  /// Whether the peer has begun a handshake that is not complete.
  package var isWithinHandshake: Bool {
    tls.map { !$0.isEstablished && $0.handshakeBytes > 0 } ?? false
  }

  /// Starts TLS: output is encrypted, and the delegate receives decrypted bytes.
  ///
  /// An outgoing connection is reported as connected after the handshake. A failed handshake ends
  /// the channel with an error. Output written before is then lost, because there is no receiver.
  ///
  /// - Parameters:
  ///   - engine: The local end of TLS, not yet used.
  ///   - early: Bytes that were received before and belong to TLS.
  package func startTLS(_ engine: TLSEngine, early: [UInt8] = []) {
    let layer = TLSLayer(engine)
    tls = layer
    if phase == .open { beginTLS(layer) }
    guard !early.isEmpty else { return }
    layer.handshakeBytes = early.count
    early.withUnsafeBytes { engine.feed($0) }
    // The delegate is informed after the caller has finished.
    reactor.schedule(after: 0) { [self] _ in process(layer) }
  }

  private func beginTLS(_ layer: TLSLayer) {
    layer.timer = reactor.schedule(after: Int64(nanosecondsOf: limits.handshakeSeconds)) {
      [weak self] _ in
      guard let self, !layer.isEstablished else { return }
      layer.engine.fail(.tooSlow, "the TLS handshake took too long")
      fail(layer)
    }
    layer.engine.start()
    collect(layer)
    updateInterest()
    scheduleFlush()
  }

  /// Processes encrypted bytes from the peer.
  private func receive(_ bytes: UnsafeRawBufferPointer, by layer: TLSLayer) {
    // An end discards input, except for a handshake that is needed to send queued output.
    guard phase == .open || (!layer.isEstablished && layer.unsealedBytes > 0) else { return }
    if !layer.isEstablished {
      // A request line begins with a method, a handshake with 22.
      if layer.engine.role == .server, layer.handshakeBytes == 0, let first = bytes.first,
        first.beginsMethod
      {
        return dropTLS(layer, bytes)
      }
      layer.handshakeBytes += bytes.count
    }
    layer.engine.feed(bytes)
    process(layer)
  }

  /// Removes TLS after plain text was received.
  private func dropTLS(_ layer: TLSLayer, _ bytes: UnsafeRawBufferPointer) {
    if let timer = layer.timer { reactor.cancel(timer) }
    tls = nil
    delegate?.channel(self, gotPlainText: bytes)
  }

  /// Processes TLS as far as the received bytes allow.
  private func process(_ layer: TLSLayer) {
    guard phase != .closed else { return }
    let engine = layer.engine
    if !layer.isEstablished {
      if !engine.isHandshaking {
        establish(layer)
      } else if layer.handshakeBytes > limits.handshakeBytesMax {
        engine.fail(.tooLarge, "the TLS handshake was too large")
      }
    }
    if layer.isEstablished { open(layer) }
    collect(layer)
    if engine.failure != nil { return fail(layer) }
    guard engine.inputEnded, !inputEnded else { return }
    inputEnded = true
    updateInterest()
    if phase == .open { delegate?.channelReachedEnd(self) }
  }

  private func establish(_ layer: TLSLayer) {
    layer.isEstablished = true
    if let timer = layer.timer { reactor.cancel(timer) }
    updateInterest()
    scheduleFlush()
    if target != nil, phase == .open { delegate?.channelConnected(self) }
  }

  /// Passes all decrypted bytes of one read to the delegate, even if it pauses meanwhile.
  private func open(_ layer: TLSLayer) {
    // The size of one read plus the previous part of a record.
    withUnsafeTemporaryAllocation(byteCount: 80 * 1024, alignment: 16) { buffer in
      while phase == .open {
        let count = layer.engine.read(into: buffer)
        guard count > 0 else { return }
        delegate?.channel(self, received: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
  }

  /// Queues the engine's output.
  private func collect(_ layer: TLSLayer) {
    guard layer.engine.pendingOutput > 0 else { return }
    layer.engine.drainOutput { piece in output.write { $0.append(contentsOf: piece) } }
    scheduleFlush()
  }

  /// Encrypts queued output, but no more than is sent soon, and the end after it.
  private func seal(with layer: TLSLayer) {
    guard layer.isEstablished else { return }
    while layer.unsealedBytes > 0, output.count < 64 * 1024 {
      layer.sealPiece()
      collect(layer)
    }
    if layer.unsealedBytes == 0, finishesWhenFlushed || phase == .ending(.close) {
      layer.engine.endOutput()
      collect(layer)
    }
  }

  /// Whether output or its end waits for the handshake.
  private func waitsForHandshake(_ layer: TLSLayer) -> Bool {
    guard !layer.isEstablished, layer.engine.failure == nil else { return false }
    return layer.unsealedBytes > 0 || finishesWhenFlushed
  }

  /// Processes the end of the underlying connection.
  private func transportEnded(_ layer: TLSLayer) {
    layer.isInputTruncated = !layer.engine.feedEnd()
    if layer.engine.failure != nil { return fail(layer) }
    if phase == .open { delegate?.channelReachedEnd(self) }
  }

  /// Closes in good order, so that the alert is delivered.
  ///
  /// A connecting channel reports the error at once, an accepted one after its descriptor is
  /// closed.
  private func fail(_ layer: TLSLayer) {
    guard layer.error == nil, let failure = layer.engine.failure else { return }
    let error = SocketError(failure, socket.peerAddress ?? target)
    layer.error = error
    if let timer = layer.timer { reactor.cancel(timer) }
    layer.forget()
    collect(layer)
    let listener = target == nil ? nil : delegate
    if listener != nil { delegate = nil }
    finishesWhenFlushed = false
    close()
    listener?.channelClosed(self, error)
    // A previous end may have waited for this.
    scheduleFlush()
  }
}
