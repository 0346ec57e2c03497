// What goes through an engine, both ways.
extension TLSEngine {
  // MARK: Input

  /// Begins the handshake of a client; a server waits.
  func start() { if role == .client { shakeHands() } }

  /// Takes what came, in pieces of any size.
  func feed(_ bytes: UnsafeRawBufferPointer) {
    guard failure == nil, !inputEnded, let base = bytes.baseAddress, !bytes.isEmpty else { return }
    var place = 0
    while place < bytes.count {
      let count = min(bytes.count - place, 1 << 24)
      guard crypto.BIO_write(input, base + place, Int32(count)) == Int32(count) else {
        return fail(.unusable, "there is no memory for what came")
      }
      place += count
    }
    if isHandshaking { shakeHands() }
  }

  /// The connection below has ended.
  ///
  /// True if the peer has said so beforehand; otherwise somebody may have cut the rest off (RFC 8446
  /// §6.1).
  func feedEnd() -> Bool {
    if isHandshaking { fail(.brokenOff, "the connection ended within the TLS handshake") }
    return inputEnded
  }

  private func shakeHands() {
    crypto.ERR_clear_error()
    let result = ssl.SSL_do_handshake(pointer)
    if result == 1 { isHandshaking = false } else { judge(result) }
  }

  /// Fills a buffer with what the peer said, as far as there is any, and answers how much.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard !isHandshaking, failure == nil, let base = buffer.baseAddress else { return 0 }
    var count = 0
    while count < buffer.count {
      crypto.ERR_clear_error()
      let result = ssl.SSL_read(pointer, base + count, Int32(clamping: buffer.count - count))
      if result <= 0 {
        judge(result)
        break
      }
      count += Int(result)
    }
    return count
  }

  // MARK: Output

  /// Seals what is to be said; only after the handshake, and before the end.
  func write(_ bytes: UnsafeRawBufferPointer) {
    guard !isHandshaking, !outputEnded, failure == nil, let base = bytes.baseAddress else { return }
    var place = 0
    while place < bytes.count {
      crypto.ERR_clear_error()
      let rest = Int32(clamping: bytes.count - place)
      let result = ssl.SSL_write(pointer, base + place, rest)
      guard result > 0 else { return judge(result) }
      place += Int(result)
    }
  }

  /// Says that nothing more will be said (close_notify); what the peer says is still heard.
  func endOutput() {
    guard !isHandshaking, !outputEnded, failure == nil else { return }
    outputEnded = true
    crypto.ERR_clear_error()
    _ = ssl.SSL_shutdown(pointer)
    crypto.ERR_clear_error()
  }

  /// How much is to be sent.
  var pendingOutput: Int { crypto.BIO_ctrl_pending(output) }

  /// Hands over what is to be sent, in pieces; it is gone from here then.
  func takeOutput(_ body: (UnsafeRawBufferPointer) -> Void) {
    guard pendingOutput > 0 else { return }
    withUnsafeTemporaryAllocation(byteCount: 32 * 1024, alignment: 16) { buffer in
      guard let base = buffer.baseAddress else { return }
      while true {
        let count = crypto.BIO_read(output, base, Int32(buffer.count))
        guard count > 0 else { return }
        body(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
      }
    }
  }
}
