// What the loop tells a channel, and what the channel makes of it.
extension Channel: ReadinessHandler {
  func isReady(_ readiness: Readiness) {
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

  func loopEnds() {
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
}

extension Channel {
  /// A peer that answers early and closes is heard before the failed write is told.
  func writingFailed(_ error: SocketError) {
    output.removeAll()
    if phase == .open, !inputEnded, !isReadingPaused { readInput() }
    if phase != .closed { closed(error) }
  }

  func updateInterest() {
    var interest: Readiness = isBlocked || phase == .connecting ? .writable : []
    let isReading =
      phase == .open ? !isReadingPaused || tls?.isEstablished == false : phase != .connecting
    if isReading, !inputEnded { interest.insert(.readable) }
    watch?.set(interest)
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
