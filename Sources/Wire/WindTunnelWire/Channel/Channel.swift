package import Foundation

/// One connection on a loop: bytes in, a queue of bytes out, and four ways to end.
///
/// What is written during one round leaves in one piece at its end. A delegate that produces much
/// stops while ``isCongested`` and asks to be told when it may go on.
package final class Channel {
  package enum Phase: Sendable, Hashable {
    case connecting
    case open
    /// The queue is still sent; input is thrown away.
    case ending(Ending)
    /// The FIN is out; input is thrown away until the peer's own comes.
    case lingering
    case closed
  }

  package enum Ending: Sendable, Hashable { case close, reset }

  package let reactor: Reactor
  package let socket: Socket
  private let limits: Limits
  /// The address that the connect went to; `nil` for a connection that was accepted.
  package let target: SocketAddress?
  /// Kept until the channel is closed.
  package var delegate: (any ChannelDelegate)?
  /// What the connection holds until the channel is closed.
  package var held: AnyObject?
  package private(set) var phase: Phase
  /// Tells whether the peer has said that it sends no more.
  package private(set) var inputEnded = false
  /// Tells whether the FIN is out.
  private var outputEnded = false

  /// The layer that seals and opens; `nil` where plain bytes travel.
  private var tls: TLSLayer?
  /// The bytes that travel and were not taken by the system.
  private var output = ByteQueue()
  private var finishesWhenFlushed = false
  /// Tells whether what is written waits, an end of the output included.
  package var isOutputHeld = false {
    didSet { if !isOutputHeld { scheduleFlush() } }
  }
  package private(set) var isReadingPaused = false
  private var isAwaitingReset = false
  /// The bytes that the system has taken.
  private(set) var sentBytes = 0
  /// The time at which it took some last, by the round of the loop that it was in; `nil`: never.
  package private(set) var lastSent: Moment?
  /// The bytes that came after the end had begun.
  private var discardedBytes = 0
  private var endTimer: Reactor.Timer?

  private var watch: Watch?
  private var wantsDrained = false
  /// The system takes no more for now.
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

  /// Begins to connect, with a TLS engine to speak through it; the delegate is told of success or
  /// of the end.
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

  /// Bytes that the system has not taken.
  package var queuedBytes: Int { output.count + (tls?.unsealedBytes ?? 0) }
  /// Tells whether production should stop.
  package var isCongested: Bool { queuedBytes > limits.queuedBytesMax }

  /// Lets a serialiser write into the queue; after an end it is not called.
  package func write(with body: (inout [UInt8]) -> Void) {
    guard phase == .open || phase == .connecting, !outputEnded, !finishesWhenFlushed else { return }
    if let tls { tls.write(body) } else { output.write(body) }
    scheduleFlush()
  }

  // Not generic: a generic function is not specialised for another module.

  package func write(_ bytes: [UInt8]) { write { $0.append(contentsOf: bytes) } }

  package func write(_ bytes: UnsafeRawBufferPointer) { write { $0.append(contentsOf: bytes) } }

  /// Writes bytes that lie in one piece, as those of a file's pages.
  package func write(_ data: Data) {
    write { bytes in data.withUnsafeBytes { bytes.append(contentsOf: $0) } }
  }

  /// Writes bytes that lie elsewhere: straight to the system where nothing waits before them.
  package func pass(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    guard let rest = writeNow(bytes) else { return }
    if !rest.isEmpty { write(rest) }
  }

  /// Sends what the system takes at once, where nothing waits before it, and answers the rest;
  /// `nil` after an end.
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

  /// Asks for one ``ChannelDelegate/channelDrained(_:)``; it never comes within this call.
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
    // The delegate wrote more: its turn comes after the other channels'.
    if queuedBytes > 0, !isInEvent { scheduleFlush() }
  }

  /// Notes that the system took bytes.
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
    // Both sides have finished; what is still to be read is read when somebody wants it. The
    // system would tell of this again and again.
    watch?.mute()
  }

  /// A peer that answers early and closes is heard before the failed write is told.
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

  /// Reads what has come and was not looked at yet.
  package func takeInput() {
    if phase == .open, !inputEnded, !isReadingPaused { readInput() }
  }

  private func readInput() {
    // A peer that never stops must leave room for the others.
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

// The ways to end a connection. None loses a byte that was written, unless the peer neither reads
// nor sends for `Limits.lingerSeconds`.
extension Channel {
  /// Sends the FIN after what is queued, and goes on reading.
  package func finishWriting() {
    guard phase == .open else { return }
    finishesWhenFlushed = true
    scheduleFlush()
  }

  /// Ends in good order: what is queued, the FIN, and the peer's input thrown away until it ends.
  ///
  /// A close with unread input would make the system send a reset that overtakes the answer.
  package func close() { end(by: .close) }

  /// Ends with a reset that reaches the peer after everything that was written.
  ///
  /// The reset itself throws away what the system has not sent, so that is waited for (measured
  /// without: of 200 bytes 186 were lost).
  package func reset() { end(by: .reset) }

  /// Gives the descriptor back at once; the peer sees a FIN or, with unread input, a reset.
  package func abandon() { closed(nil) }

  /// Reads no more, or reads on; the peer's writes fill the system's buffers and then wait.
  package func pauseReading(_ pauses: Bool = true) {
    guard isReadingPaused != pauses else { return }
    isReadingPaused = pauses
    updateInterest()
  }

  package func resumeReading() { pauseReading(false) }

  private func end(by ending: Ending) {
    switch phase {
    case .closed, .lingering, .ending: return
    case .connecting: return closed(nil)
    case .open:
      enter(.ending(ending))
      watch(Lingering(taken: safeBytes, heard: discardedBytes, at: .now(), limits))
      scheduleFlush()
    }
  }

  /// Goes on with the end that was asked for, now that the queue is empty.
  private func advanceEnding() {
    // A delegate that is told of the drained queue may write and end in one go.
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

  /// No event says that the peer's system has everything, so the question is asked at growing
  /// intervals.
  ///
  /// Most answers are there at the first.
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

  /// The bytes of which the peer's system has said that it has them.
  private var safeBytes: Int { sentBytes - (socket.unsentBytes ?? 0) }

  private func enter(_ next: Phase) {
    phase = next
    updateInterest()
  }

  /// Gives the descriptor back and says so.
  private func closed(_ error: SocketError?) {
    guard phase != .closed else { return }
    // Who has decided to end does not hear that the peer did so, too.
    let isOwnEnd = phase != .open && phase != .connecting
    phase = .closed
    if let endTimer { reactor.cancel(endTimer) }
    output.removeAll()
    watch?.end()
    watch = nil
    socket.close()
    let delegate = delegate
    (self.delegate, held) = (nil, nil)
    if let timer = tls?.timer { reactor.cancel(timer) }
    delegate?.channelClosed(self, tls?.error ?? (isOwnEnd ? nil : error))
  }

  // MARK: - TLS

  // TLS between a channel's delegate, which hears and says plain bytes, and its queue of output,
  // which holds what travels. Whatever is put between that queue and the socket meets sealed bytes.
  /// Tells whether what travels is sealed.
  package var isSecure: Bool { tls != nil }

  /// Tells whether the input has ended without the peer's word for it, so that a part may be
  /// missing.
  var isInputTruncated: Bool { tls?.isInputTruncated ?? false }

  /// Tells whether the peer has begun a handshake that is not done.
  package var isWithinHandshake: Bool {
    tls.map { !$0.isEstablished && $0.handshakeBytes > 0 } ?? false
  }

  /// Speaks TLS from here on: what is written is sealed, and the delegate hears what was opened.
  ///
  /// A connect is told once the handshake is done. A handshake that fails ends the channel with an
  /// error that says so; what was written is lost then, since nobody was there to hear it.
  ///
  /// - Parameters:
  ///   - engine: This end of it, fresh.
  ///   - early: Bytes that came beforehand and belong to it.
  package func startTLS(_ engine: TLSEngine, early: [UInt8] = []) {
    let layer = TLSLayer(engine)
    tls = layer
    if phase == .open { beginTLS(layer) }
    guard !early.isEmpty else { return }
    layer.handshakeBytes = early.count
    early.withUnsafeBytes { engine.feed($0) }
    // The delegate hears of it when whoever called this is done.
    reactor.schedule(after: 0) { [self] _ in process(layer) }
  }

  private func beginTLS(_ layer: TLSLayer) {
    layer.timer = reactor.schedule(after: Int64(nanosecondsOf: limits.handshakeSeconds)) {
      [weak self] _ in
      guard let self, !layer.isEstablished else { return }
      layer.engine.fail(.tooSlow, "the TLS handshake was not done in time")
      fail(layer)
    }
    layer.engine.start()
    collect(layer)
    updateInterest()
    scheduleFlush()
  }

  /// Handles sealed bytes that came.
  private func receive(_ bytes: UnsafeRawBufferPointer, by layer: TLSLayer) {
    // An end throws input away, but for that without which what was written cannot be sent.
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

  /// Drops TLS after plain text came to its port.
  private func dropTLS(_ layer: TLSLayer, _ bytes: UnsafeRawBufferPointer) {
    if let timer = layer.timer { reactor.cancel(timer) }
    tls = nil
    delegate?.channel(self, gotPlainText: bytes)
  }

  /// Goes on as far as what came allows.
  private func process(_ layer: TLSLayer) {
    guard phase != .closed else { return }
    let engine = layer.engine
    if !layer.isEstablished {
      if !engine.isHandshaking {
        establish(layer)
      } else if layer.handshakeBytes > limits.handshakeBytesMax {
        engine.fail(.tooLarge, "the TLS handshake was larger than allowed")
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

  /// Hands over all that one read has brought, also to a delegate that pauses meanwhile.
  private func open(_ layer: TLSLayer) {
    // What came at once, and the part of a record that came before.
    withUnsafeTemporaryAllocation(byteCount: 80 * 1024, alignment: 16) { buffer in
      while phase == .open {
        let count = layer.engine.read(into: buffer)
        guard count > 0 else { return }
        delegate?.channel(self, received: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
  }

  /// Sends what the engine says the way of all output.
  private func collect(_ layer: TLSLayer) {
    guard layer.engine.pendingOutput > 0 else { return }
    layer.engine.drainOutput { piece in output.write { $0.append(contentsOf: piece) } }
    scheduleFlush()
  }

  /// Seals what was written, no more than is sent soon, and the end behind the last of it.
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

  /// Tells whether what was written, or its end, waits for the handshake.
  private func waitsForHandshake(_ layer: TLSLayer) -> Bool {
    guard !layer.isEstablished, layer.engine.failure == nil else { return false }
    return layer.unsealedBytes > 0 || finishesWhenFlushed
  }

  /// The connection below has ended.
  private func transportEnded(_ layer: TLSLayer) {
    layer.isInputTruncated = !layer.engine.feedEnd()
    if layer.engine.failure != nil { return fail(layer) }
    if phase == .open { delegate?.channelReachedEnd(self) }
  }

  /// Ends in good order, so that the alert arrives.
  ///
  /// The end that connected hears of it at once, and the one that accepted when the descriptor is
  /// free.
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
    // An end that was under way before may have waited for this.
    scheduleFlush()
  }
}
