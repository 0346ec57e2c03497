internal import WindTunnel

// Connections that outlive their answer and end before the next one.
extension ClientConnection {
  /// Waits for the next request or the end, whichever comes first.
  func idle(until end: IdleEnd) {
    switch end.moment {
    case .nextRequest:
      // It may have come before the answer to the last one was out.
      if parser.bufferedBytes > 0 { return leave(end.ending) }
      state = .parting(end.ending)
      deadline.begin(.idle, on: reactor)
    case .idle(let length):
      idles += 1
      let turn = idles
      let moment = start + (now + length).inNanoseconds
      reactor.schedule(at: moment) { [weak self] _ in
        guard let self, idles == turn, case .idle = state, parser.isBetweenRequests else { return }
        leave(end.ending)
      }
      read()
    }
  }

  func leave(_ ending: IdleEnd.Ending) {
    state = .ended
    switch ending {
    case .close: channel?.close()
    case .reset: channel?.reset()
    }
  }
}
