// TLS between a channel's delegate, which hears and says plain bytes, and its queue of output, which
// holds what travels. Whatever is put between that queue and the socket meets sealed bytes.
extension Channel {
  /// Whether what travels is sealed.
  var isSecure: Bool { tls != nil }

  /// Whether the input has ended without the peer's word for it, so that a part may be missing.
  var isInputTruncated: Bool { tls?.isInputTruncated ?? false }

  /// Speaks TLS from here on: what is written is sealed, and the delegate hears what was opened.
  ///
  /// A connect is told once the handshake is done. A handshake that fails ends the channel with an
  /// error that says so; what was written is lost then, since nobody was there to hear it.
  ///
  /// - Parameters:
  ///   - engine: This end of it, fresh.
  ///   - early: Bytes that came beforehand and belong to it.
  func startTLS(_ engine: TLSEngine, early: [UInt8] = []) {
    let layer = TLSLayer(engine)
    tls = layer
    if phase == .open { beginTLS(layer) }
    guard !early.isEmpty else { return }
    layer.handshakeBytes = early.count
    early.withUnsafeBytes { engine.feed($0) }
    // The delegate hears of it when whoever called this is done.
    reactor.schedule(after: 0) { [self] _ in hear(layer) }
  }

  func beginTLS(_ layer: TLSLayer) {
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

  /// Sealed bytes came.
  func receive(_ bytes: UnsafeRawBufferPointer, by layer: TLSLayer) {
    // An end throws input away, but for that without which what was written cannot be sent.
    guard phase == .open || (!layer.isEstablished && layer.unsealedBytes > 0) else { return }
    if !layer.isEstablished {
      // A request line begins with a method, a handshake with 22.
      if layer.engine.role == .server, layer.handshakeBytes == 0, let first = bytes.first,
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
      {
        return dropTLS(layer)
      }
      layer.handshakeBytes += bytes.count
    }
    layer.engine.feed(bytes)
    hear(layer)
  }

  /// Plain text came to a port that speaks TLS.
  private func dropTLS(_ layer: TLSLayer) {
    if let timer = layer.timer { reactor.cancel(timer) }
    tls = nil
    delegate?.channelGotPlainText(self)
  }

  /// Goes on as far as what came allows.
  private func hear(_ layer: TLSLayer) {
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

  /// What the engine says goes the way of all output.
  private func collect(_ layer: TLSLayer) {
    guard layer.engine.pendingOutput > 0 else { return }
    layer.engine.takeOutput { piece in output.write { $0.append(contentsOf: piece) } }
    scheduleFlush()
  }

  /// Seals what was written, no more than is sent soon, and the end behind the last of it.
  func seal(with layer: TLSLayer) {
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

  /// Whether what was written, or its end, waits for the handshake.
  func waitsForHandshake(_ layer: TLSLayer) -> Bool {
    guard !layer.isEstablished, layer.engine.failure == nil else { return false }
    return layer.unsealedBytes > 0 || finishesWhenFlushed
  }

  /// The connection below has ended.
  func transportEnded(_ layer: TLSLayer) {
    layer.isInputTruncated = !layer.engine.feedEnd()
    if layer.engine.failure != nil { return fail(layer) }
    if phase == .open { delegate?.channelReachedEnd(self) }
  }

  /// Ends in good order, so that the alert arrives.
  ///
  /// Who connected hears of it at once, and who accepted when the descriptor is free.
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
