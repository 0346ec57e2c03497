// The ways to end a connection. None loses a byte that was written, unless the peer neither reads nor
// sends for `Limits.lingerSeconds`.
extension Channel {
  /// Sends the FIN after what is queued, and goes on reading.
  func finishWriting() {
    guard phase == .open else { return }
    finishesWhenFlushed = true
    scheduleFlush()
  }

  /// Ends in good order: what is queued, the FIN, and the peer's input thrown away until it ends.
  ///
  /// A close with unread input would make the system send a reset that overtakes the answer.
  func close() { end(by: .close) }

  /// Ends with a reset that reaches the peer after everything that was written.
  ///
  /// The reset itself throws away what the system has not sent, so that is waited for (measured
  /// without: of 200 bytes 186 were lost).
  func reset() { end(by: .reset) }

  /// Gives the descriptor back at once; the peer sees a FIN or, with unread input, a reset.
  func abandon() { closed(nil) }

  /// Reads no more; the peer's writes fill the system's buffers and then wait.
  func pauseReading() {
    isReadingPaused = true
    updateInterest()
  }

  func resumeReading() {
    isReadingPaused = false
    updateInterest()
  }

  private func end(by ending: Ending) {
    switch phase {
    case .closed, .lingering, .ending: return
    case .connecting: return closed(nil)
    case .open:
      enter(.ending(ending))
      watchProgress()
      scheduleFlush()
    }
  }

  /// The queue is empty: goes on with the end that was asked for.
  func advanceEnding() {
    // A delegate that is told of the drained queue may write and end in one go.
    guard queuedBytes == 0 else { return }
    switch phase {
    case .ending(.close):
      finishOutput()
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

  private func watchProgress() {
    watch(Lingering(taken: safeBytes, heard: discardedBytes, at: .now(), limits))
  }

  private func watch(_ lingering: Lingering) {
    endTimer = reactor.schedule(after: Int64(nanosecondsOf: limits.lingerSeconds)) { [self] _ in
      guard phase != .closed else { return }
      var lingering = lingering
      if !lingering.isOver(taken: safeBytes, heard: discardedBytes, at: .now()) {
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
}
